import { describe, expect, test } from 'vitest';
import type { NetworkPolicySpec } from '../api/generated/networking-v1.ts';
import { runIn } from '../net/netns/index.ts';
import { namespacesMissing, TestNamespaces } from '../net/netns/testing/index.ts';
import { blockElements } from './address-intervals.ts';
import { clusterView } from './cluster-view.ts';
import { planPolicies, type PlanOptions } from './plan-policies.ts';
import { renderChanges, renderTable, type Ruleset } from './ruleset.ts';
import { makeNamespace, makePod, makePolicy, type TestPod } from './testing/index.ts';

const PODS: TestPod[] = [
  { key: 'x/web', node: 'n1', ips: ['10.244.1.2', 'fd00:1::2'], labels: { app: 'web' }, ports: { http: 8080 } },
  { key: 'x/web2', node: 'n1', ips: ['10.244.1.3'], labels: { app: 'web' }, ports: { http: 9090 } },
  { key: 'x/db', node: 'n2', ips: ['10.244.2.2', 'fd00:2::2'], labels: { app: 'db' }, ports: { sql: 5432 } },
  { key: 'y/client', node: 'n1', ips: ['10.244.1.4'], labels: { app: 'client' } },
  { key: 'y/ended', node: 'n1', ips: ['10.244.1.5'], labels: { app: 'client' }, phase: 'Succeeded' },
  { key: 'y/host', node: 'n1', ips: ['10.64.0.2'], labels: { app: 'client' }, hostNetwork: true },
];
const NAMESPACES = [makeNamespace('x', { team: 'red' }), makeNamespace('y', { team: 'blue' })];

const plan = (
  policies: Record<string, NetworkPolicySpec>,
  { pods = PODS, ...options }: Partial<PlanOptions> & { pods?: TestPod[] } = {},
): Ruleset =>
  planPolicies(
    clusterView({
      policies: Object.entries(policies).map(([key, spec]) => makePolicy(key, spec)),
      pods: pods.map(makePod),
      namespaces: NAMESPACES,
    }),
    { nodeName: 'n1', ...options },
  );

/** The plan as text that people can check: digests are numbered in order of appearance. */
function transcript({ sets, chains, maps, always }: Ruleset): string {
  const lines = [
    ...[...sets]
      .filter(([name]) => !name.startsWith('self'))
      .map(([name, { elements }]) => `${name} = ${[...elements].join(', ') || '(none)'}`),
    ...[...chains].flatMap(([name, rules]) => [`${name}:`, ...rules.map((rule) => `  ${rule}`)]),
    ...[...maps].flatMap(([name, entries]) => [...entries].map(([address, chain]) => `${name} ${address} → ${chain}`)),
    ...always.filter((rule) => !rule.includes('@self')).map((rule) => `always ${rule}`),
  ];
  const seen = new Map<string, string>();
  return lines.join('\n').replaceAll(/-([0-9a-f]{16})/g, (_match, digest: string) => {
    if (!seen.has(digest)) seen.set(digest, `#${seen.size + 1}`);
    return seen.get(digest)!;
  });
}

