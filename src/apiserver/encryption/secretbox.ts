/**
 * The secretbox provider: NaCl's secretbox (XSalsa20 and Poly1305), in upstream's storage format:
 *
 *   stored = nonce(24) ‖ tag(16) ‖ ciphertext
 */
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import type { Random } from '../../kernel/index.ts';
import type { Provider } from './provider.ts';

const NONCE = 24;
const TAG = 16;

export function secretboxProvider(random: Pick<Random, 'bytes'>, name: string, key: Buffer): Provider {
  return {
    prefix: `k8s:enc:secretbox:v1:${name}:`,
    encrypt: (value) => sealSecretbox(key, Buffer.from(random.bytes(NONCE)), value),
    decrypt: (value) => openSecretbox(key, value),
  };
}

export function sealSecretbox(key: Buffer, nonce: Buffer, message: Buffer): Buffer {
  return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(message)]);
}

export function openSecretbox(key: Buffer, value: Buffer): Buffer {
  if (value.length < NONCE + TAG) throw new Error('the stored data was shorter than the required size');
  const cipher = xsalsa20poly1305(key, value.subarray(0, NONCE));
  let message: Uint8Array;
  try {
    message = cipher.decrypt(value.subarray(NONCE));
  } catch (error) {
    throw new Error('the stored data was not sealed with this key', { cause: error });
  }
  return Buffer.from(message.buffer, message.byteOffset, message.byteLength);
}
