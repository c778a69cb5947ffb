/** The server's keys and certificates from the files that flags name; what they do not name is made. */
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
    pairOf(values, 'tls-cert-file', 'tls-private-key-file'),
    pairOf(values, 'kubelet-client-certificate', 'kubelet-client-key'),
    pairOf(values, 'proxy-client-cert-file', 'proxy-client-key-file'),
    textOf(values['client-ca-file']),
    textOf(values['requestheader-client-ca-file']),
    textOf(values['service-account-signing-key-file']),
  ]);
  const made = await openPki(ctx, undefined, names);
  return {
    ca: clientCa === undefined ? made.ca : { certificate: clientCa },
    frontProxyCa: frontProxyCa === undefined ? made.frontProxyCa : { certificate: frontProxyCa },
    apiserver: serving ?? (await keptPair(ctx, values['cert-dir'], names)),
    kubeletClient: kubeletClient ?? made.kubeletClient,
    frontProxyClient: frontProxyClient ?? made.frontProxyClient,
    serviceAccount:
      signingKey === undefined ? made.serviceAccount : { privateKey: signingKey, publicKey: publicKeyOf(signingKey) },
  };
}

const PAIR_NAME = 'apiserver';

/**
 * The certificate in `--cert-dir`: whatever is there is served, whoever made it. Without one a pair is made and kept,
 * for clients to find; as upstream does it, the file has the certificate's own authority behind it.
 */
async function keptPair(ctx: Context, directory: string, names: ServingNames): Promise<KeyPair> {
  const files = {
    certificate: path.join(directory, `${PAIR_NAME}.crt`),
    key: path.join(directory, `${PAIR_NAME}.key`),
  };
  const [certificate, key] = await Promise.all([readable(files.certificate), readable(files.key)]);
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
  const made = { certificate: issued.certificate + authority.certificate, key: issued.key };
  await makeDirectory(directory, { mode: 0o755 });
  // Never over a file that came to be there in the meantime.
  await fs.writeFile(files.key, made.key, { mode: 0o600, flag: 'wx' });
  await fs.writeFile(files.certificate, made.certificate, { mode: 0o644, flag: 'wx' });
  return made;
}

const SUBJECT = 'kube-apiserver';
const SELF_SIGNED_DAYS = 365;

const readable = (file: string): Promise<string | undefined> => fs.readFile(file, 'utf8').catch(() => undefined);

const publicKeyOf = (privateKey: string): string =>
  createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();

type FileFlag =
  | 'tls-cert-file'
  | 'tls-private-key-file'
  | 'kubelet-client-certificate'
  | 'kubelet-client-key'
  | 'proxy-client-cert-file'
  | 'proxy-client-key-file';

async function pairOf(
  values: ApiServerFlagValues,
  certificateFlag: FileFlag,
  keyFlag: FileFlag,
): Promise<KeyPair | undefined> {
  const [certificate, key] = await Promise.all([textOf(values[certificateFlag]), textOf(values[keyFlag])]);
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate !== undefined || key !== undefined)
    throw new UsageError(`--${certificateFlag} and --${keyFlag} belong together`);
  return undefined;
}

async function textOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined || file === '') return undefined;
  const text = await fs.readFile(file, 'utf8');
  return text.endsWith('\n') ? text : `${text}\n`;
}
