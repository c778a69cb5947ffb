import { describe, expect, it } from 'vitest';
import type { Service } from '../api/generated/core-v1.ts';
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';
import { chooseEndpoints, endpointsOfPort, planService } from '../component-helpers/index.ts';
import { checkMode, loadKubeProxyConfiguration } from './config.ts';
import { halfOpenConnections, removedTcpEndpoints, staleConnections } from './conntrack.ts';
import { serviceRules } from './iptables/service-rules.ts';
import { NftablesRuleset } from './nftables/ruleset.ts';

const node = { name: 'n1', zone: 'a' };
const web: Service = {
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    type: 'NodePort',
    clusterIP: '10.96.0.7',
    clusterIPs: ['10.96.0.7'],
    ports: [{ name: 'http', port: 80, protocol: 'TCP', nodePort: 30_007 }],
  },
};
const slice = (...addresses: string[]): EndpointSlice => ({
  metadata: { name: 'web-1', namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  endpoints: addresses.map((ip, index) => ({
    addresses: [ip],
    nodeName: index === 0 ? 'n1' : 'n2',
    conditions: { ready: true },
  })),
});
const settings = {
  family: 'IPv4',
  clusterCidrs: ['10.244.0.0/16'],
  nodePortAddresses: ['192.168.1.1'],
  masqueradeAll: false,
  masqueradeBit: 14,
} as const;

describe('nftables transcripts', () => {
  it('a Service is added, changed and deleted', () => {
    const ruleset = new NftablesRuleset(settings);
    ruleset.replaceAll(
      new Map([
        [
          'default/other',
          planService(
            {
              ...web,
              metadata: { name: 'other', namespace: 'default' },
              spec: {
                ...web.spec,
                clusterIP: '10.96.0.8',
                clusterIPs: ['10.96.0.8'],
                ports: [{ name: 'http', port: 80, nodePort: 30_008 }],
              },
            },
            [slice('10.244.0.9', '10.244.1.9')],
            node,
          ),
        ],
      ]),
    );
    expect(ruleset.update(new Map([['default/web', planService(web, [slice('10.244.0.2', '10.244.1.2')], node)]])).text)
      .toMatchInlineSnapshot(`
      "add element ip kube-proxy cluster-ips { 10.96.0.7 }
      add element ip kube-proxy hairpin-connections { 10.244.0.2 . 10.244.0.2 . tcp . 8080 }
      add element ip kube-proxy endpoints-tcp { 10.96.0.7 . 80 . 0 : 10.244.0.2 . 8080, 10.96.0.7 . 80 . 1 : 10.244.1.2 . 8080 }
      add element ip kube-proxy service-ips { 10.96.0.7 . tcp . 80 : goto lb-tcp-2 }
      add element ip kube-proxy nodeport-endpoints-tcp { 30007 . 0 : 10.244.0.2 . 8080, 30007 . 1 : 10.244.1.2 . 8080 }
      add element ip kube-proxy service-nodeports { tcp . 30007 : goto masq-nodeport-lb-tcp-2 }"
    `);
    expect(ruleset.update(new Map([['default/web', planService(web, [slice('10.244.0.2', '10.244.1.3')], node)]])).text)
      .toMatchInlineSnapshot(`
      "delete element ip kube-proxy endpoints-tcp { 10.96.0.7 . 80 . 1 }
      delete element ip kube-proxy nodeport-endpoints-tcp { 30007 . 1 }
      add element ip kube-proxy endpoints-tcp { 10.96.0.7 . 80 . 1 : 10.244.1.3 . 8080 }
      add element ip kube-proxy nodeport-endpoints-tcp { 30007 . 1 : 10.244.1.3 . 8080 }"
    `);
    expect(ruleset.update(new Map([['default/web', planService(web, [slice()], node)]])).text).toMatchInlineSnapshot(`
      "delete element ip kube-proxy hairpin-connections { 10.244.0.2 . 10.244.0.2 . tcp . 8080 }
      delete element ip kube-proxy endpoints-tcp { 10.96.0.7 . 80 . 0, 10.96.0.7 . 80 . 1 }
      delete element ip kube-proxy service-ips { 10.96.0.7 . tcp . 80 }
      delete element ip kube-proxy nodeport-endpoints-tcp { 30007 . 0, 30007 . 1 }
      delete element ip kube-proxy service-nodeports { tcp . 30007 }
      add element ip kube-proxy no-endpoint-services { 10.96.0.7 . tcp . 80 : goto reject-chain }
      add element ip kube-proxy no-endpoint-nodeports { tcp . 30007 : goto reject-chain }"
    `);
    expect(ruleset.update(new Map([['default/web', []]])).text).toMatchInlineSnapshot(`
      "delete element ip kube-proxy cluster-ips { 10.96.0.7 }
      delete element ip kube-proxy no-endpoint-services { 10.96.0.7 . tcp . 80 }
      delete element ip kube-proxy no-endpoint-nodeports { tcp . 30007 }"
    `);
    expect(ruleset.update(new Map([['default/web', []]])).text).toBe('');
  });

  it('an endpoint that two Services share stays until both are deleted', () => {
    const ruleset = new NftablesRuleset(settings);
    const plan = planService(web, [slice('10.244.0.2')], node);
    ruleset.replaceAll(new Map([['default/a', plan]]));
    expect(
      ruleset.update(
        new Map([['default/b', plan.map((each) => ({ ...each, clusterIp: '10.96.0.9', nodePort: undefined }))]]),
      ).text,
    ).not.toContain('hairpin');
    expect(ruleset.update(new Map([['default/a', []]])).text).not.toContain('hairpin');
    expect(ruleset.update(new Map([['default/b', []]])).text).toContain(
      'delete element ip kube-proxy hairpin-connections { 10.244.0.2 . 10.244.0.2 . tcp . 8080 }',
    );
  });
});

describe('iptables transcript', () => {
  it('of a Service with two endpoints and a node port', () => {
    const [plan] = planService(web, [slice('10.244.0.2', '10.244.1.2')], node);
    const { services, nodePorts, chains } = serviceRules(plan!, settings);
    expect([...services, ...nodePorts, ...[...chains.values()].flat()].join('\n')).toMatchInlineSnapshot(`
      "-A KUBE-SERVICES -m comment --comment "default/web:http cluster IP" -m tcp -p tcp -d 10.96.0.7/32 --dport 80 -j KUBE-SVC-CDGGSHYLG3RE2FKL
      -A KUBE-NODEPORTS -m comment --comment "default/web:http" -m tcp -p tcp --dport 30007 -j KUBE-EXT-CDGGSHYLG3RE2FKL
      -A KUBE-SVC-CDGGSHYLG3RE2FKL -m comment --comment "default/web:http cluster IP" -m tcp -p tcp -d 10.96.0.7/32 --dport 80 ! -s 10.244.0.0/16 -j KUBE-MARK-MASQ
      -A KUBE-SVC-CDGGSHYLG3RE2FKL -m comment --comment "default/web:http -> 10.244.0.2:8080" -m statistic --mode random --probability 0.5000000000 -j KUBE-SEP-QA4PSDNF5R2OJOPA
      -A KUBE-SVC-CDGGSHYLG3RE2FKL -m comment --comment "default/web:http -> 10.244.1.2:8080" -j KUBE-SEP-UIQK3OSOSTRHRPBX
      -A KUBE-SEP-QA4PSDNF5R2OJOPA -m comment --comment "default/web:http" -s 10.244.0.2/32 -j KUBE-MARK-MASQ
      -A KUBE-SEP-QA4PSDNF5R2OJOPA -m comment --comment "default/web:http" -m tcp -p tcp -j DNAT --to-destination 10.244.0.2:8080
      -A KUBE-SEP-UIQK3OSOSTRHRPBX -m comment --comment "default/web:http" -s 10.244.1.2/32 -j KUBE-MARK-MASQ
      -A KUBE-SEP-UIQK3OSOSTRHRPBX -m comment --comment "default/web:http" -m tcp -p tcp -j DNAT --to-destination 10.244.1.2:8080
      -A KUBE-EXT-CDGGSHYLG3RE2FKL -m comment --comment "masquerade traffic for default/web:http external destinations" -j KUBE-MARK-MASQ
      -A KUBE-EXT-CDGGSHYLG3RE2FKL -j KUBE-SVC-CDGGSHYLG3RE2FKL"
    `);
  });
});

describe('which endpoints a node uses', () => {
  const endpoint = (ip: string, more: object = {}) => ({ addresses: [ip], nodeName: 'n1', ...more });
  const chosen = (endpoints: ReturnType<typeof endpoint>[]) =>
    chooseEndpoints(
      endpointsOfPort([{ ...slice(), endpoints }], { family: 'IPv4', portName: 'http', protocol: 'TCP' }),
      node,
    );
  const ips = (list: readonly { ip: string }[]) => list.map(({ ip }) => ip);
  const leaving = { conditions: { ready: false, serving: true, terminating: true } };

  it.each([
    [
      'the ready ones',
      [endpoint('10.0.0.1'), endpoint('10.0.0.2', { conditions: { ready: false } })],
      ['10.0.0.1'],
      ['10.0.0.1'],
    ],
    [
      'those on this node for local traffic',
      [endpoint('10.0.0.1'), endpoint('10.0.0.2', { nodeName: 'n2' })],
      ['10.0.0.1', '10.0.0.2'],
      ['10.0.0.1'],
    ],
    ['terminating ones when there are no others', [endpoint('10.0.0.1', leaving)], ['10.0.0.1'], ['10.0.0.1']],
    [
      'local terminating ones when the ready ones are elsewhere',
      [endpoint('10.0.0.1', leaving), endpoint('10.0.0.2', { nodeName: 'n2' })],
      ['10.0.0.2'],
      ['10.0.0.1'],
    ],
    [
      'those hinted for the zone',
      [
        endpoint('10.0.0.1', { hints: { forZones: [{ name: 'a' }] } }),
        endpoint('10.0.0.2', { hints: { forZones: [{ name: 'b' }] } }),
      ],
      ['10.0.0.1'],
      ['10.0.0.1', '10.0.0.2'],
    ],
    [
      'all when one has no hint',
      [endpoint('10.0.0.1', { hints: { forZones: [{ name: 'a' }] } }), endpoint('10.0.0.2')],
      ['10.0.0.1', '10.0.0.2'],
      ['10.0.0.1', '10.0.0.2'],
    ],
    [
      'all when no hint is for this zone',
      [endpoint('10.0.0.1', { hints: { forZones: [{ name: 'c' }] } })],
      ['10.0.0.1'],
      ['10.0.0.1'],
    ],
    [
      'those hinted for the node before those for the zone',
      [
        endpoint('10.0.0.1', { hints: { forZones: [{ name: 'a' }], forNodes: [{ name: 'n1' }] } }),
        endpoint('10.0.0.2', { hints: { forZones: [{ name: 'a' }], forNodes: [{ name: 'n2' }] } }),
      ],
      ['10.0.0.1'],
      ['10.0.0.1', '10.0.0.2'],
    ],
  ])('%s', (_what, endpoints, cluster, local) => {
    const { cluster: inCluster, local: here } = chosen(endpoints);
    expect({ cluster: ips(inCluster), local: ips(here) }).toEqual({ cluster, local });
  });
});

it.each([
  ['headless', { clusterIP: 'None' }],
  ['external names', { type: 'ExternalName', externalName: 'x.example' }],
  ['without an address yet', { clusterIP: '' }],
])('Services are ignored: %s', (_what, spec) => {
  expect(
    planService({ metadata: { name: 's', namespace: 'd' }, spec: { ports: [{ port: 80 }], ...spec } }, [], node),
  ).toEqual([]);
});

it.each([
  ['the node', ['192.168.1.0/24', '10.9.0.0/16'], ['192.168.1.0/24', '10.9.0.0/16', '203.0.113.5']],
  ['others only', ['10.9.0.0/16'], ['10.9.0.0/16']],
])('a load balancer that allows %s', (_what, loadBalancerSourceRanges, sourceRanges) => {
  const balanced: Service = {
    ...web,
    spec: { ...web.spec, type: 'LoadBalancer', loadBalancerSourceRanges },
    status: { loadBalancer: { ingress: [{ ip: '203.0.113.5' }] } },
  };
  const here = { ...node, addresses: ['192.168.1.1', 'fd00::1'] };
  expect(planService(balanced, [slice('10.244.0.2')], here)).toMatchObject([{ sourceRanges }]);
});

it('Services of another proxy are ignored', () => {
  expect(
    planService(
      { ...web, metadata: { ...web.metadata, labels: { 'service.kubernetes.io/service-proxy-name': 'other' } } },
      [],
      node,
    ),
  ).toEqual([]);
});

it('UDP conntrack entries of removed endpoints are deleted, for every address of the Service', () => {
  const udp: Service = {
    ...web,
    spec: { ...web.spec, ports: [{ name: 'http', port: 53, protocol: 'UDP', nodePort: 30_053 }] },
  };
  const udpSlice = (...ips: string[]): EndpointSlice => ({
    ...slice(...ips),
    ports: [{ name: 'http', port: 53, protocol: 'UDP' }],
  });
  const plans = (...ips: string[]) => planService(udp, [udpSlice(...ips)], node);
  expect(
    staleConnections(plans('10.244.0.2', '10.244.0.3'), plans('10.244.0.3')).map((line) => line.join(' ')),
  ).toEqual([
    '-D -f ipv4 -p udp --orig-dst 10.96.0.7 --dst-nat 10.244.0.2',
    '-D -f ipv4 -p udp --dport 30053 --dst-nat 10.244.0.2',
  ]);
  expect(staleConnections(plans(), plans('10.244.0.2')).map((line) => line.join(' '))).toEqual([
    '-D -f ipv4 -p udp --orig-dst 10.96.0.7',
    '-D -f ipv4 -p udp --dport 30053',
  ]);
  expect(staleConnections(plans('10.244.0.2'), plans('10.244.0.2', '10.244.0.3'))).toEqual([]);
  const otherPort = { ...udpSlice('10.244.0.2'), ports: [{ name: 'http', port: 54, protocol: 'UDP' }] };
  expect(staleConnections(plans('10.244.0.2'), planService(udp, [otherPort], node))[0]!.join(' ')).toBe(
    '-D -f ipv4 -p udp --orig-dst 10.96.0.7 --dst-nat 10.244.0.2',
  );
  // The endpoint of this node has gone, and comes back, while others stay.
  const [remote, both] = [udpSlice('10.244.0.2', '10.244.0.3'), udpSlice('10.244.0.2', '10.244.0.3')];
  remote.endpoints = remote.endpoints!.slice(1);
  const local: Service = { ...udp, spec: { ...udp.spec, internalTrafficPolicy: 'Local' } };
  const back = (service: Service) =>
    staleConnections(planService(service, [remote], node), planService(service, [both], node)).length;
  expect([back(udp), back(local)]).toEqual([0, 2]);
});

it('half-open TCP connections to removed endpoints are deleted, and no others', () => {
  const plans = (...ips: string[]) => planService(web, [slice(...ips)], node);
  expect(removedTcpEndpoints(plans('10.244.0.2', '10.244.0.3'), plans('10.244.0.3'))).toEqual(['10.244.0.2 8080']);
  expect(removedTcpEndpoints(plans('10.244.0.2'), plans('10.244.0.2', '10.244.0.3'))).toEqual([]);
  const entry = (client: string, endpoint: string, port: number): string =>
    `tcp      6 118 SYN_SENT src=${client} dst=10.96.0.7 sport=40000 dport=80 [UNREPLIED] src=${endpoint} dst=${client} sport=${port} dport=40000 mark=0 use=1`;
  const listed = [
    entry('10.0.0.1', '10.244.0.2', 8080),
    entry('10.0.0.9', '10.244.0.2', 8080),
    entry('10.0.0.1', '10.244.0.3', 8080),
    entry('10.0.0.1', '10.244.0.2', 9090),
    '',
  ].join('\n');
  expect(halfOpenConnections(listed, new Set(['10.244.0.2 8080'])).map((line) => line.join(' '))).toEqual([
    '-D -f ipv4 -p tcp --state SYN_SENT --orig-dst 10.96.0.7 --dst-nat 10.244.0.2',
  ]);
});

describe('configuration', () => {
  it('is read from a KubeProxyConfiguration', () => {
    const text =
      'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: iptables\nclusterCIDR: 10.244.0.0/16\niptables:\n  masqueradeAll: true\n  minSyncPeriod: 2s\nclientConnection:\n  kubeconfig: /k\n';
    expect(loadKubeProxyConfiguration(text)).toMatchObject({
      mode: 'iptables',
      clusterCidr: '10.244.0.0/16',
      masqueradeAll: true,
      minSyncPeriodMs: 2000,
      kubeconfig: '/k',
      nodePortAddresses: [],
    });
  });

  it.each([
    ['ipvs is refused by name', () => checkMode('ipvs'), /proxy mode "ipvs" is not available/],
    ['unknown modes', () => checkMode('magic'), /mode: Unsupported value: "magic"/],
    [
      'unknown fields',
      () =>
        loadKubeProxyConfiguration(
          'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmood: good\n',
        ),
      /unknown field "mood"/,
    ],
    ['another kind', () => loadKubeProxyConfiguration('apiVersion: v1\nkind: Pod\n'), /no kind "Pod"/],
  ])('%s', (_what, work, message) => {
    expect(work).toThrow(message);
  });
});
