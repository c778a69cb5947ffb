/** kube-proxy's nftables table: the sets, maps and base chains that every Service's elements go into. */
import type { Family, Protocol } from '../../component-helpers/index.ts';
import { addressField, markForMasquerade, masqueradeMark, oneOrSet, type RuleSettings } from './expressions.ts';
import type { SetName, EndpointMap } from './service-rules.ts';

export interface BaseTableOptions extends RuleSettings {
  readonly family: Family;
  /** The node's addresses that accept NodePort traffic. */
  readonly nodePortAddresses: readonly string[];
  readonly masqueradeAll: boolean;
  /** The cluster's ServiceCIDRs: packets to addresses in them that no Service has are dropped. */
  readonly serviceCidrs?: readonly string[];
}

const PROTOCOLS: readonly Protocol[] = ['tcp', 'udp', 'sctp'];

export const TABLE = 'kube-proxy';
export const tableOf = (family: Family): string => `${addressField(family)} ${TABLE}`;

/**
 * The nft declaration of each set and map. Those that upstream's kube-proxy has under the same name have its type: its first
 * transaction on a node of ours would fail otherwise.
 */
function declarations(family: Family): Partial<Record<SetName, string>> {
  const field = addressField(family);
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
  const { family, nodePortAddresses } = options;
  const table = tableOf(family);
  const chains = tableChains(options);
  const sets = { ...declarations(family), ...nodePortSet(options) };
  return [
    `add table ${table} { comment "rules for kube-proxy" ; }`,
    `delete table ${table}`,
    `add table ${table} { comment "rules for kube-proxy" ; }`,
    ...Object.entries(sets).map(([name, text]) => `add ${text.replace(/^(set|map) NAME/, `$1 ${table} ${name}`)}`),
    ...('nodeport-ips' in sets ? [`add element ${table} nodeport-ips { ${nodePortAddresses.join(', ')} }`] : []),
    ...chains.map(([name, hook]) => `add chain ${table} ${name}${hook ? ` { ${hook} }` : ''}`),
    ...chains.flatMap(([name, , rules]) => rules.map((rule) => `add rule ${table} ${name} ${rule}`)),
  ];
}

/** The set of the addresses that accept NodePort traffic, where they are single addresses. */
function nodePortSet({ family, nodePortAddresses }: BaseTableOptions): Record<string, string> {
  const isSet = nodePortAddresses.length > 0 && nodePortAddresses.every((address) => !address.includes('/'));
  return isSet ? { 'nodeport-ips': `set NAME { type ${family === 'IPv4' ? 'ipv4_addr' : 'ipv6_addr'} ; }` } : {};
}

/**
 * Matches packets to node ports; undefined when no address accepts them. A range is not enough: packets to another host in
 * it pass through the node as well, so the address must also be the node's own. Node ports do not answer on loopback.
 */
function toNodePorts(options: BaseTableOptions): string | undefined {
  const { family, nodePortAddresses } = options;
  const field = addressField(family);
  if (nodePortAddresses.length === 0) return undefined;
  if ('nodeport-ips' in nodePortSet(options)) return `${field} daddr @nodeport-ips`;
  const notLoopback = family === 'IPv4' ? 'ip daddr != 127.0.0.0/8' : 'ip6 daddr != ::1';
  const isEvery = nodePortAddresses.some((address) => /^(?:0\.0\.0\.0|::)\/0$/.test(address));
  const inRange = isEvery ? '' : ` ${field} daddr ${oneOrSet(nodePortAddresses)}`;
  return `fib daddr type local ${notLoopback}${inRange}`;
}

type Chain = readonly [name: string, hook: string, rules: readonly string[]];

/**
 * The chains that all Services share; base chains call them. Their names and rules are upstream's, so that what people know
 * about its table is true of ours; `external-local` and its like, which serve many Services at once, are not in it.
 */
