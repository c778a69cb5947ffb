/** kube-proxy's nftables table: the sets, maps and base chains that every Service's elements go into. */
import type { Family, Protocol } from '../service-plan.ts';
import type { SetName, EndpointMap } from './service-rules.ts';

export interface BaseTableOptions {
  readonly family: Family;
  /** Pod CIDRs. Traffic from other sources to a cluster IP is masqueraded. */
  readonly clusterCidrs: readonly string[];
  /** The node's addresses that accept NodePort traffic. */
  readonly nodePortAddresses: readonly string[];
  readonly masqueradeAll: boolean;
  readonly masqueradeBit: number;
}

const PROTOCOLS: readonly Protocol[] = ['tcp', 'udp', 'sctp'];

export const TABLE = 'kube-proxy';
export const tableOf = (family: Family): string => `${family === 'IPv4' ? 'ip' : 'ip6'} ${TABLE}`;

/**
 * The nft declaration of each set and map. Those that upstream's kube-proxy has under the same name have its type: its first
 * transaction on a node of ours would fail otherwise.
 */
function declarations(family: Family): Partial<Record<SetName, string>> {
  const field = family === 'IPv4' ? 'ip' : 'ip6';
  const address = family === 'IPv4' ? 'ipv4_addr' : 'ipv6_addr';
  const service = `${address} . inet_proto . inet_service`;
  const verdicts = (key: string): string => `map NAME { type ${key} : verdict ; }`;
  // nft has no named type for the random number in the key, so `typeof` takes the types from expressions.
  const endpoints = (name: EndpointMap, key: string): [SetName, string][] =>
    PROTOCOLS.map((protocol) => [
      `${name}-${protocol}`,
      `map NAME { typeof ${key}${protocol} dport . numgen random mod 2 : ${field} daddr . ${protocol} dport ; }`,
    ]);
  return {
    'cluster-ips': `set NAME { type ${address} ; }`,
    'hairpin-connections': `set NAME { type ${address} . ${service} ; }`,
    'service-ips': verdicts(service),
    'service-nodeports': verdicts('inet_proto . inet_service'),
    'no-endpoint-services': verdicts(service),
    'no-endpoint-nodeports': verdicts('inet_proto . inet_service'),
    'firewall-ips': verdicts(service),
    'external-cluster-ips': verdicts(service),
    'external-local-ips': verdicts(service),
    'external-cluster-nodeports': verdicts('inet_proto . inet_service'),
    'external-local-nodeports': verdicts('inet_proto . inet_service'),
    ...Object.fromEntries([
      ...endpoints('endpoints', `${field} daddr . `),
      ...endpoints('local-endpoints', `${field} daddr . `),
      ...endpoints('nodeport-endpoints', ''),
      ...endpoints('nodeport-local-endpoints', ''),
    ]),
  };
}

/** nft commands that replace the table; they belong into one transaction with the commands that fill it. */
export function baseTable(options: BaseTableOptions): string[] {
  const table = tableOf(options.family);
  const chains = tableChains(options);
  return [
    `add table ${table} { comment "rules for kube-proxy" ; }`,
    `delete table ${table}`,
    `add table ${table} { comment "rules for kube-proxy" ; }`,
    ...Object.entries(declarations(options.family)).map(
      ([name, text]) => `add ${text.replace(/^(set|map) NAME/, `$1 ${table} ${name}`)}`,
    ),
    ...chains.map(([name, hook]) => `add chain ${table} ${name}${hook ? ` { ${hook} }` : ''}`),
    ...chains.flatMap(([name, , rules]) => rules.map((rule) => `add rule ${table} ${name} ${rule}`)),
  ];
}

type Chain = readonly [name: string, hook: string, rules: readonly string[]];

