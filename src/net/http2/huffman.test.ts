import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/seeded-random.ts';
import { CODE_LENGTHS, decodeHuffman } from './huffman.ts';
import { bitsOf, bytesOf, CODES, encodeHuffman } from './testing/huffman.ts';

const decode = (bytes: Buffer): string | undefined => decodeHuffman(bytes, 0, bytes.length);

describe('the code', () => {
  it('is complete, except for the end-of-string symbol', () => {
    expect(CODE_LENGTHS).toHaveLength(256);
    expect(CODE_LENGTHS.reduce((sum, length) => sum + 2 ** (30 - length), 0)).toBe(2 ** 30 - 1);
  });

  it.each([
    [0x00, 0x1ff8, 13],
    [0x01, 0x7fffd8, 23],
    [0x0a, 0x3ffffffc, 30],
    [0x16, 0x3ffffffe, 30],
    [0x20, 0x14, 6],
    [0x30, 0x0, 5],
    [0x41, 0x21, 6],
    [0x58, 0xfc, 8],
    [0x5c, 0x7fff0, 19],
    [0x61, 0x3, 5],
    [0x7a, 0x7b, 7],
    [0x7f, 0xffffffc, 28],
    [0x80, 0xfffe6, 20],
    [0xf9, 0xffffffe, 28],
    [0xff, 0x3ffffee, 26],
  ])('has the code of the RFC for byte %d', (byte, code, length) => {
    expect(CODES[byte]).toBe(code.toString(2).padStart(length, '0'));
  });
});

describe('decodeHuffman', () => {
  it.each([
    ['www.example.com', 'f1e3c2e5f23a6ba0ab90f4ff'],
    ['no-cache', 'a8eb10649cbf'],
    ['custom-value', '25a849e95bb8e8b4bf'],
    ['Mon, 21 Oct 2013 20:13:21 GMT', 'd07abe941054d444a8200595040b8166e082a62d1bff'],
    ['', ''],
  ])('reads %j', (text, hex) => {
    expect(decode(Buffer.from(hex, 'hex'))).toBe(text);
    expect(encodeHuffman(text).toString('hex')).toBe(hex);
  });

  it('reads every byte, at every place within a byte', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (let before = 0; before < 8; before++) {
        const text = `${'0'.repeat(before)}${String.fromCharCode(byte)}z`;
        expect(decode(encodeHuffman(text))).toBe(text);
      }
    }
  });

  it('decodes random input', () => {
    const random = new SeededRandom(7541);
    for (let i = 0; i < 300; i++) {
      const text = Array.from({ length: random.integer(60) }, () => String.fromCharCode(random.integer(256))).join('');
      expect(decode(encodeHuffman(text))).toBe(text);
    }
  });

  it('decodes only the given part', () => {
    const bytes = Buffer.concat([Buffer.from([0xff]), encodeHuffman('part'), Buffer.from([0x00])]);
    expect(decodeHuffman(bytes, 1, bytes.length - 1)).toBe('part');
  });

  it.each([
    ['a whole byte of ones', Buffer.concat([encodeHuffman('abc'), Buffer.from([0xff])])],
    ['nothing but a byte of ones', Buffer.from([0xff])],
    ['zeros at the end', bytesOf(bitsOf(Buffer.from('z')), '0')],
    ['the code for the end of a text', bytesOf('1'.repeat(30))],
    ['that code after a text', bytesOf(`${bitsOf(Buffer.from('abc'))}${'1'.repeat(30)}`)],
    ['that code, and then a text', bytesOf(`${'1'.repeat(30)}${bitsOf(Buffer.from('abc'))}`)],
    ['half a long code', bytesOf(CODES[0x0a]!.slice(0, 16))],
  ])('refuses %s', (_name, bytes) => {
    expect(decode(bytes)).toBeUndefined();
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7])('accepts %d one-bits as padding', (fill) => {
    // Codes of 5 and 8 bits make every number of bits up to a whole byte.
    const text = '0'.repeat(((8 - fill) * 5) % 8 || 8);
    const bits = bitsOf(Buffer.from(text));
    expect((8 - (bits.length % 8)) % 8).toBe(fill);
    expect(decode(bytesOf(bits))).toBe(text);
  });
});
