import { describe, expect, it } from 'vitest';
import type { Packet } from './evaluate.ts';
import { KernelRules } from './walk-packet.ts';

const packet: Packet = {
  family: 'IPv4',
  source: '10.244.0.2',
  destination: '10.96.0.7',
  protocol: 'tcp',
  port: 80,
  isTranslated: false,
};

const field = (protocol: string, name: string) => ({ payload: { protocol, field: name } });
const match = (left: object, right: unknown, op = '==') => ({ match: { op, left, right } });
const goTo = (target: string) => ({ goto: { target } });

type Rules = Readonly<Record<string, readonly object[][]>>;

/** A table as `nft -j` lists it; chains named after a hook are its base chains. */
function nftables(chains: Rules, sets: Readonly<Record<string, unknown[]>> = {}, policy = 'accept'): KernelRules {
  const of = { family: 'inet', table: 't' };
  const hooks = ['prerouting', 'forward', 'input'];
  return new KernelRules({
    nftables: {
      nftables: [
        { metainfo: {} },
        { table: { family: 'inet', name: 't' } },
        ...Object.entries(sets).map(([name, elem]) => ({ set: { ...of, name, elem } })),
        ...Object.keys(chains).map((name) => ({
          chain: { ...of, name, ...(hooks.includes(name) ? { hook: name, prio: 0, type: 'filter', policy } : {}) },
        })),
        ...Object.entries(chains).flatMap(([chain, rules]) => rules.map((expr) => ({ rule: { ...of, chain, expr } }))),
      ],
    },
  });
}

describe('a packet in the rules of nftables', () => {
  it.each<[string, object[], boolean]>([
    ['an address', [match(field('ip', 'daddr'), '10.96.0.7')], false],
    ['another address', [match(field('ip', 'daddr'), '10.96.0.8')], true],
    ['a prefix', [match(field('ip', 'saddr'), { prefix: { addr: '10.244.0.0', len: 16 } })], false],
    ['not a prefix', [match(field('ip', 'saddr'), { prefix: { addr: '10.244.0.0', len: 16 } }, '!=')], true],
    ['a range of ports', [match(field('tcp', 'dport'), { range: [79, 81] })], false],
    ['a range of addresses', [match(field('ip', 'daddr'), { range: ['10.96.0.0', '10.96.0.6'] })], true],
    ['another protocol', [match(field('udp', 'dport'), 80)], true],
    ['another protocol, negated', [match(field('udp', 'dport'), 81, '!=')], true],
    ['another family', [match(field('ip6', 'saddr'), 'fe80::1', '!=')], true],
    ['a set', [match(field('ip', 'daddr'), '@addresses')], false],
    ['a connection that is new', [match({ ct: { key: 'state' } }, ['established', 'related'], 'in')], true],
    ['a mark, which is not known', [match({ meta: { key: 'mark' } }, 1)], true],
    ['a mark and another port', [match({ meta: { key: 'mark' } }, 1), match(field('tcp', 'dport'), 81)], true],
  ])('is dropped by %s or passes', (_, matches, passes) => {
    const rules = nftables(
      { forward: [[...matches, { drop: null }]] },
      { addresses: [{ elem: { val: '10.96.0.7' } }] },
    );
    expect(rules.walk('forward', packet).passes).toBe(passes);
  });

  it('names the rule that ends it, and those that may', () => {
    const dropped = nftables({ forward: [[match(field('tcp', 'dport'), 80), { drop: null }]] });
    expect(dropped.walk('forward', packet).endedBy).toEqual(['table inet t, chain forward: tcp dport 80 drop']);
    const perhaps = nftables({ forward: [[match({ meta: { key: 'mark' } }, 1), { drop: null }]] });
    expect(perhaps.walk('forward', packet)).toMatchObject({
      passes: true,
      endedBy: ['table inet t, chain forward: meta mark 1 drop'],
    });
    expect(nftables({ forward: [] }, {}, 'drop').walk('forward', packet)).toMatchObject({
      passes: false,
      endedBy: ['table inet t, chain forward: its policy is drop'],
    });
  });

  it('comes back from a chain that it was sent to by jump, and not by goto', () => {
    const [jump, end] = [{ jump: { target: 'other' } }, { drop: null }];
    expect(nftables({ forward: [[jump], [end]], other: [[{ return: null }]] }).walk('forward', packet).passes).toBe(
      false,
    );
    expect(nftables({ forward: [[goTo('other')], [end]], other: [] }).walk('forward', packet).passes).toBe(true);
    expect(nftables({ forward: [[jump], [end]], other: [[{ accept: null }]] }).walk('forward', packet).passes).toBe(
      true,
    );
  });

  it('ends in chains that call each other', () => {
    const rules = nftables({ forward: [[{ jump: { target: 'a' } }]], a: [[{ jump: { target: 'a' } }]] });
    expect(rules.walk('forward', packet).passes).toBe(true);
  });

  it('is translated by a map with a random number, as kube-proxy of ours does', () => {
    const key = { concat: [field('ip', 'daddr'), field('tcp', 'dport'), { numgen: { mode: 'random', mod: 2 } }] };
    const service = { concat: [field('ip', 'daddr'), { meta: { key: 'l4proto' } }, field('th', 'dport')] };
    const rules = nftables(
      {
        prerouting: [[{ vmap: { key: service, data: '@services' } }]],
        balance: [[{ dnat: { family: 'ip', addr: { map: { key, data: '@endpoints' } } } }]],
      },
      {
        services: [[{ concat: ['10.96.0.7', 'tcp', 80] }, goTo('balance')]],
        endpoints: [
          [{ concat: ['10.96.0.7', 80, 0] }, { concat: ['10.244.0.5', 8080] }],
          [{ concat: ['10.96.0.7', 80, 1] }, { concat: ['10.244.1.5', 8080] }],
          [{ concat: ['10.96.0.8', 80, 0] }, { concat: ['10.244.1.6', 8080] }],
        ],
      },
    );
    expect(rules.walk('prerouting', packet).destinations).toEqual([
      { address: '10.244.0.5', port: 8080 },
      { address: '10.244.1.5', port: 8080 },
    ]);
    expect(rules.walk('prerouting', { ...packet, port: 81 }).destinations).toEqual([]);
  });

  it("is translated by a chain an endpoint, as upstream's kube-proxy does", () => {
    const random = { numgen: { mode: 'random', mod: 2 } };
    const rules = nftables({
      prerouting: [[match(field('ip', 'daddr'), '10.96.0.7'), goTo('service')]],
      service: [
        [
          {
            vmap: {
              key: random,
              data: {
                set: [
                  [0, goTo('a')],
                  [1, goTo('b')],
                ],
              },
            },
          },
        ],
      ],
      a: [[{ dnat: { addr: '10.244.0.5', port: 8080 } }]],
      b: [[{ dnat: { addr: '10.244.1.5', port: 8080 } }]],
    });
    expect(rules.walk('prerouting', packet).destinations).toEqual([
      { address: '10.244.0.5', port: 8080 },
      { address: '10.244.1.5', port: 8080 },
    ]);
  });

  it.each([undefined, null, [], {}, { nftables: [{ rule: null }, 7, { chain: { table: 'gone' } }] }])(
    'passes rules that say nothing: %j',
    (listed) => expect(new KernelRules({ nftables: listed }).walk('forward', packet).passes).toBe(true),
  );
});

