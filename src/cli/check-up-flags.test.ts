import { describe, expect, it } from 'vitest';
import { checkUpFlags, type CheckedFlags } from './check-up-flags.ts';

const GOOD: CheckedFlags = {
  port: 6443,
  nodes: undefined,
  'simulated-nodes': 0,
  'bind-address': '127.0.0.1',
  'data-dir': undefined,
  'service-cluster-ip-range': '10.96.0.0/16',
  'cluster-cidr': '10.244.0.0/16',
  'snapshot-interval': 0,
  'snapshot-retention': 5,
};

describe('values of k8ts up', () => {
  it.each<[string, Partial<CheckedFlags>]>([
    ['the defaults', {}],
    ['any port', { port: 0 }],
    [
      'both families',
      { 'service-cluster-ip-range': '10.96.0.0/16,fd00::/108', 'cluster-cidr': '10.244.0.0/16,fd01::/48' },
    ],
    ['all addresses', { 'bind-address': '::' }],
    ['a name that every machine has', { 'bind-address': 'localhost' }],
  ])('accepts %s', (_, values) => expect(() => checkUpFlags({ ...GOOD, ...values })).not.toThrow());

  it.each<[string, Partial<CheckedFlags>, string]>([
    ['a port beyond all ports', { port: 99_999 }, 'invalid port 99999'],
    ['nodes below none', { nodes: -1 }, 'fewer than 0 nodes'],
    ['a name as address', { 'bind-address': 'nonsense' }, '--bind-address "nonsense" is not an address'],
    ['a directory without a name', { 'data-dir': '' }, '--data-dir is empty'],
    [
      'an address instead of a range',
      { 'cluster-cidr': '10.244.0.0' },
      '--cluster-cidr "10.244.0.0" is not a range of addresses',
    ],
    ['a range that is too small', { 'service-cluster-ip-range': '10.96.0.0/30' }, 'must have at least 8 addresses'],
  ])('refuses %s', (_, values, message) => expect(() => checkUpFlags({ ...GOOD, ...values })).toThrow(message));
});
