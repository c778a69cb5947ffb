/** The server's keys and certificates from the files that flags name; what they do not name is made. */
import { createPublicKey } from 'node:crypto';
import fs from 'node:fs/promises';
import { UsageError, type Context } from '../../kernel/index.ts';
import type { KeyPair } from '../pki/certificates.ts';
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
  // A serving certificate that nobody gave must be found by clients, so it is kept; the rest only has to exist.
  const made = await openPki(ctx, serving ? undefined : values['cert-dir'], names);
  return {
    ca: clientCa === undefined ? made.ca : { certificate: clientCa },
    frontProxyCa: frontProxyCa === undefined ? made.frontProxyCa : { certificate: frontProxyCa },
    apiserver: serving ?? made.apiserver,
    kubeletClient: kubeletClient ?? made.kubeletClient,
    frontProxyClient: frontProxyClient ?? made.frontProxyClient,
    serviceAccount: signingKey === undefined ? made.serviceAccount : { privateKey: signingKey, publicKey: publicKeyOf(signingKey) },
  };
}

const publicKeyOf = (privateKey: string): string => createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();

type FileFlag = 'tls-cert-file' | 'tls-private-key-file' | 'kubelet-client-certificate' | 'kubelet-client-key' | 'proxy-client-cert-file' | 'proxy-client-key-file';

async function pairOf(values: ApiServerFlagValues, certificateFlag: FileFlag, keyFlag: FileFlag): Promise<KeyPair | undefined> {
  const [certificate, key] = await Promise.all([textOf(values[certificateFlag]), textOf(values[keyFlag])]);
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (certificate !== undefined || key !== undefined) throw new UsageError(`--${certificateFlag} and --${keyFlag} belong together`);
  return undefined;
}

async function textOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined || file === '') return undefined;
  const text = await fs.readFile(file, 'utf8');
  return text.endsWith('\n') ? text : `${text}\n`;
}