/** The chains that all Services share; base chains call them. */
function tableChains(options: BaseTableOptions): readonly Chain[] {
  const { family, clusterCidrs, nodePortAddresses, masqueradeAll } = options;
  const field = family === 'IPv4' ? 'ip' : 'ip6';
  const mark = `0x${(1 << options.masqueradeBit).toString(16)}`;
  const service = `${field} daddr . meta l4proto . th dport`;
  const nodePort = 'meta l4proto . th dport';
  const outside = masqueradeAll
    ? ''
    : clusterCidrs.length > 0
      ? `${field} saddr != { ${clusterCidrs.join(', ')} } `
      : undefined;
  return [
    ['mark-for-masquerade', '', [`mark set mark or ${mark}`]],
    [
      'masquerading',
      '',
      [
        `ct status dnat ${field} saddr . ${service} @hairpin-connections masquerade fully-random`,
        `mark and ${mark} == 0 return`,
        `mark set mark xor ${mark}`,
        'masquerade fully-random',
      ],
    ],
    ['reject-chain', '', ['reject']],
    ['external-local', '', externalLocal(service, 'ips', { field, clusterCidrs })],
    ['nodeport-external-local', '', externalLocal(nodePort, 'nodeports', { field, clusterCidrs })],
    [
      'services',
      '',
      [
        ...(outside === undefined ? [] : [`${field} daddr @cluster-ips ${outside}jump mark-for-masquerade`]),
        `${service} vmap @service-ips`,
        ...(nodePortAddresses.length > 0
          ? [`${field} daddr { ${nodePortAddresses.join(', ')} } ${nodePort} vmap @service-nodeports`]
          : []),
      ],
    ],
    [
      'endpoints-check',
      '',
      [
        `${service} vmap @no-endpoint-services`,
        ...(nodePortAddresses.length > 0
          ? [`${field} daddr { ${nodePortAddresses.join(', ')} } ${nodePort} vmap @no-endpoint-nodeports`]
          : []),
        // No Service has this port of the cluster IP.
        `${field} daddr @cluster-ips reject`,
      ],
    ],
    ...hookChains(service),
  ];
}

/** The base chains: those that the kernel calls, with their hooks. */
function hookChains(service: string): readonly Chain[] {
  return [
    ['nat-prerouting', 'type nat hook prerouting priority -100 ;', ['jump services']],
    ['nat-output', 'type nat hook output priority -100 ;', ['jump services']],
    ['nat-postrouting', 'type nat hook postrouting priority 100 ;', ['jump masquerading']],
    [
      'filter-prerouting-pre-dnat',
      'type filter hook prerouting priority -110 ;',
      [`ct state new ${service} vmap @firewall-ips`],
    ],
    [
      'filter-output-pre-dnat',
      'type filter hook output priority -110 ;',
      [`ct state new ${service} vmap @firewall-ips`],
    ],
    ['filter-input', 'type filter hook input priority 0 ;', ['ct state new jump endpoints-check']],
    ['filter-forward', 'type filter hook forward priority 0 ;', ['ct state new jump endpoints-check']],
    ['filter-output', 'type filter hook output priority 0 ;', ['ct state new jump endpoints-check']],
  ];
}

function externalLocal(
  key: string,
  kind: 'ips' | 'nodeports',
  { field, clusterCidrs }: { field: string; clusterCidrs: readonly string[] },
): string[] {
  const toCluster = `${key} vmap @external-cluster-${kind}`;
  return [
    ...(clusterCidrs.length > 0 ? [`${field} saddr { ${clusterCidrs.join(', ')} } ${toCluster}`] : []),
    'fib saddr type local jump mark-for-masquerade',
    `fib saddr type local ${toCluster}`,
    `${key} vmap @external-local-${kind}`,
  ];
}

/** The load balancing chains that all Services of a protocol with `size` endpoints share. */
export function sharedChains(family: Family, protocol: Protocol, size: number): string[] {
  const table = tableOf(family);
  const field = family === 'IPv4' ? 'ip' : 'ip6';
  const chain = (name: string, rules: readonly string[]): string[] => [
    `add chain ${table} ${name}`,
    `flush chain ${table} ${name}`,
    ...rules.map((rule) => `add rule ${table} ${name} ${rule}`),
  ];
  const balance = (name: string, key: string, map: EndpointMap): string[] =>
    chain(`${name}-${protocol}-${size}`, [
      `dnat ${field} to ${key}${protocol} dport . numgen random mod ${size} map @${map}-${protocol}`,
    ]);
  const marked = (name: string): string[] =>
    chain(`masq-${name}-${protocol}-${size}`, ['jump mark-for-masquerade', `goto ${name}-${protocol}-${size}`]);
  return [
    ...balance('lb', `${field} daddr . `, 'endpoints'),
    ...marked('lb'),
    ...balance('local-lb', `${field} daddr . `, 'local-endpoints'),
    ...balance('nodeport-lb', '', 'nodeport-endpoints'),
    ...marked('nodeport-lb'),
    ...balance('nodeport-local-lb', '', 'nodeport-local-endpoints'),
  ];
}
