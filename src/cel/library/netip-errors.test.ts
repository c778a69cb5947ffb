import { describe, expect, it } from 'vitest';
import { parseIp } from '../../base/index.ts';
import { parseAddrError, parsePrefixError } from './netip-errors.ts';

describe('invalid addresses', () => {
  it.each([
    ['', 'unable to parse IP'],
    ['abc', 'unable to parse IP'],
    ['%eth0', 'missing IPv6 address'],
    ['1.2.3', 'IPv4 address too short'],
    ['1.2.3.4.5', 'IPv4 address too long'],
    ['1.2.3.256', 'IPv4 field has value >255'],
    ['1.2.3.04', 'IPv4 field has octet with leading zero'],
    ['1..3.4', 'IPv4 field must have at least one digit (at ".3.4")'],
    ['1.2.3.', 'IPv4 field must have at least one digit (at ".")'],
    ['1.2.x.4', 'unexpected character (at "x.4")'],
    ['fe80::1%', 'zone must be a non-empty string'],
    ['12345::', 'each group must have 4 or less digits (at "12345::")'],
    ['1:2:3', 'address string too short'],
    ['1::2::3', 'multiple :: in address (at ":3")'],
    ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
    ['1:2:3:4:5:6:7::8', 'the :: must expand to at least one field of zeros'],
    ['::g', 'each colon-separated field must have at least one digit (at "g")'],
    ['1:', 'colon must be followed by more characters (at ":")'],
    ['1x::', 'unexpected character, want colon (at "x::")'],
    ['1:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'],
  ])('%j', (text, message) => {
    expect(parseAddrError(text)).toBe(`ParseAddr(${JSON.stringify(text)}): ${message}`);
  });
});

describe('invalid prefixes', () => {
  it.each([
    ['1.2.3.4', "no '/'"],
    ['1.2.3.4/40', 'prefix length out of range'],
    ['1.2.3.4/x', 'bad bits after slash: "x"'],
    ['1.2.3.4/08', 'bad bits after slash: "08"'],
    ['1.2.3.4/', 'bad bits after slash: ""'],
    ['1.2.3/8', 'ParseAddr("1.2.3"): IPv4 address too short'],
    ['fe80::1%a/8', 'IPv6 zones cannot be present in a prefix'],
  ])('%j', (text, message) => {
    expect(parsePrefixError(text, (address) => parseIp(address) !== undefined)).toBe(
      `netip.ParsePrefix(${JSON.stringify(text)}): ${message}`,
    );
  });
});
