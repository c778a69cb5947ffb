/**
 * The nftables rules of one Service port: elements of the shared sets and maps, and own chains only for session
 * affinity or source ranges.
 *
 * Services without affinity share their chains: `lb-tcp-3` serves every TCP Service with three endpoints. It draws a
 * random number below three and looks up (address, port, number) in the map `endpoints-tcp`. So neither the number of
 * chains nor the cost of a packet grows with the number of Services, and a changed endpoint changes one element.
 */
import { createHash } from 'node:crypto';
import { base32 } from '../../base/index.ts';
import {
  type EndpointAddress,
  type Protocol,
  type ServicePlan,
  externalEndpoints,
  internalEndpoints,
} from '../../component-helpers/index.ts';
import { addressField, markForMasquerade, oneOrSet, type RuleSettings } from './expressions.ts';

/** The names of the table's sets and maps. */
export type SetName =
  | 'cluster-ips'
  | 'hairpin-connections'
  | 'service-ips'
  | 'service-nodeports'
  | 'no-endpoint-services'
  | 'no-endpoint-nodeports'
  | 'firewall-ips'
  | 'external-cluster-ips'
  | 'external-local-ips'
  | 'external-cluster-nodeports'
  | 'external-local-nodeports'
  | `${EndpointMap}-${Protocol}`;

/** The maps of endpoints. There is one for each protocol, because nft's port types belong to a protocol. */
export type EndpointMap = 'endpoints' | 'local-endpoints' | 'nodeport-endpoints' | 'nodeport-local-endpoints';

export interface ServiceRules {
  /**
   * Element key → value; a set's values are ''. Several Services may have the same keys of `cluster-ips` and
   * `hairpin-connections`.
   */
  readonly elements: ReadonlyMap<SetName, ReadonlyMap<string, string>>;
  /** This Service's own chains: name → rules. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** This Service's own sets: name → declaration. */
  readonly sets: ReadonlyMap<string, string>;
  /** The shared chains that the Service uses. */
  readonly shared: ReadonlySet<SharedChainKey>;
}

/** The protocol and the number of endpoints of a shared chain, such as `tcp 3`. */
export type SharedChainKey = `${Protocol} ${number}`;

/** Shared chains without the protocol and the number of endpoints that end their names. */
type SharedChain = 'lb' | 'masq-lb' | 'local-lb' | 'nodeport-lb' | 'masq-nodeport-lb' | 'nodeport-local-lb';

/** An address and port, or a node port, where clients reach the Service. */
interface Destination {
  readonly protocol: Protocol;
  /** Key of the verdict maps of Services and node ports. */
  readonly key: string;
  /** Key of the maps of endpoints, which are per protocol, without the endpoint's index. */
  readonly endpointKey: string;
}

class ServiceRulesBuilder implements ServiceRules {
  readonly elements = new Map<SetName, Map<string, string>>();
  readonly chains = new Map<string, string[]>();
  readonly sets = new Map<string, string>();
  readonly shared = new Set<SharedChainKey>();

  add(set: SetName, key: string, value = ''): void {
    const elements = this.elements.get(set) ?? new Map<string, string>();
    this.elements.set(set, elements.set(key, value));
  }

  /** Adds the endpoints to a map and returns the verdict that load balances over them. */
  loadBalance(
    destination: Destination,
    [map, chain]: readonly [EndpointMap, SharedChain],
    endpoints: readonly EndpointAddress[],
  ): string {
    endpoints.forEach(({ ip, port }, index) =>
      this.add(`${map}-${destination.protocol}`, `${destination.endpointKey} . ${index}`, `${ip} . ${port}`),
    );
    this.shared.add(`${destination.protocol} ${endpoints.length}`);
    return `goto ${chain}-${destination.protocol}-${endpoints.length}`;
  }
}

