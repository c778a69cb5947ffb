import { describe, expect, it } from 'vitest';
import { cidrContains, formatIp, parseCidr, parseIp } from '../../base/index.ts';
import { path, type FieldError } from '../errors/field-error.ts';
import {
  checkCidr,
  checkInterfaceAddress,
  checkIp,
  checkLegacyCidr,
  checkLegacyIp,
  cidrWarnings,
  ipWarnings,
  validateNonSpecialIp,
} from './ip.ts';

const AT = path('at');

const collect = (check: (errors: FieldError[]) => void): string[] => {
  const errors: FieldError[] = [];
  check(errors);
  return errors.map(String);
};

describe('addresses', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.0.0.1', '10.0.0.1'],
    ['::', '::'],
    ['::1', '::1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ])('%s is %s', (text, canonical) => {
    const ip = parseIp(text);
    expect(ip && formatIp(ip)).toBe(canonical);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4.5',
    ':',
    ':::',
    '1:2:3',
    '1::2::3',
    'fe80::1%eth0',
    '1.2.3.4:80',
    '12345::',
    '::1.2.3',
    '1:2:3:4:5:6:7::8',
  ])('%j is no address', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });

  it.each([
    ['a stored address may be sloppy', (e: FieldError[]) => checkLegacyIp(e, '010.0.0.1', AT, { strict: false }), []],
    [
      'a new one may not',
      (e: FieldError[]) => checkLegacyIp(e, '010.0.0.1', AT),
      ['at: Invalid value: "010.0.0.1": must not have leading 0s'],
    ],
    [
      'nor be IPv4 in IPv6',
      (e: FieldError[]) => checkLegacyIp(e, '::ffff:1.2.3.4', AT),
      ['at: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address'],
    ],
    [
      'no address at all',
      (e: FieldError[]) => checkLegacyIp(e, 'x', AT),
      ['at: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    ],
    [
      'new fields take only the canonical form',
      (e: FieldError[]) => checkIp(e, '2001:0db8::1', AT),
      ['at: Invalid value: "2001:0db8::1": must be in canonical form ("2001:db8::1")'],
    ],
    ['a block', (e: FieldError[]) => checkLegacyCidr(e, '10.0.0.0/8', AT), []],
    [
      'a block with bits beyond its prefix',
      (e: FieldError[]) => checkLegacyCidr(e, '10.0.0.1/8', AT),
      ['at: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length'],
    ],
    [
      'a block with a padded prefix',
      (e: FieldError[]) => checkLegacyCidr(e, '10.0.0.0/08', AT),
      ['at: Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length'],
    ],
    [
      'no block',
      (e: FieldError[]) => checkCidr(e, '10.0.0.0/33', AT),
      ['at: Invalid value: "10.0.0.0/33": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    ],
    [
      'a block in another form',
      (e: FieldError[]) => checkCidr(e, '2001:DB8::/32', AT),
      ['at: Invalid value: "2001:DB8::/32": must be in canonical form ("2001:db8::/32")'],
    ],
    ['an address of an interface', (e: FieldError[]) => checkInterfaceAddress(e, '10.0.0.7/24', AT), []],
    [
      'an interface without a length',
      (e: FieldError[]) => checkInterfaceAddress(e, '10.0.0.7', AT),
      ['at: Invalid value: "10.0.0.7": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'],
    ],
    ['a public address', (e: FieldError[]) => validateNonSpecialIp(e, '8.8.8.8', AT), []],
    [
      'the unspecified address',
      (e: FieldError[]) => validateNonSpecialIp(e, '::', AT),
      ['at: Invalid value: "::": may not be unspecified (::)'],
    ],
    [
      'loopback',
      (e: FieldError[]) => validateNonSpecialIp(e, '::1', AT),
      ['at: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ],
    [
      'link-local',
      (e: FieldError[]) => validateNonSpecialIp(e, 'fe80::1', AT),
      ['at: Invalid value: "fe80::1": may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    ],
    [
      'link-local multicast',
      (e: FieldError[]) => validateNonSpecialIp(e, 'ff02::1', AT),
      ['at: Invalid value: "ff02::1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
    ],
  ] as const)('%s', (_, check, messages) => {
    expect(collect(check)).toEqual(messages);
  });

  it.each([
    ['10.0.0.0/8', '10.200.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['fd00::/8', 'fdff::1', true],
    ['fd00::/8', '10.0.0.1', false],
  ])('%s holds %s: %s', (cidr, ip, inside) => {
    expect(cidrContains(parseCidr(cidr)!, parseIp(ip)!)).toBe(inside);
  });

  it.each([
    ['a good address', ipWarnings('10.0.0.1', AT), []],
    ['zeros', ipWarnings('10.0.0.01', AT), ['at: non-standard IP address "10.0.0.01" is invalid: use "10.0.0.1"']],
    [
      'a long IPv6 address',
      ipWarnings('2001:db8:0::1', AT),
      ['at: IPv6 address "2001:db8:0::1" should be in RFC 5952 canonical format ("2001:db8::1")'],
    ],
    [
      'an ambiguous block',
      cidrWarnings('10.1.2.3/24', AT),
      ['at: CIDR value "10.1.2.3/24" is ambiguous in this context (should be "10.1.2.0/24" or "10.1.2.3/32"?)'],
    ],
    [
      'a long IPv6 block',
      cidrWarnings('2001:0db8::/64', AT),
      ['at: IPv6 CIDR value "2001:0db8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")'],
    ],
  ])('warns of %s', (_, warnings, expected) => {
    expect(warnings).toEqual(expected);
  });
});