describe('a packet in the rules of iptables', () => {
  const saved = `*nat
:PREROUTING ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-A - [0:0]
:KUBE-SEP-1 - [0:0]
:KUBE-SEP-2 - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.96.0.7/32 -p tcp -m comment --comment "default/web cluster IP" -m tcp --dport 80 -j KUBE-SVC-A
-A KUBE-SVC-A -m statistic --mode random --probability 0.5 -j KUBE-SEP-1
-A KUBE-SVC-A -j KUBE-SEP-2
-A KUBE-SEP-1 -p tcp -m tcp -j DNAT --to-destination 10.244.0.5:8080
-A KUBE-SEP-2 -p tcp -m tcp -j DNAT --to-destination 10.244.1.5:8080
COMMIT
*filter
:FORWARD DROP [0:0]
-A FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A FORWARD ! -s 10.244.0.0/16 -j ACCEPT
-A FORWARD -d 10.244.0.5/32 -p tcp -m tcp --dport 8080 -j ACCEPT
COMMIT
`;
  const rules = new KernelRules({ iptables: [{ family: 'ip', text: saved }] });

  it('is translated to each endpoint', () => {
    expect(rules.walk('prerouting', packet).destinations).toEqual([
      { address: '10.244.0.5', port: 8080 },
      { address: '10.244.1.5', port: 8080 },
    ]);
    expect(rules.walk('prerouting', { ...packet, destination: '10.96.0.9' }).destinations).toEqual([]);
  });

  it('is accepted by a rule, or dropped by the policy', () => {
    const to = (destination: string) => rules.walk('forward', { ...packet, destination, port: 8080 });
    expect(to('10.244.0.5').passes).toBe(true);
    expect(to('10.244.1.5')).toMatchObject({
      passes: false,
      endedBy: ['table ip filter (iptables), chain FORWARD: its policy is drop'],
    });
  });
});
