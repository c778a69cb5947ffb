import { describe, expect, it } from 'vitest';
import { ClusterIpRange } from './cluster-ip-range.ts';

describe('a range of addresses', () => {
  it.each([
    { cidr: '10.96.0.0/16', size: 65534n, statics: 256n, first: '10.96.0.1', network: '10.96.0.0' },
    { cidr: '10.96.0.0/24', size: 254n, statics: 16n, first: '10.96.0.1', network: '10.96.0.0' },
    { cidr: '10.96.0.0/20', size: 4094n, statics: 256n, first: '10.96.0.1', network: '10.96.0.0' },
    { cidr: '10.96.0.248/29', size: 6n, statics: 0n, first: '10.96.0.249', network: '10.96.0.248' },
    { cidr: 'fd00:10:96::/112', size: 65535n, statics: 256n, first: 'fd00:10:96::1', network: 'fd00:10:96::' },
    { cidr: 'fd00:10:96::/48', size: 1n << 64n, statics: 256n, first: 'fd00:10:96::1', network: 'fd00:10:96::' },
  ])('$cidr', ({ cidr, size, statics, first, network }) => {
    const range = new ClusterIpRange(cidr);
    expect([range.size, range.staticSize, range.at(0n), range.networkAddress]).toEqual([size, statics, first, network]);
    expect(range.contains(first)).toBe(true);
    expect(range.contains(network)).toBe(false);
  });

  it.each([
    ['10.96.255.255', false],
    ['10.96.255.254', true],
    ['10.97.0.1', false],
    ['fd00::1', false],
    ['nonsense', false],
  ])('10.96.0.0/16 has %s: %s', (address, expected) => {
    expect(new ClusterIpRange('10.96.0.0/16').contains(address)).toBe(expected);
  });

  it('is invalid without an address', () => {
    expect(() => new ClusterIpRange('10.96/16')).toThrow('invalid CIDR');
  });
});
