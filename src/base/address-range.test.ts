import { describe, expect, test } from 'vitest';
import { AddressRange } from './address-range.ts';
import { addressBytes, addressText } from './ip.ts';

describe('addresses as bytes', () => {
  test.each([
    ['127.0.0.1', '7f000001', '127.0.0.1'],
    ['::', '00000000000000000000000000000000', '::'],
    ['::1', '00000000000000000000000000000001', '::1'],
    ['fd00:0:0:1::5', 'fd000000000000010000000000000005', 'fd00:0:0:1::5'],
    ['2001:db8:0:1:1:1:1:1', '20010db8000000010001000100010001', '2001:db8:0:1:1:1:1:1'],
    ['::ffff:10.0.0.1', '00000000000000000000ffff0a000001', '::ffff:a00:1'],
    ['FE80::1:0:0:1', 'fe800000000000000001000000000001', 'fe80::1:0:0:1'],
  ])('%s', (text, bytes, canonical) => {
    expect(addressBytes(text).toString('hex')).toBe(bytes);
    expect(addressText(Buffer.from(bytes, 'hex'))).toBe(canonical);
  });

  test.each(['', 'localhost', '1.2.3', '1.2.3.4/24', 'fe80::1%eth0'])('%j is no address', (text) => {
    expect(() => addressBytes(text)).toThrow('is not an IP address');
  });
});

describe('address ranges', () => {
  test('addresses by number, and back', () => {
    const range = AddressRange.parse('10.1.255.9/23');
    expect(range.toString()).toBe('10.1.254.0/23');
    expect(range.at(257)).toBe('10.1.255.1');
    expect(range.offsetOf('10.1.255.1')).toBe(257n);
    expect(range.offsetOf('10.2.0.0')).toBeUndefined();
    expect(range.offsetOf('::1')).toBeUndefined();
    expect(() => range.at(512)).toThrow('10.1.254.0/23 has no address number 512');
  });

  test.each([
    ['10.0.0.0/8', '10.244.0.0/16', true],
    ['10.244.0.0/16', '10.0.0.0/8', true],
    ['10.0.0.0/16', '10.1.0.0/16', false],
    ['0.0.0.0/0', '255.255.255.255/32', true],
    ['fd00::/64', 'fd00::1:0:0:0:0/64', false],
    ['::/0', '10.0.0.0/8', false],
  ])('%s and %s overlap: %s', (one, other, overlap) => {
    expect(AddressRange.parse(one).overlaps(AddressRange.parse(other))).toBe(overlap);
  });

  test('parts', () => {
    expect(AddressRange.parse('10.244.0.0/16').part(255, 24).toString()).toBe('10.244.255.0/24');
    expect(AddressRange.parse('fd00:1::/56').part(3, 64).toString()).toBe('fd00:1:0:3::/64');
    expect(() => AddressRange.parse('10.244.0.0/16').part(256, 24)).toThrow('has no /24 number 256');
  });

  test.each(['10.0.0.0', '10.0.0.0/33', 'x/8', '10.0.0.0/8/8', '::/129', '1.1.1.1/-1'])('%j is no range', (text) => {
    expect(() => AddressRange.parse(text)).toThrow('is not an address range');
  });
});
