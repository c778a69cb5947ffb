import { describe, expect, it } from 'vitest';
import { addressBytes, addressText, decodeVarint, encodeVarint, formatDuration, parseDuration } from './index.ts';

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['300ms', 300],
    ['1h0m0s', 3_600_000],
    ['1.5s', 1500],
    ['.5s', 500],
    ['-1m', -60_000],
    ['+1m', 60_000],
    ['1µs', 0.001],
    ['1μs', 0.001],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    ['5', 'time: missing unit in duration "5"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['', 'time: invalid duration ""'],
    ['.s', 'time: invalid duration ".s"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
  ])('%s is invalid', (text, message) => {
    expect(() => parseDuration(text)).toThrow(message);
  });

  it.each([
    [0, '0s'],
    [15_000, '15s'],
    [300, '300ms'],
    [5_400_000, '1h30m0s'],
  ])('of %d ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe('an address as bytes', () => {
  it.each([
    ['10.0.0.1', '0a000001', '10.0.0.1'],
    ['::1', '00000000000000000000000000000001', '::1'],
    ['::ffff:1.2.3.4', '00000000000000000000ffff01020304', '::ffff:102:304'],
    ['2001:DB8:0:0:1::', '20010db8000000000001000000000000', '2001:db8:0:0:1::'],
  ])('%s', (text, hex, canonical) => {
    expect(addressBytes(text).toString('hex')).toBe(hex);
    expect(addressText(Buffer.from(hex, 'hex'))).toBe(canonical);
  });

  it.each(['', '1.2.3', '010.0.0.1', 'fe80::1%eth0', 'localhost'])('%j is invalid', (text) => {
    expect(() => addressBytes(text)).toThrow('is not an IP address');
  });
});

describe('a varint', () => {
  it.each([0, 1, 127, 128, 300, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER])('%d survives a round trip', (value) => {
    const bytes = encodeVarint(value);
    expect(decodeVarint(Buffer.concat([Buffer.from([9]), bytes]), 1)).toEqual({ value, next: bytes.length + 1 });
  });

  it.each([
    ['an early end', [0x80]],
    ['more than ten bytes', Array<number>(11).fill(0x80)],
  ])('refuses %s', (_name, bytes) => {
    expect(decodeVarint(Uint8Array.from(bytes), 0)).toBeUndefined();
  });
});