export function serviceRules(plan: ServicePlan, settings: RuleSettings): ServiceRules {
  const rules = new ServiceRulesBuilder();
  const at = (address: string): Destination => ({
    protocol: plan.protocol,
    key: `${address} . ${plan.protocol} . ${plan.port}`,
    endpointKey: `${address} . ${plan.port}`,
  });
  rules.add('cluster-ips', plan.clusterIp);
  for (const { ip, port } of plan.endpoints.hairpins)
    rules.add('hairpin-connections', `${ip} . ${ip} . ${plan.protocol} . ${port}`);
  addClusterIp(rules, plan, at(plan.clusterIp));
  const externalIps = [...plan.externalIps, ...plan.loadBalancerIps];
  for (const address of externalIps) addExternal(rules, plan, at(address), EXTERNAL_IPS, settings);
  if (plan.nodePort !== undefined)
    addExternal(
      rules,
      plan,
      {
        protocol: plan.protocol,
        key: `${plan.protocol} . ${plan.nodePort}`,
        endpointKey: String(plan.nodePort),
      },
      NODE_PORTS,
      settings,
    );
  if (plan.sourceRanges && plan.loadBalancerIps.length > 0) {
    const chain = chainName('firewall', plan);
    rules.chains.set(
      chain,
      plan.sourceRanges.length > 0
        ? [`${addressField(plan.family)} saddr != { ${plan.sourceRanges.join(', ')} } drop`]
        : ['drop'],
    );
    for (const address of plan.loadBalancerIps) rules.add('firewall-ips', at(address).key, `goto ${chain}`);
  }
  return rules;
}

function addClusterIp(rules: ServiceRulesBuilder, plan: ServicePlan, destination: Destination): void {
  const { key } = destination;
  const endpoints = internalEndpoints(plan);
  if (endpoints.length === 0) {
    // With traffic policy Local, packets are dropped if only other nodes have endpoints.
    rules.add(
      'no-endpoint-services',
      key,
      plan.internalPolicyLocal && plan.endpoints.cluster.length > 0 ? 'drop' : 'goto reject-chain',
    );
    return;
  }
  if (plan.affinitySeconds !== undefined)
    rules.add('service-ips', key, `goto ${affinityChain(rules, plan, plan.internalPolicyLocal ? 'local' : 'cluster')}`);
  else rules.add('service-ips', key, rules.loadBalance(destination, ['endpoints', 'lb'], endpoints));
}

/** The maps and chains of one kind of external destination. */
interface ExternalMaps {
  readonly noEndpoints: SetName;
  readonly services: SetName;
  readonly fromCluster: SetName;
  readonly local: SetName;
  /** With traffic policy Local, tells traffic from inside the cluster from traffic from outside. */
  readonly localChain: string;
  readonly masqueradedLb: LoadBalanceNames;
  readonly clusterLb: LoadBalanceNames;
  readonly localLb: LoadBalanceNames;
}

type LoadBalanceNames = readonly [EndpointMap, SharedChain];

const EXTERNAL_IPS: ExternalMaps = {
  noEndpoints: 'no-endpoint-services',
  services: 'service-ips',
  fromCluster: 'external-cluster-ips',
  local: 'external-local-ips',
  localChain: 'external-local',
  masqueradedLb: ['endpoints', 'masq-lb'],
  clusterLb: ['endpoints', 'lb'],
  localLb: ['local-endpoints', 'local-lb'],
};

const NODE_PORTS: ExternalMaps = {
  noEndpoints: 'no-endpoint-nodeports',
  services: 'service-nodeports',
  fromCluster: 'external-cluster-nodeports',
  local: 'external-local-nodeports',
  localChain: 'nodeport-external-local',
  masqueradedLb: ['nodeport-endpoints', 'masq-nodeport-lb'],
  clusterLb: ['nodeport-endpoints', 'nodeport-lb'],
  localLb: ['nodeport-local-endpoints', 'nodeport-local-lb'],
};

