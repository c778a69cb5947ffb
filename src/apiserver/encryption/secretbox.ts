/**
 * NaCl's secretbox: XSalsa20 and Poly1305.
 *
 *   subkey = HSalsa20(key, nonce[0..16])      stream = Salsa20(subkey, nonce[16..24])
 *   stored = nonce(24) ‖ Poly1305(stream[0..32], ciphertext)(16) ‖ message xor stream[32..]
 */
import { timingSafeEqual } from 'node:crypto';
import type { Random } from '../../kernel/index.ts';
import { poly1305 } from './poly1305.ts';
import type { Provider } from './provider.ts';

const NONCE = 24;
const TAG = 16;
/** The first bytes of the stream are the authenticator's key. */
const AUTHENTICATOR_KEY = 32;

export function secretboxProvider(random: Pick<Random, 'bytes'>, name: string, key: Buffer): Provider {
  return {
    prefix: `k8s:enc:secretbox:v1:${name}:`,
    encrypt: (value) => sealSecretbox(key, Buffer.from(random.bytes(NONCE)), value),
    decrypt: (value) => openSecretbox(key, value),
  };
}

export function sealSecretbox(key: Buffer, nonce: Buffer, message: Buffer): Buffer {
  const stream = xsalsa20(key, nonce, AUTHENTICATOR_KEY + message.length);
  const sealed = xor(message, stream);
  return Buffer.concat([nonce, poly1305(stream.subarray(0, AUTHENTICATOR_KEY), sealed), sealed]);
}

export function openSecretbox(key: Buffer, value: Buffer): Buffer {
  if (value.length < NONCE + TAG) throw new Error('the stored data was shorter than the required size');
  const sealed = value.subarray(NONCE + TAG);
  const stream = xsalsa20(key, value.subarray(0, NONCE), AUTHENTICATOR_KEY + sealed.length);
  if (!timingSafeEqual(poly1305(stream.subarray(0, AUTHENTICATOR_KEY), sealed), value.subarray(NONCE, NONCE + TAG))) {
    throw new Error('the stored data was not sealed with this key');
  }
  return xor(sealed, stream);
}

function xor(message: Buffer, stream: Buffer): Buffer {
  const result = Buffer.allocUnsafe(message.length);
  for (let i = 0; i < message.length; i++) result[i] = message[i]! ^ stream[AUTHENTICATOR_KEY + i]!;
  return result;
}

function xsalsa20(key: Buffer, nonce: Buffer, length: number): Buffer {
  const subkey = Buffer.allocUnsafe(32);
  const mixed = doubleRounds(salsaState(key, nonce.subarray(0, 16)));
  for (const [i, word] of [0, 5, 10, 15, 6, 7, 8, 9].entries()) subkey.writeUInt32LE(mixed[word]!, i * 4);
  const stream = Buffer.allocUnsafe(Math.ceil(length / 64) * 64);
  const input = Buffer.alloc(16);
  nonce.copy(input, 0, 16, 24);
  for (let block = 0; block * 64 < length; block++) {
    input.writeUInt32LE(block, 8);
    const state = salsaState(subkey, input);
    const rounds = doubleRounds(state);
    for (let i = 0; i < 16; i++) stream.writeUInt32LE((rounds[i]! + state[i]!) >>> 0, block * 64 + i * 4);
  }
  return stream.subarray(0, length);
}

/** "expand 32-byte k" on the diagonal, the key around it, sixteen bytes of input in the middle. */
function salsaState(key: Buffer, input: Buffer): Uint32Array {
  const word = (bytes: Buffer, i: number): number => bytes.readUInt32LE(i * 4);
  const state = new Uint32Array(16);
  for (const [i, constant] of [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574].entries()) state[i * 5] = constant;
  for (let i = 0; i < 4; i++) {
    state[1 + i] = word(key, i);
    state[6 + i] = word(input, i);
    state[11 + i] = word(key, 4 + i);
  }
  return state;
}

/** Which words each quarter round mixes: down the columns, then along the rows. */
const QUARTERS = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

function doubleRounds(state: Uint32Array): Uint32Array {
  const x = Uint32Array.from(state);
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of QUARTERS) {
      x[b] = x[b]! ^ rotate(x[a]! + x[d]!, 7);
      x[c] = x[c]! ^ rotate(x[b]! + x[a]!, 9);
      x[d] = x[d]! ^ rotate(x[c]! + x[b]!, 13);
      x[a] = x[a]! ^ rotate(x[d]! + x[c]!, 18);
    }
  }
  return x;
}

const rotate = (value: number, bits: number): number => (value << bits) | ((value >>> 0) >>> (32 - bits));
