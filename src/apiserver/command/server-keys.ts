/** Reads the keys and certificates that the flags name, and generates the others. Files that change are read again. */
import { createPublicKey } from 'node:crypto';
import fs from 'node:fs/promises';
import { followServingFiles, type ServingFileFlags } from '../../component-server/index.ts';
import { UsageError } from '../../flags/index.ts';
import { type Context, followFiles, type FollowedFiles } from '../../kernel/index.ts';
import { certificatesOfPem, checkCertificateAndKey, type CertificateAndKey } from '../../net/tls/index.ts';
import { createAuthority, issue } from '../pki/certificates.ts';
import type { RenewableKeys } from '../pki/current-keys.ts';
import { openPki, type ServerKeys, type ServingNames } from '../pki/files.ts';
import type { ApiServerFlagValues } from './flags.ts';

export interface FollowedKeys {
  /** Those of the start. */
  readonly keys: ServerKeys;
  /** The listener gets what has changed since. */
  onChange(listener: (renewed: Partial<RenewableKeys>) => void): void;
}

type KeyFlags = Pick<
  ApiServerFlagValues,
  | keyof ServingFileFlags
  | 'kubelet-client-certificate'
  | 'kubelet-client-key'
  | 'proxy-client-cert-file'
  | 'proxy-client-key-file'
  | 'client-ca-file'
  | 'requestheader-client-ca-file'
  | 'service-account-signing-key-file'
>;

export async function serverKeys(ctx: Context, values: KeyFlags, names: ServingNames): Promise<FollowedKeys> {
  const generated = await openPki(ctx, undefined, names);
  const [serving, kubeletClient, frontProxyClient, clientCa, frontProxyCa, signingKey] = await Promise.all([
    followServingFiles(ctx, values, { name: 'apiserver', generate: () => selfSigned(ctx, names) }),
    followKeyPair(ctx, values, 'kubelet-client-certificate', 'kubelet-client-key'),
    followKeyPair(ctx, values, 'proxy-client-cert-file', 'proxy-client-key-file'),
    followBundle(ctx, 'client-ca-bundle', values['client-ca-file']),
    followBundle(ctx, 'request-header', values['requestheader-client-ca-file']),
    readPem(values['service-account-signing-key-file']),
  ]);
  const parts: readonly Part[] = [
    part(serving, ({ own, named }) => ({ apiserver: own, named })),
    part(kubeletClient, (pair) => ({ kubeletClient: pair })),
    part(frontProxyClient, (pair) => ({ frontProxyClient: pair })),
    part(clientCa, (certificate) => ({ ca: { certificate } })),
    part(frontProxyCa, (certificate) => ({ frontProxyCa: { certificate } })),
  ];
  const initial = parts.map(({ current }) => current());
  return {
    keys: Object.assign(
      { ...generated },
      ...initial,
      signingKey === undefined
        ? {}
        : { serviceAccount: { privateKey: signingKey, publicKey: publicKeyOf(signingKey) } },
    ) as ServerKeys,
    onChange: (listener) =>
      parts.forEach(({ current, onChange }, index) => {
        const now = current();
        if (JSON.stringify(now) !== JSON.stringify(initial[index])) listener(now);
        onChange(listener);
      }),
  };
}

interface Part {
  current(): Partial<RenewableKeys>;
  onChange(listener: (renewed: Partial<RenewableKeys>) => void): void;
}

const part = <Value>(
  followed: FollowedFiles<Value> | undefined,
  keysOf: (value: Value) => Partial<RenewableKeys>,
): Part => ({
  current: () => (followed ? keysOf(followed.value) : {}),
  onChange: (listener) => followed?.onChange((value) => listener(keysOf(value))),
});

/** The file of the certificate also contains the CA certificate, as upstream's does. */
async function selfSigned(ctx: Context, names: ServingNames): Promise<CertificateAndKey> {
  const authority = await createAuthority(ctx, `${SUBJECT}-ca`, SELF_SIGNED_DAYS);
  const issued = await issue(ctx, authority, {
    commonName: SUBJECT,
    usage: 'server',
    days: SELF_SIGNED_DAYS,
    ...names,
  });
  return { certificate: issued.certificate + authority.certificate, key: issued.key };
}

const SUBJECT = 'kube-apiserver';
const SELF_SIGNED_DAYS = 365;

const publicKeyOf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();

async function followKeyPair(
  ctx: Context,
  values: KeyFlags,
  certificateFlag: 'kubelet-client-certificate' | 'proxy-client-cert-file',
  keyFlag: 'kubelet-client-key' | 'proxy-client-key-file',
): Promise<FollowedFiles<CertificateAndKey> | undefined> {
  const [certificateFile, keyFile] = [values[certificateFlag], values[keyFlag]];
  if (!certificateFile && !keyFile) return undefined;
  if (!certificateFile || !keyFile) throw new UsageError(`--${certificateFlag} and --${keyFlag} must be set together`);
  return followFiles(ctx, {
    name: certificateFlag,
    files: [certificateFile, keyFile],
    parse: ([certificate = '', key = '']) => {
      checkCertificateAndKey({ certificate, key });
      return { certificate, key };
    },
  });
}

async function followBundle(
  ctx: Context,
  name: string,
  file: string | undefined,
): Promise<FollowedFiles<string> | undefined> {
  if (!file) return undefined;
  return followFiles(ctx, {
    name,
    files: [file],
    parse: ([text = '']) => {
      if (certificatesOfPem(text).length === 0) throw new Error(`missing content for CA bundle "${name}::${file}"`);
      return withNewline(text);
    },
  });
}

async function readPem(file: string | undefined): Promise<string | undefined> {
  return file ? withNewline(await fs.readFile(file, 'utf8')) : undefined;
}

const withNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
