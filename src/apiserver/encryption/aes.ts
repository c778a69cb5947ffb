/** The aesgcm and aescbc providers. GCM also authenticates the storage key of the value. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '../../kernel/index.ts';
import type { Provider } from './provider.ts';

const NONCE = 12;
const TAG = 16;
const BLOCK = 16;

type Bytes = Pick<Random, 'bytes'>;

export function aesGcmProvider(random: Bytes, name: string, key: Buffer): Provider {
  return {
    prefix: `k8s:enc:aesgcm:v1:${name}:`,
    encrypt: (value, storageKey) => sealGcm(key, Buffer.from(random.bytes(NONCE)), value, storageKey),
    decrypt: (value, storageKey) => openGcm(key, value, storageKey),
  };
}

/** Returns nonce, ciphertext and tag; the storage key is additional authenticated data. */
export function sealGcm(key: Buffer, nonce: Buffer, value: Buffer, storageKey: string): Buffer {
  const cipher = createCipheriv(gcmName(key), key, nonce) as import('node:crypto').CipherGCM;
  cipher.setAAD(Buffer.from(storageKey, 'latin1'));
  return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
}

export function openGcm(key: Buffer, value: Buffer, storageKey: string): Buffer {
  if (value.length < NONCE + TAG) throw new Error('the stored data was shorter than the required size');
  const decipher = createDecipheriv(gcmName(key), key, value.subarray(0, NONCE), {
    authTagLength: TAG,
  } as never) as import('node:crypto').DecipherGCM;
  decipher.setAAD(Buffer.from(storageKey, 'latin1'));
  decipher.setAuthTag(value.subarray(value.length - TAG));
  return Buffer.concat([decipher.update(value.subarray(NONCE, value.length - TAG)), decipher.final()]);
}

const gcmName = (key: Buffer): 'aes-256-gcm' => `aes-${key.length * 8}-gcm` as 'aes-256-gcm';

export function aesCbcProvider(random: Bytes, name: string, key: Buffer): Provider {
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    prefix: `k8s:enc:aescbc:v1:${name}:`,
    encrypt(value) {
      const iv = Buffer.from(random.bytes(BLOCK));
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(value), cipher.final()]);
    },
    decrypt(value) {
      if (value.length < 2 * BLOCK || value.length % BLOCK !== 0)
        throw new Error('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(algorithm, key, value.subarray(0, BLOCK));
      return Buffer.concat([decipher.update(value.subarray(BLOCK)), decipher.final()]);
    },
  };
}
