/**
 * One Service port as elements of the shared sets and maps, and, only with session affinity or source ranges, chains
 * of its own.
 *
 * Services without affinity share their chains: `lb-tcp-3` serves every TCP Service with three endpoints. It draws a number
 * below three and looks up (address, port, number) in the map `endpoints-tcp`. So neither the number of chains nor
 * the cost of a packet grows with the number of Services, and a changed endpoint is a changed element.
 */
import { createHash } from 'node:crypto';
import type { EndpointAddress } from '../choose-endpoints.ts';
import { externalEndpoints, internalEndpoints, type Protocol, type ServicePlan } from '../service-plan.ts';

/** What a set or map of the table is called. */
export type ContainerName =
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

/** Maps of endpoints, one a protocol: nft's ports know whose they are. */
export type EndpointMap = 'endpoints' | 'local-endpoints' | 'nodeport-endpoints' | 'nodeport-local-endpoints';

export interface Fragment {
  /** Element key → value; '' in a set. Keys of `cluster-ips` and `hairpin-connections` may be in several fragments. */
  readonly elements: ReadonlyMap<ContainerName, ReadonlyMap<string, string>>;
  /** Chains of this Service alone. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** Sets of this Service alone: name → declaration. */
  readonly sets: ReadonlyMap<string, string>;
  /** The shared chains that it needs, as `tcp 3`. */
  readonly shared: ReadonlySet<SharedSize>;
}

/** A protocol and a number of endpoints. */
export type SharedSize = `${Protocol} ${number}`;

/** `goto` the shared chain for so many endpoints. */
type SharedChain = 'lb' | 'masq-lb' | 'local-lb' | 'nodeport-lb' | 'masq-nodeport-lb' | 'nodeport-local-lb';

/** Where a Service is reached: the key of the maps of Services, and of those of endpoints, which say no protocol. */
interface Place {
  readonly protocol: Protocol;
  readonly key: string;
  readonly balanced: string;
}

class FragmentBuilder implements Fragment {
  readonly elements = new Map<ContainerName, Map<string, string>>();
  readonly chains = new Map<string, string[]>();
  readonly sets = new Map<string, string>();
  readonly shared = new Set<SharedSize>();

  add(container: ContainerName, key: string, value = ''): void {
    const elements = this.elements.get(container) ?? new Map<string, string>();
    this.elements.set(container, elements.set(key, value));
  }

  /** Fills a map of endpoints and gives the verdict that uses it. */
  balance(
    place: Place,
    [map, chain]: readonly [EndpointMap, SharedChain],
    endpoints: readonly EndpointAddress[],
  ): string {
    endpoints.forEach(({ ip, port }, index) =>
      this.add(`${map}-${place.protocol}`, `${place.balanced} . ${index}`, `${ip} . ${port}`),
    );
    this.shared.add(`${place.protocol} ${endpoints.length}`);
    return `goto ${chain}-${place.protocol}-${endpoints.length}`;
  }
}

export function serviceFragment(plan: ServicePlan): Fragment {
  const fragment = new FragmentBuilder();
  const at = (address: string): Place => ({
    protocol: plan.protocol,
    key: `${address} . ${plan.protocol} . ${plan.port}`,
    balanced: `${address} . ${plan.port}`,
  });
  fragment.add('cluster-ips', plan.clusterIp);
  for (const ip of plan.endpoints.here) fragment.add('hairpin-connections', `${ip} . ${ip}`);
  toClusterIp(fragment, plan, at(plan.clusterIp));
  const externalIps = [...plan.externalIps, ...plan.loadBalancerIps];
  for (const address of externalIps) toExternalIp(fragment, plan, at(address));
  if (plan.nodePort !== undefined)
    toNodePort(fragment, plan, {
      protocol: plan.protocol,
      key: `${plan.protocol} . ${plan.nodePort}`,
      balanced: String(plan.nodePort),
    });
  if (plan.sourceRanges && plan.loadBalancerIps.length > 0) {
    const chain = chainName('firewall', plan);
    fragment.chains.set(
      chain,
      plan.sourceRanges.length > 0
        ? [`${addressField(plan)} saddr != { ${plan.sourceRanges.join(', ')} } drop`]
        : ['drop'],
    );
    for (const address of plan.loadBalancerIps) fragment.add('firewall-ips', at(address).key, `goto ${chain}`);
  }
  return fragment;
}

function toClusterIp(fragment: FragmentBuilder, plan: ServicePlan, place: Place): void {
  const { key } = place;
  const endpoints = internalEndpoints(plan);
  if (endpoints.length === 0) {
    // Others have endpoints, this node has none and may not use theirs: the client has to give up on its own.
    fragment.add(
      'no-endpoint-services',
      key,
      plan.internalPolicyLocal && plan.endpoints.cluster.length > 0 ? 'drop' : 'goto reject-chain',
    );
    return;
  }
  if (plan.affinitySeconds !== undefined)
    fragment.add(
      'service-ips',
      key,
      `goto ${affinityChain(fragment, plan, plan.internalPolicyLocal ? 'local' : 'cluster')}`,
    );
  else fragment.add('service-ips', key, fragment.balance(place, ['endpoints', 'lb'], endpoints));
}