describe('rules of policies', () => {
  test('no policies', () => expect(transcript(plan({}))).toBe(''));

  test('default deny of a namespace, both directions; pods of other nodes and namespaces are not ours', () => {
    expect(transcript(plan({ 'x/deny': { podSelector: {}, policyTypes: ['Ingress', 'Egress'] } })))
      .toMatchInlineSnapshot(`
      "ingress#1:
        counter drop
      egress#1:
        counter drop
      ingress4 10.244.1.2 → ingress#1
      ingress4 10.244.1.3 → ingress#1
      ingress6 fd00:1::2 → ingress#1
      egress4 10.244.1.2 → egress#1
      egress4 10.244.1.3 → egress#1
      egress6 fd00:1::2 → egress#1"
    `);
  });

  test('absent policyTypes: egress only with egress rules', () => {
    expect(transcript(plan({ 'y/a': { podSelector: {} } }))).toMatchInlineSnapshot(`
      "ingress#1:
        counter drop
      ingress4 10.244.1.4 → ingress#1"
    `);
    expect(transcript(plan({ 'y/a': { podSelector: {}, egress: [{}] } }))).toMatchInlineSnapshot(`
      "ingress#1:
        counter drop
      egress#2:
        return comment "y/a"
        counter drop
      ingress4 10.244.1.4 → ingress#1
      egress4 10.244.1.4 → egress#2"
    `);
  });

  test('peers of the namespace, of other namespaces, of both selectors; without terminal and hostNetwork pods', () => {
    const ingress = [
      {
        from: [
          { podSelector: { matchLabels: { app: 'db' } } },
          { namespaceSelector: { matchLabels: { team: 'blue' } }, podSelector: { matchLabels: { app: 'client' } } },
        ],
      },
      { from: [{ namespaceSelector: { matchLabels: { team: 'blue' } } }] },
    ];
    expect(
      transcript(
        plan(
          { 'x/a': { podSelector: { matchLabels: { app: 'web' } }, ingress } },
          { pods: PODS.filter(({ key }) => key !== 'x/web2') },
        ),
      ),
    ).toMatchInlineSnapshot(`
      "pods4#1 = 10.244.2.2, 10.244.1.4
      pods6#1 = fd00:2::2
      pods4#2 = 10.244.1.4
      pods6#2 = (none)
      ingress#3:
        ip saddr @pods4#1 return comment "x/a"
        ip6 saddr @pods6#1 return comment "x/a"
        ip saddr @pods4#2 return comment "x/a"
        ip6 saddr @pods6#2 return comment "x/a"
        counter drop
      ingress4 10.244.1.2 → ingress#3
      ingress6 fd00:1::2 → ingress#3"
    `);
  });

  test('blocks of addresses with exceptions, per family', () => {
    const egress = [
      {
        to: [
          { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '10.255.255.0/24'] } },
          { ipBlock: { cidr: 'fd00::/16' } },
        ],
      },
    ];
    expect(transcript(plan({ 'y/a': { podSelector: {}, policyTypes: ['Egress'], egress } }))).toMatchInlineSnapshot(`
      "blocks4#1 = 10.0.0.0-10.0.255.255, 10.2.0.0-10.255.254.255
      blocks6#2 = fd00::-fd00:ffff:ffff:ffff:ffff:ffff:ffff:ffff
      egress#3:
        ip daddr @blocks4#1 return comment "y/a"
        ip6 daddr @blocks6#2 return comment "y/a"
        counter drop
      egress4 10.244.1.4 → egress#3"
    `);
  });

  test('ports: numbers, ranges, only protocols, overlapping ones', () => {
    const ports = [
      { port: 80 },
      { protocol: 'TCP', port: 100, endPort: 200 },
      { protocol: 'TCP', port: 150, endPort: 250 },
      { protocol: 'UDP', port: 53 },
      { protocol: 'SCTP' },
    ];
    expect(transcript(plan({ 'y/a': { podSelector: {}, ingress: [{ ports }] } }))).toMatchInlineSnapshot(`
      "ingress#1:
        tcp dport { 80, 100-250 } return comment "y/a"
        udp dport { 53 } return comment "y/a"
        meta l4proto sctp return comment "y/a"
        counter drop
      ingress4 10.244.1.4 → ingress#1"
    `);
  });

  test('named ports of the selected pods: each pod’s own number; pods without it allow nothing', () => {
    expect(transcript(plan({ 'x/a': { podSelector: {}, ingress: [{ ports: [{ port: 'http' }] }] } })))
      .toMatchInlineSnapshot(`
      "ingress#1:
        tcp dport { 8080 } return comment "x/a"
        counter drop
      ingress#2:
        tcp dport { 9090 } return comment "x/a"
        counter drop
      ingress4 10.244.1.2 → ingress#1
      ingress4 10.244.1.3 → ingress#2
      ingress6 fd00:1::2 → ingress#1"
    `);
    expect(transcript(plan({ 'y/a': { podSelector: {}, ingress: [{ ports: [{ port: 'http' }] }] } })))
      .toMatchInlineSnapshot(`
      "ingress#1:
        counter drop
      ingress4 10.244.1.4 → ingress#1"
    `);
  });

  test('named ports of the peers', () => {
    const egress = [
      {
        to: [{ namespaceSelector: { matchLabels: { team: 'red' } } }, { ipBlock: { cidr: '1.2.3.0/24' } }],
        ports: [{ port: 'http' }, { port: 443 }],
      },
    ];
    expect(transcript(plan({ 'y/a': { podSelector: {}, policyTypes: ['Egress'], egress } }))).toMatchInlineSnapshot(`
      "pods4#1 = 10.244.1.2, 10.244.1.3, 10.244.2.2
      blocks4#2 = 1.2.3.0-1.2.3.255
      pods6#1 = fd00:1::2, fd00:2::2
      ports4#3 = 10.244.1.2 . tcp . 8080, 10.244.1.3 . tcp . 9090
      ports6#3 = fd00:1::2 . tcp . 8080
      egress#4:
        ip daddr @pods4#1 tcp dport { 443 } return comment "y/a"
        ip daddr @blocks4#2 tcp dport { 443 } return comment "y/a"
        ip6 daddr @pods6#1 tcp dport { 443 } return comment "y/a"
        ip daddr . meta l4proto . th dport @ports4#3 return comment "y/a"
        ip6 daddr . meta l4proto . th dport @ports6#3 return comment "y/a"
        counter drop
      egress4 10.244.1.4 → egress#4"
    `);
  });

  test('several policies on a pod allow the union', () => {
    const policies = {
      'y/a': { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
      'y/b': { podSelector: { matchLabels: { app: 'client' } }, ingress: [{ ports: [{ port: 443 }] }] },
      'y/c': { podSelector: { matchLabels: { app: 'other' } }, ingress: [{ ports: [{ port: 1 }] }] },
    };
    expect(transcript(plan(policies))).toMatchInlineSnapshot(`
      "ingress#1:
        tcp dport { 80 } return comment "y/a"
        tcp dport { 443 } return comment "y/b"
        counter drop
      ingress4 10.244.1.4 → ingress#1"
    `);
  });

  test('traffic that is always allowed', () => {
    const alwaysAllowed = [
      { address: '10.96.0.10', protocol: 'UDP' as const, port: 53 },
      { address: 'fd00::a', protocol: 'TCP' as const, port: 53 },
    ];
    expect(transcript(plan({}, { alwaysAllowed }))).toMatchInlineSnapshot(`
      "always ip daddr 10.96.0.10 udp dport 53 accept
      always ip6 daddr fd00::a tcp dport 53 accept"
    `);
  });
});

