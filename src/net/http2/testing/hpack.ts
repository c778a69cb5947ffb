/** Header blocks as a client writes them, for tests. */
import { encodeHuffman } from './huffman.ts';

export function integer(flags: number, prefixBits: number, value: number): Buffer {
  const most = 2 ** prefixBits - 1;
  if (value < most) return Buffer.from([flags | value]);
  const bytes = [flags | most];
  let left = value - most;
  for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) | 0x80);
  return Buffer.from([...bytes, left]);
}

export function text(value: string, { huffman = false } = {}): Buffer {
  const bytes = huffman ? encodeHuffman(value) : Buffer.from(value, 'latin1');
  return Buffer.concat([integer(huffman ? 0x80 : 0, 7, bytes.length), bytes]);
}

export const indexed = (index: number): Buffer => integer(0x80, 7, index);
export const resized = (bytes: number): Buffer => integer(0x20, 5, bytes);
/** A field with a name of its own. */
export const kept = (name: string, value: string): Buffer =>
  Buffer.concat([integer(0x40, 6, 0), text(name), text(value)]);
export const notKept = (name: string, value: string): Buffer =>
  Buffer.concat([integer(0x00, 4, 0), text(name), text(value)]);
export const neverKept = (name: string, value: string): Buffer =>
  Buffer.concat([integer(0x10, 4, 0), text(name), text(value)]);

export const blockOf = (fields: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(fields.map(([name, value]) => notKept(name, value)));
