import { describe, expect, it } from 'vitest';
import { planNetwork, vtepMac, type NetworkNode } from './plan-network.ts';
import { wireguardConfig } from './wireguard.ts';

const node = (name: string, addresses: readonly string[], podCidrs: readonly string[]): NetworkNode => ({
  name,
  addresses,
  podCidrs,
});
const SELF = node('self', ['10.0.0.1'], ['10.244.0.0/24']);
const LINK = { index: 2, address: '10.0.0.1', length: 24 };
const BLACKHOLE = { destination: '10.244.0.0/16', type: 'blackhole', metric: 0x4000_0000, protocol: 84 };
const NOT_ENCRYPTED = { destinations: [], peers: [], addresses: [] };
const plan = (nodes: readonly NetworkNode[], more: Partial<Parameters<typeof planNetwork>[0]> = {}) =>
  planNetwork({ self: 'self', nodes: [SELF, ...nodes], links: [LINK], clusterCidrs: ['10.244.0.0/16'], ...more });

describe('the routes of a machine', () => {
  it('lead to machines on the same link directly, and nowhere for what no node has', () => {
    expect(plan([node('a', ['10.0.0.2'], ['10.244.1.0/24'])])).toEqual({
      routes: [BLACKHOLE, { destination: '10.244.1.0/24', gateway: '10.0.0.2', interfaceIndex: 2, protocol: 84 }],
      tunnel: { routes: [], peers: [], neighbours: [], addresses: [] },
      encrypted: NOT_ENCRYPTED,
    });
  });

  it('lead through VXLAN to machines on another link', () => {
    const { routes, tunnel } = plan([node('a', ['10.0.7.2'], ['10.244.1.0/24'])]);
    expect(routes).toEqual([BLACKHOLE]);
    expect(tunnel).toEqual({
      routes: [{ destination: '10.244.1.0/24', gateway: '10.244.1.0' }],
      peers: [{ mac: vtepMac('a'), destination: '10.0.7.2' }],
      neighbours: [{ address: '10.244.1.0', mac: vtepMac('a') }],
      addresses: ['10.244.0.0'],
    });
  });

  it('are made for each family by itself: directly for one, through VXLAN for the other', () => {
    const self = node('self', ['10.0.0.1'], ['10.244.0.0/24', 'fd00:1::/64']);
    const other = node('a', ['10.0.0.2'], ['10.244.1.0/24', 'fd00:2::/64']);
    const { routes, tunnel } = planNetwork({
      self: 'self',
      nodes: [self, other],
      links: [LINK],
      clusterCidrs: ['10.244.0.0/16', 'fd00::/16'],
    });
    expect(routes.filter(({ type }) => type === undefined)).toEqual([
      { destination: '10.244.1.0/24', gateway: '10.0.0.2', interfaceIndex: 2, protocol: 84 },
    ]);
    expect(tunnel.routes).toEqual([{ destination: 'fd00:2::/64', gateway: 'fd00:2::' }]);
    expect(tunnel.peers).toEqual([{ mac: vtepMac('a'), destination: '10.0.0.2' }]);
  });

  it.each<[string, NetworkNode]>([
    ['without a pod range', node('a', ['10.0.0.2'], [])],
    ['whose range is not the cluster’s', node('a', ['10.0.0.2'], ['192.168.0.0/24'])],
    ['whose range contains the cluster’s', node('a', ['10.0.0.2'], ['10.0.0.0/8'])],
    ['without an address', node('a', [], ['10.244.1.0/24'])],
  ])('do not lead to a node %s', (_name, other) => {
    expect(plan([other])).toEqual({
      routes: [BLACKHOLE],
      tunnel: { routes: [], peers: [], neighbours: [], addresses: [] },
      encrypted: NOT_ENCRYPTED,
    });
  });
});

describe('encryption between machines', () => {
  const key = 'x'.repeat(43) + '=';
  const encrypting: NetworkNode = {
    ...node('a', ['10.0.0.2'], ['10.244.1.0/24', '192.168.0.0/24']),
    wireguardKey: key,
  };

  it('leads to nodes with a key through WireGuard, and to no others', () => {
    expect(plan([encrypting, node('b', ['10.0.0.3'], ['10.244.2.0/24'])], { encrypt: true })).toEqual({
      routes: [BLACKHOLE],
      tunnel: { routes: [], peers: [], neighbours: [], addresses: [] },
      encrypted: {
        destinations: ['10.244.1.0/24'],
        peers: [{ publicKey: key, address: '10.0.0.2', ranges: ['10.244.1.0/24'] }],
        addresses: ['10.244.0.0'],
      },
    });
  });

  it('is configured as wg reads it', () => {
    const peers = [
      { publicKey: 'A', address: '10.0.0.2', ranges: ['10.244.1.0/24', 'fd00:1::/64'] },
      { publicKey: 'B', address: 'fd99::3', ranges: ['10.244.2.0/24'] },
    ];
    expect(wireguardConfig('SECRET', peers)).toBe(`[Interface]
PrivateKey = SECRET
ListenPort = 51820

[Peer]
PublicKey = A
Endpoint = 10.0.0.2:51820
AllowedIPs = 10.244.1.0/24, fd00:1::/64

[Peer]
PublicKey = B
Endpoint = [fd99::3]:51820
AllowedIPs = 10.244.2.0/24
`);
  });
});