function tableChains(options: BaseTableOptions): readonly Chain[] {
  const { family, clusterCidrs, masqueradeAll, serviceCidrs = [] } = options;
  const field = addressField(family);
  const mark = masqueradeMark(options);
  const service = `${field} daddr . meta l4proto . th dport`;
  const nodePort = 'meta l4proto . th dport';
  const nodePortMatch = toNodePorts(options);
  const outside = masqueradeAll
    ? ''
    : clusterCidrs.length > 0
      ? `${field} saddr != ${oneOrSet(clusterCidrs)} `
      : undefined;
  return [
    [
      'masquerading',
      '',
      [
        `mark and ${mark} != 0 mark set mark xor ${mark} masquerade fully-random`,
        `ct status dnat ${field} saddr . ${service} @hairpin-connections masquerade fully-random`,
      ],
    ],
    ['reject-chain', '', ['reject']],
    ['external-local', '', externalLocal(service, 'ips', options)],
    ['nodeport-external-local', '', externalLocal(nodePort, 'nodeports', options)],
    [
      'services',
      '',
      [
        ...(outside === undefined ? [] : [`${field} daddr @cluster-ips ${outside}${markForMasquerade(options)}`]),
        `${service} vmap @service-ips`,
        ...(nodePortMatch === undefined ? [] : [`${nodePortMatch} ${nodePort} vmap @service-nodeports`]),
      ],
    ],
    ['service-endpoints-check', '', [`${service} vmap @no-endpoint-services`]],
    [
      'nodeport-endpoints-check',
      '',
      nodePortMatch === undefined ? [] : [`${nodePortMatch} ${nodePort} vmap @no-endpoint-nodeports`],
    ],
    [
      'cluster-ips-check',
      '',
      [
        // No Service has this port of the cluster IP.
        `${field} daddr @cluster-ips reject`,
        // No Service has this cluster IP: without the rule the packet would leave the node.
        ...(serviceCidrs.length > 0 ? [`${field} daddr { ${serviceCidrs.join(', ')} } drop`] : []),
      ],
    ],
    ['firewall-check', '', [`${service} vmap @firewall-ips`]],
    ...HOOK_CHAINS,
  ];
}

/** The base chains: those that the kernel calls, with their hooks. */
const HOOK_CHAINS: readonly Chain[] = [
  ['nat-prerouting', 'type nat hook prerouting priority -100 ;', ['jump services']],
  ['nat-output', 'type nat hook output priority -100 ;', ['jump services']],
  ['nat-postrouting', 'type nat hook postrouting priority 100 ;', ['jump masquerading']],
  ['filter-prerouting-pre-dnat', 'type filter hook prerouting priority -110 ;', ['ct state new jump firewall-check']],
  ['filter-output-pre-dnat', 'type filter hook output priority -110 ;', ['ct state new jump firewall-check']],
  [
    'filter-input',
    'type filter hook input priority 0 ;',
    ['ct state new jump nodeport-endpoints-check', 'ct state new jump service-endpoints-check'],
  ],
  ...(['forward', 'output'] as const).map((hook): Chain => [
    `filter-${hook}`,
    `type filter hook ${hook} priority 0 ;`,
    ['ct state new jump service-endpoints-check', 'ct state new jump cluster-ips-check'],
  ]),
];

function externalLocal(key: string, kind: 'ips' | 'nodeports', options: BaseTableOptions): string[] {
  const { family, clusterCidrs } = options;
  const toCluster = `${key} vmap @external-cluster-${kind}`;
  return [
    ...(clusterCidrs.length > 0 ? [`${addressField(family)} saddr ${oneOrSet(clusterCidrs)} ${toCluster}`] : []),
    `fib saddr type local ${markForMasquerade(options)}`,
    `fib saddr type local ${toCluster}`,
    `${key} vmap @external-local-${kind}`,
  ];
}

/** The load balancing chains that all Services of a protocol with `size` endpoints share. */
export function sharedChains(options: BaseTableOptions, protocol: Protocol, size: number): string[] {
  const { family } = options;
  const table = tableOf(family);
  const field = addressField(family);
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
    chain(`masq-${name}-${protocol}-${size}`, [markForMasquerade(options), `goto ${name}-${protocol}-${size}`]);
  return [
    ...balance('lb', `${field} daddr . `, 'endpoints'),
    ...marked('lb'),
    ...balance('local-lb', `${field} daddr . `, 'local-endpoints'),
    ...balance('nodeport-lb', '', 'nodeport-endpoints'),
    ...marked('nodeport-lb'),
    ...balance('nodeport-local-lb', '', 'nodeport-local-endpoints'),
  ];
}
