/** Reads the keys and certificates that the flags name, and generates the others. */
import { createPublicKey } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../../flags/index.ts';
import { type Context, makeDirectory } from '../../kernel/index.ts';
import { createAuthority, issue, type KeyPair } from '../pki/certificates.ts';
import { openPki, type ServerKeys, type ServingNames } from '../pki/files.ts';
import type { ApiServerFlagValues } from './flags.ts';

export async function serverKeys(ctx: Context, values: ApiServerFlagValues, names: ServingNames): Promise<ServerKeys> {
  const [serving, kubeletClient, frontProxyClient, clientCa, frontProxyCa, signingKey] = await Promise.all([
    readKeyPair(values, 'tls-cert-file', 'tls-private-key-file'),
    readKeyPair(values, 'kubelet-client-certificate', 'kubelet-client-key'),
    readKeyPair(values, 'proxy-client-cert-file', 'proxy-client-key-file'),
    readPem(values['client-ca-file']),
    readPem(values['requestheader-client-ca-file']),
    readPem(values['service-account-signing-key-file']),
  ]);
  const generated = await openPki(ctx, undefined, names);
  return {
    ca: clientCa === undefined ? generated.ca : { certificate: clientCa },
    frontProxyCa: frontProxyCa === undefined ? generated.frontProxyCa : { certificate: frontProxyCa },
    apiserver: serving ?? (await certDirKeyPair(ctx, values['cert-dir'], names)),
    kubeletClient: kubeletClient ?? generated.kubeletClient,
    frontProxyClient: frontProxyClient ?? generated.frontProxyClient,
    serviceAccount:
      signingKey === undefined
        ? generated.serviceAccount
        : { privateKey: signingKey, publicKey: publicKeyOf(signingKey) },
  };
}

const PAIR_NAME = 'apiserver';

/**
 * The key pair in --cert-dir. If it does not exist, it is generated and written there; the certificate file also contains
 * the CA certificate, as upstream's does.
 */
async function certDirKeyPair(ctx: Context, directory: string, names: ServingNames): Promise<KeyPair> {
  const files = {
    certificate: path.join(directory, `${PAIR_NAME}.crt`),
    key: path.join(directory, `${PAIR_NAME}.key`),
  };
  const [certificate, key] = await Promise.all([readIfExists(files.certificate), readIfExists(files.key)]);
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate !== undefined || key !== undefined) {
    const missing = certificate === undefined ? files.certificate : files.key;
    throw new UsageError(`error reading ${missing}, certificate and key must be supplied as a pair`);
  }
  const authority = await createAuthority(ctx, `${SUBJECT}-ca`, SELF_SIGNED_DAYS);
  const issued = await issue(ctx, authority, {
    commonName: SUBJECT,
    usage: 'server',
    days: SELF_SIGNED_DAYS,
    ...names,
  });
  const generated = { certificate: issued.certificate + authority.certificate, key: issued.key };
  await makeDirectory(directory, { mode: 0o755 });
  // The flag wx: do not overwrite a file that another process has just written.
  await fs.writeFile(files.key, generated.key, { mode: 0o600, flag: 'wx' });
  await fs.writeFile(files.certificate, generated.certificate, { mode: 0o644, flag: 'wx' });
  return generated;
}

const SUBJECT = 'kube-apiserver';
const SELF_SIGNED_DAYS = 365;

const readIfExists = (file: string): Promise<string | undefined> => fs.readFile(file, 'utf8').catch(() => undefined);

const publicKeyOf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();

type FileFlag =
  | 'tls-cert-file'
  | 'tls-private-key-file'
  | 'kubelet-client-certificate'
  | 'kubelet-client-key'
  | 'proxy-client-cert-file'
  | 'proxy-client-key-file';

async function readKeyPair(
  values: ApiServerFlagValues,
  certificateFlag: FileFlag,
  keyFlag: FileFlag,
): Promise<KeyPair | undefined> {
  const [certificate, key] = await Promise.all([readPem(values[certificateFlag]), readPem(values[keyFlag])]);
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate !== undefined || key !== undefined)
    throw new UsageError(`--${certificateFlag} and --${keyFlag} must be set together`);
  return undefined;
}

async function readPem(file: string | undefined): Promise<string | undefined> {
  if (file === undefined || file === '') return undefined;
  const text = await fs.readFile(file, 'utf8');
  return text.endsWith('\n') ? text : `${text}\n`;
}
