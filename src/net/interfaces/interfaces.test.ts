import os from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { fabricInterface, machineAddresses } from './index.ts';

const address = (text: string, more: object = {}): os.NetworkInterfaceInfo =>
  ({
    ...{ address: text, netmask: '', mac: '', internal: false, cidr: null },
    ...(text.includes(':') ? { family: 'IPv6', scopeid: 0 } : { family: 'IPv4' }),
    ...more,
  }) as os.NetworkInterfaceInfo;

afterEach(() => void vi.restoreAllMocks());

it.each<[string, Record<string, os.NetworkInterfaceInfo[]>, string | undefined, string[]]>([
  ['none', { lo: [address('127.0.0.1', { internal: true })] }, undefined, []],
  ['both families', { eth0: [address('192.0.2.7'), address('2001:db8::7')] }, undefined, ['192.0.2.7', '2001:db8::7']],
  ['the first of each', { eth0: [address('192.0.2.7')], eth1: [address('192.0.2.8')] }, undefined, ['192.0.2.7']],
  ['link-local', { eth0: [address('fe80::1', { scopeid: 2 }), address('2001:db8::7')] }, undefined, ['2001:db8::7']],
  [
    'one that is given',
    { eth0: [address('192.0.2.7'), address('2001:db8::7')] },
    '192.0.2.9',
    ['192.0.2.9', '2001:db8::7'],
  ],
  [
    'nodes of clusters on this machine',
    { [fabricInterface('abc')]: [address('10.64.0.1')], eth0: [address('192.0.2.7')] },
    undefined,
    ['192.0.2.7'],
  ],
])('addresses of the machine: %s', (_, interfaces, first, expected) => {
  vi.spyOn(os, 'networkInterfaces').mockReturnValue(interfaces);
  expect(machineAddresses(first)).toEqual(expected);
});