/** An external IP, a load balancer's address or a node port. */
function addExternal(
  rules: ServiceRulesBuilder,
  plan: ServicePlan,
  destination: Destination,
  maps: ExternalMaps,
  settings: RuleSettings,
): void {
  const { key } = destination;
  const { cluster, local } = plan.endpoints;
  if (externalEndpoints(plan).length === 0)
    rules.add(maps.noEndpoints, key, plan.externalPolicyLocal && cluster.length > 0 ? 'drop' : 'goto reject-chain');
  if (cluster.length === 0) return;
  if (plan.affinitySeconds !== undefined) {
    rules.add(maps.services, key, `goto ${externalChain(rules, plan, settings)}`);
    return;
  }
  if (!plan.externalPolicyLocal) {
    rules.add(maps.services, key, rules.loadBalance(destination, maps.masqueradedLb, cluster));
    return;
  }
  // Traffic from inside the cluster goes to any endpoint. Traffic from outside keeps its source address and goes to
  // local endpoints only.
  rules.add(maps.services, key, `goto ${maps.localChain}`);
  rules.add(maps.fromCluster, key, rules.loadBalance(destination, maps.clusterLb, cluster));
  if (local.length > 0) rules.add(maps.local, key, rules.loadBalance(destination, maps.localLb, local));
}

/** What external traffic of a Service with session affinity passes before it reaches an endpoint. */
function externalChain(rules: ServiceRulesBuilder, plan: ServicePlan, settings: RuleSettings): string {
  const name = chainName('external', plan);
  if (rules.chains.has(name)) return name;
  const cluster = affinityChain(rules, plan, 'cluster');
  const mark = markForMasquerade(settings);
  const { clusterCidrs } = settings;
  rules.chains.set(
    name,
    plan.externalPolicyLocal
      ? [
          ...(clusterCidrs.length > 0
            ? [`${addressField(plan.family)} saddr ${oneOrSet(clusterCidrs)} goto ${cluster}`]
            : []),
          `fib saddr type local ${mark}`,
          `fib saddr type local goto ${cluster}`,
          ...(plan.endpoints.local.length > 0 ? [`goto ${affinityChain(rules, plan, 'local')}`] : []),
        ]
      : [mark, `goto ${cluster}`],
  );
  return name;
}

/** A chain with session affinity: each endpoint has a set of the client addresses that go to it. */
function affinityChain(rules: ServiceRulesBuilder, plan: ServicePlan, which: 'cluster' | 'local'): string {
  const name = chainName(which === 'cluster' ? 'service' : 'local', plan);
  if (rules.chains.has(name)) return name;
  const field = addressField(plan.family);
  const endpoints = plan.endpoints[which].map((endpoint) => ({
    ...endpoint,
    id: hashed(`${servicePath(plan)}__${endpoint.ip.replaceAll(':', '.')}/${endpoint.port}`),
  }));
  for (const { id, ip, port } of endpoints) {
    rules.sets.set(
      `affinity-${id}`,
      `{ type ${plan.family === 'IPv4' ? 'ipv4_addr' : 'ipv6_addr'} ; flags dynamic,timeout ; timeout ${plan.affinitySeconds}s ; }`,
    );
    const target = plan.family === 'IPv4' ? `${ip}:${port}` : `[${ip}]:${port}`;
    rules.chains.set(`endpoint-${id}`, [
      `update @affinity-${id} { ${field} saddr }`,
      `meta l4proto ${plan.protocol} dnat to ${target}`,
    ]);
  }
  rules.chains.set(name, [
    ...endpoints.map(({ id }) => `${field} saddr @affinity-${id} goto endpoint-${id}`),
    `numgen random mod ${endpoints.length} vmap { ${endpoints.map(({ id }, index) => `${index} : goto endpoint-${id}`).join(' , ')} }`,
  ]);
  return name;
}

/**
 * The names of a Service's own chains and sets are upstream's: it deletes those that it does not need, which it knows by the
 * slash, and a client keeps its endpoint when one kube-proxy follows the other.
 */
const chainName = (kind: string, plan: ServicePlan): string => `${kind}-${hashed(servicePath(plan))}`;

/** `namespace/service/protocol/port name` */
function servicePath({ name, protocol }: ServicePlan): string {
  const [service, port = ''] = name.split(':');
  return `${service}/${protocol}/${port}`;
}

/** nft's names have at most 256 characters, of which the longest prefix takes 16. */
const MAX_HASHED_LENGTH = 240;

function hashed(name: string): string {
  const whole = `${base32(createHash('sha256').update(name).digest()).slice(0, 8)}-${name}`;
  return whole.length > MAX_HASHED_LENGTH ? `${whole.slice(0, MAX_HASHED_LENGTH - 3)}...` : whole;
}
