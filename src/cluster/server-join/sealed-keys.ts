/**
 * The keys of a cluster for a machine that becomes another server of it, sealed: AES-256-GCM under a key that only the
 * printed join line has. Whoever reads the Secret without that line has nothing.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { isRecord } from '../../base/index.ts';
import type { Random } from '../../kernel/index.ts';
import type { SharedOptions } from '../cluster-options.ts';

export interface ServerKeys {
  /** Below `pki` in the data directory, as text. */
  readonly files: Readonly<Record<string, string>>;
  readonly options: SharedOptions;
  /** The etcd that the servers run, or the one that exists elsewhere. */
  readonly etcd:
    | { readonly kind: 'managed'; readonly port: number; readonly endpoints: readonly string[] }
    | { readonly kind: 'external'; readonly endpoints: readonly string[] };
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export class SealedKeysError extends Error {
  override readonly name = 'SealedKeysError';
  readonly code = 'sealed-keys';
}

/** 64 hexadecimal digits, as kubeadm's certificate key. */
export const newCertificateKey = (random: Random): string => Buffer.from(random.bytes(KEY_BYTES)).toString('hex');

export const isCertificateKey = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** `context` is bound to what is sealed: what was sealed for one purpose is not opened for another. */
export function seal(random: Random, value: object, key: Buffer, context: string): Buffer {
  const nonce = Buffer.from(random.bytes(NONCE_BYTES));
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Throws for another key or context, and for what was changed. */
export function unseal(sealed: Buffer, key: Buffer, context: string): unknown {
  const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const content = sealed.subarray(NONCE_BYTES + TAG_BYTES);
  return JSON.parse(Buffer.concat([decipher.update(content), decipher.final()]).toString());
}

/** For one token alone. */
export const sealKeys = (random: Random, keys: ServerKeys, certificateKey: string, context: string): Buffer =>
  seal(random, keys, Buffer.from(certificateKey, 'hex'), context);

export function openKeys(sealed: Buffer, certificateKey: string, context: string): ServerKeys {
  let keys: unknown;
  try {
    keys = unseal(sealed, Buffer.from(certificateKey, 'hex'), context);
  } catch (cause) {
    throw new SealedKeysError('--certificate-key does not open the keys of the cluster: it is not that of this token', {
      cause,
    });
  }
  if (!isRecord(keys) || !isRecord(keys['files'])) throw new SealedKeysError('the keys of the cluster are incomplete');
  for (const name of Object.keys(keys['files']))
    if (!/^(?:next\/)?(?:etcd\/)?[\w-][\w.-]*$/.test(name)) throw new SealedKeysError(`unexpected key file ${name}`);
  return keys as unknown as ServerKeys;
}