function toExternalIp(fragment: FragmentBuilder, plan: ServicePlan, place: Place): void {
  const { key } = place;
  if (externalEndpoints(plan).length === 0)
    fragment.add(
      'no-endpoint-services',
      key,
      plan.externalPolicyLocal && plan.endpoints.cluster.length > 0 ? 'drop' : 'goto reject-chain',
    );
  if (plan.endpoints.cluster.length === 0) return;
  const { affinitySeconds } = plan;
  if (!plan.externalPolicyLocal) {
    fragment.add(
      'service-ips',
      key,
      affinitySeconds === undefined
        ? fragment.balance(place, ['endpoints', 'masq-lb'], plan.endpoints.cluster)
        : `goto ${masqueraded(fragment, affinityChain(fragment, plan, 'cluster'))}`,
    );
    return;
  }
  // From inside the cluster any endpoint will do; from outside only those here, with the client's address kept.
  fragment.add('service-ips', key, 'goto external-local');
  fragment.add(
    'external-cluster-ips',
    key,
    affinitySeconds === undefined
      ? fragment.balance(place, ['endpoints', 'lb'], plan.endpoints.cluster)
      : `goto ${affinityChain(fragment, plan, 'cluster')}`,
  );
  if (plan.endpoints.local.length === 0) return;
  fragment.add(
    'external-local-ips',
    key,
    affinitySeconds === undefined
      ? fragment.balance(place, ['local-endpoints', 'local-lb'], plan.endpoints.local)
      : `goto ${affinityChain(fragment, plan, 'local')}`,
  );
}

function toNodePort(fragment: FragmentBuilder, plan: ServicePlan, place: Place): void {
  const { key } = place;
  if (externalEndpoints(plan).length === 0)
    fragment.add(
      'no-endpoint-nodeports',
      key,
      plan.externalPolicyLocal && plan.endpoints.cluster.length > 0 ? 'drop' : 'goto reject-chain',
    );
  if (plan.endpoints.cluster.length === 0) return;
  const { affinitySeconds } = plan;
  if (!plan.externalPolicyLocal) {
    fragment.add(
      'service-nodeports',
      key,
      affinitySeconds === undefined
        ? fragment.balance(place, ['nodeport-endpoints', 'masq-nodeport-lb'], plan.endpoints.cluster)
        : `goto ${masqueraded(fragment, affinityChain(fragment, plan, 'cluster'))}`,
    );
    return;
  }
  fragment.add('service-nodeports', key, 'goto nodeport-external-local');
  fragment.add(
    'external-cluster-nodeports',
    key,
    affinitySeconds === undefined
      ? fragment.balance(place, ['nodeport-endpoints', 'nodeport-lb'], plan.endpoints.cluster)
      : `goto ${affinityChain(fragment, plan, 'cluster')}`,
  );
  if (plan.endpoints.local.length === 0) return;
  fragment.add(
    'external-local-nodeports',
    key,
    affinitySeconds === undefined
      ? fragment.balance(place, ['nodeport-local-endpoints', 'nodeport-local-lb'], plan.endpoints.local)
      : `goto ${affinityChain(fragment, plan, 'local')}`,
  );
}

function masqueraded(fragment: FragmentBuilder, chain: string): string {
  const name = `masq-${chain}`;
  fragment.chains.set(name, ['jump mark-for-masquerade', `goto ${chain}`]);
  return name;
}

/** A client that is remembered with an endpoint goes there again; a new one is remembered where it is sent. */
function affinityChain(fragment: FragmentBuilder, plan: ServicePlan, which: 'cluster' | 'local'): string {
  const name = chainName(which === 'cluster' ? 'service' : 'local', plan);
  if (fragment.chains.has(name)) return name;
  const field = addressField(plan);
  const endpoints = plan.endpoints[which].map((endpoint) => ({
    ...endpoint,
    id: `${hash(`${plan.name} ${plan.protocol} ${endpoint.ip} ${endpoint.port}`)}-${endpoint.ip.replaceAll(':', '.')}/${endpoint.port}`,
  }));
  for (const { id, ip, port } of endpoints) {
    fragment.sets.set(
      `affinity-${id}`,
      `{ type ${plan.family === 'IPv4' ? 'ipv4_addr' : 'ipv6_addr'} ; flags dynamic,timeout ; timeout ${plan.affinitySeconds}s ; }`,
    );
    const target = plan.family === 'IPv4' ? `${ip}:${port}` : `[${ip}]:${port}`;
    fragment.chains.set(`endpoint-${id}`, [
      `update @affinity-${id} { ${field} saddr }`,
      `meta l4proto ${plan.protocol} dnat to ${target}`,
    ]);
  }
  fragment.chains.set(name, [
    ...endpoints.map(({ id }) => `${field} saddr @affinity-${id} goto endpoint-${id}`),
    `numgen random mod ${endpoints.length} vmap { ${endpoints.map(({ id }, index) => `${index} : goto endpoint-${id}`).join(' , ')} }`,
  ]);
  return name;
}

const addressField = ({ family }: ServicePlan): string => (family === 'IPv4' ? 'ip' : 'ip6');

/** Readable, unique, and within nft's 128 characters. */
function chainName(kind: string, { name, protocol }: ServicePlan): string {
  return `${kind}-${hash(`${name} ${protocol}`)}-${name.replace(':', '/')}/${protocol}`.slice(0, 120);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