describe('DNS that is no pod', () => {
  const dns = {
    namespace: 'kube-system',
    labels: { 'k8s-app': 'kube-dns' },
    address: '10.64.0.1',
    ports: [
      { protocol: 'UDP', port: 53, name: 'dns', listensOn: 5353 },
      { protocol: 'TCP', port: 53, name: 'dns-tcp', listensOn: 5353 },
    ],
  } as const;
  const udp = 'ip daddr 10.64.0.1 udp dport 5353';
  const tcp = 'ip daddr 10.64.0.1 tcp dport 5353';
  const kubeSystem = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } };

  test.each<[string, NonNullable<NetworkPolicySpec['egress']>, string[]]>([
    ['default deny', [], []],
    ['everything allowed', [{}], [udp, tcp]],
    ['port 53 to anyone', [{ ports: [{ protocol: 'UDP', port: 53 }] }], [udp]],
    ['another port to anyone', [{ ports: [{ protocol: 'UDP', port: 5353 }] }], []],
    ['a range of ports', [{ ports: [{ protocol: 'TCP', port: 1, endPort: 100 }] }], [tcp]],
    ['by name', [{ ports: [{ protocol: 'TCP', port: 'dns-tcp' }] }], [tcp]],
    [
      'the pods of kube-dns',
      [
        {
          to: [{ ...kubeSystem, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
          ports: [
            { protocol: 'UDP', port: 53 },
            { protocol: 'TCP', port: 53 },
          ],
        },
      ],
      [udp, tcp],
    ],
    ['the whole namespace', [{ to: [kubeSystem] }], [udp, tcp]],
    ['other pods there', [{ to: [{ ...kubeSystem, podSelector: { matchLabels: { app: 'other' } } }] }], []],
    ['pods of the own namespace', [{ to: [{ podSelector: {} }] }], []],
    ['its address', [{ to: [{ ipBlock: { cidr: '10.64.0.0/16' } }] }], [udp, tcp]],
    ['all but its address', [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.64.0.0/16'] } }] }], []],
  ])('%s', (_name, egress, matches) => {
    const view = clusterView({
      policies: [makePolicy('y/p', { podSelector: {}, policyTypes: ['Egress'], egress })],
      pods: PODS.map(makePod),
      namespaces: [...NAMESPACES, makeNamespace('kube-system')],
    });
    const rules = [...planPolicies(view, { nodeName: 'n1', virtualPods: [dns] }).chains.values()].flat();
    expect(rules.filter((rule) => rule.includes('10.64.0.1'))).toEqual(
      matches.map((match) => `${match} return comment "y/p"`),
    );
  });
});

describe('blocks of addresses', () => {
  test.each<[string, Parameters<typeof blockElements>[0], 4 | 6, string[]]>([
    ['one', [{ cidr: '10.0.0.0/24' }], 4, ['10.0.0.0-10.0.0.255']],
    ['one address', [{ cidr: '10.0.0.7/32' }], 4, ['10.0.0.7']],
    ['everything', [{ cidr: '0.0.0.0/0' }], 4, ['0.0.0.0-255.255.255.255']],
    [
      'overlapping and touching ones',
      [{ cidr: '10.0.0.0/24' }, { cidr: '10.0.0.128/25' }, { cidr: '10.0.1.0/24' }],
      4,
      ['10.0.0.0-10.0.1.255'],
    ],
    [
      'a hole at either end',
      [{ cidr: '10.0.0.0/24', except: ['10.0.0.0/32', '10.0.0.255/32'] }],
      4,
      ['10.0.0.1-10.0.0.254'],
    ],
    ['nothing but a hole', [{ cidr: '10.0.0.0/24', except: ['10.0.0.0/24'] }], 4, []],
    [
      'an exception of one block is in another',
      [{ cidr: '10.0.0.0/24', except: ['10.0.0.64/26'] }, { cidr: '10.0.0.64/32' }],
      4,
      ['10.0.0.0-10.0.0.64', '10.0.0.128-10.0.0.255'],
    ],
    ['the other family', [{ cidr: '10.0.0.0/24' }, { cidr: 'fd00::/126' }], 6, ['fd00::-fd00::3']],
  ])('%s', (_name, blocks, family, elements) => expect(blockElements(blocks, family)).toEqual(elements));
});

describe('changes', () => {
  const policies: Record<string, NetworkPolicySpec> = {
    'x/a': {
      podSelector: { matchLabels: { app: 'web' } },
      ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 'http' }] }],
    },
    'y/b': {
      podSelector: {},
      policyTypes: ['Egress'],
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.9.0.0/16'] } }] }],
    },
  };

  test('a new peer adds one element', () => {
    const before = plan(policies);
    const after = plan(policies, { pods: [...PODS, { key: 'y/new', node: 'n2', ips: ['10.244.2.9'] }] });
    expect(renderChanges(before, after)).toMatch(
      /^add element inet k8ts-network-policy pods4-[0-9a-f]{16} \{ 10\.244\.2\.9 \}\n$/,
    );
    expect(renderChanges(after, after)).toBe('');
  });

  const missing = namespacesMissing('nft');
  test.skipIf(missing !== undefined)(
    `changes lead from any table to any other, with the same result as a full write${missing === undefined ? '' : ` (${missing})`}`,
    async () => {
      const states: Ruleset[] = [
        plan({}),
        plan(policies),
        plan(policies, { pods: PODS.slice(1) }),
        plan(
          {
            'x/a': policies['x/a']!,
            'y/b': {
              podSelector: {},
              policyTypes: ['Ingress', 'Egress'],
              egress: [{ to: [{ ipBlock: { cidr: '11.0.0.0/8' } }], ports: [{ protocol: 'SCTP', port: 7 }] }],
            },
          },
          { alwaysAllowed: [{ address: '10.96.0.10', protocol: 'UDP', port: 53 }] },
        ),
        plan({
          'x/a': {
            podSelector: {},
            policyTypes: ['Ingress', 'Egress'],
            egress: [{ to: [{ podSelector: {} }], ports: [{ port: 'sql' }] }],
          },
        }),
      ];
      const namespaces = new TestNamespaces();
      try {
        const netns = namespaces.create('node');
        const list = async (): Promise<string> =>
          (await runIn('nft', ['-s', 'list', 'ruleset'], { netns })).split('\n').toSorted().join('\n');
        const whole: string[] = [];
        for (const state of states) {
          await runIn('nft', ['-f', '-'], { netns, input: renderTable(state) });
          whole.push(await list());
        }
        // A walk over every pair, each step from where the last one ended.
        let at = states.length - 1;
        for (const [from] of states.entries()) {
          for (const to of states.keys()) {
            if (to < from) continue;
            for (const next of [from, to]) {
              const input = renderChanges(states[at]!, states[next]!);
              if (input !== '') await runIn('nft', ['-f', '-'], { netns, input });
              expect(await list(), `${at} → ${next}`).toBe(whole[next]);
              at = next;
            }
          }
        }
      } finally {
        namespaces.close();
      }
    },
  );
});
