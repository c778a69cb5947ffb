/** The other way round than `huffman.ts`, for tests: this server's own headers go out as they are. */
import { CODE_LENGTHS } from '../huffman.ts';

/** A code as zeros and ones for each byte: canonical, so counted up by length, then byte. */
export const CODES: readonly string[] = (() => {
  const codes: string[] = [];
  let next = 0n;
  let before = 0;
  for (const { byte, length } of CODE_LENGTHS.map((length, byte) => ({ byte, length })).sort(
    (a, b) => a.length - b.length || a.byte - b.byte,
  )) {
    next <<= BigInt(length - before);
    before = length;
    codes[byte] = next.toString(2).padStart(length, '0');
    next++;
  }
  return codes;
})();

export const bitsOf = (bytes: Buffer): string => Array.from(bytes, (byte) => CODES[byte]!).join('');

/** `fill` is what makes the last byte whole. */
export function bytesOf(bits: string, fill = '1'): Buffer {
  const whole = bits.padEnd(Math.ceil(bits.length / 8) * 8, fill);
  return Buffer.from(Array.from({ length: whole.length / 8 }, (_, i) => parseInt(whole.slice(8 * i, 8 * i + 8), 2)));
}

export const encodeHuffman = (text: string): Buffer => bytesOf(bitsOf(Buffer.from(text, 'latin1')));
