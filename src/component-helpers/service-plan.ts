/**
 * The plan of one Service port in one address family: the addresses and ports where clients reach it, and the
 * endpoints that this node forwards to. Pure; the nftables and the iptables writer both start from plans.
 */
import type { Service, ServicePort } from '../api/generated/core-v1.ts';
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';
import { cidrContains, parseCidr, parseIp } from '../base/index.ts';
import {
  chooseEndpoints,
  endpointsOfPort,
  type ChosenEndpoints,
  type EndpointAddress,
  type NodeTopology,
} from './choose-endpoints.ts';

export type Family = 'IPv4' | 'IPv6';
export type Protocol = 'tcp' | 'udp' | 'sctp';

export interface ServicePlan {
  /** `namespace/name:port`, upstream's ServicePortName. Logs and rule comments show it. */
  readonly name: string;
  readonly family: Family;
  readonly protocol: Protocol;
  readonly port: number;
  readonly clusterIp: string;
  readonly externalIps: readonly string[];
  /** Load balancer addresses with ipMode VIP, whose packets arrive with that address as destination. */
  readonly loadBalancerIps: readonly string[];
  /** The sources that load balancer addresses accept; undefined for all. */
  readonly sourceRanges: readonly string[] | undefined;
  readonly nodePort: number | undefined;
  /** The ClientIP session affinity timeout; undefined without session affinity. */
  readonly affinitySeconds: number | undefined;
  readonly internalPolicyLocal: boolean;
  readonly externalPolicyLocal: boolean;
  readonly endpoints: ChosenEndpoints;
}

/** The endpoints for traffic to the cluster IP. */
export const internalEndpoints = ({ internalPolicyLocal, endpoints }: ServicePlan): readonly EndpointAddress[] =>
  internalPolicyLocal ? endpoints.local : endpoints.cluster;
/** The endpoints for traffic to external IPs, load balancer IPs and node ports. */
export const externalEndpoints = ({ externalPolicyLocal, endpoints }: ServicePlan): readonly EndpointAddress[] =>
  externalPolicyLocal ? endpoints.local : endpoints.cluster;

const PROXY_NAME_LABEL = 'service.kubernetes.io/service-proxy-name';
const HEADLESS_LABEL = 'service.kubernetes.io/headless';
const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/** kube-proxy skips headless and ExternalName Services and those labelled for another service proxy. */
function isProxied({ metadata, spec }: Service): boolean {
  return (
    spec !== undefined &&
    spec.type !== 'ExternalName' &&
    spec.clusterIP !== 'None' &&
    (spec.clusterIP ?? '') !== '' &&
    metadata.labels?.[PROXY_NAME_LABEL] === undefined
  );
}

/** The Service that an EndpointSlice belongs to, as `namespace/name`; undefined if kube-proxy skips the slice. */
export function serviceOfSlice({ metadata }: EndpointSlice): string | undefined {
  const { labels = {} } = metadata;
  if (labels[PROXY_NAME_LABEL] !== undefined || labels[HEADLESS_LABEL] !== undefined || !labels[SERVICE_NAME_LABEL])
    return undefined;
  return `${metadata.namespace}/${labels[SERVICE_NAME_LABEL]}`;
}

export function planService(service: Service, slices: readonly EndpointSlice[], node: NodeTopology): ServicePlan[] {
  if (!isProxied(service)) return [];
  const clusterIps = service.spec!.clusterIPs ?? [service.spec!.clusterIP!];
  return clusterIps.flatMap((clusterIp) =>
    (service.spec!.ports ?? []).map((port) => planPort({ service, port, clusterIp, slices, node })),
  );
}

interface ServicePortInput {
  readonly service: Service;
  readonly port: ServicePort;
  readonly clusterIp: string;
  readonly slices: readonly EndpointSlice[];
  readonly node: NodeTopology;
}

function planPort({ service, port, clusterIp, slices, node }: ServicePortInput): ServicePlan {
  const { metadata, spec = {}, status } = service;
  const family = familyOf(clusterIp);
  const ofFamily = (addresses: readonly string[]): string[] =>
    addresses.filter((address) => familyOf(address) === family);
  const internalPolicyLocal = spec.internalTrafficPolicy === 'Local';
  const externalPolicyLocal = spec.externalTrafficPolicy === 'Local';
  const endpoints = endpointsOfPort(slices, { family, portName: port.name ?? '', protocol: port.protocol ?? 'TCP' });
  const loadBalancerIps =
    spec.type === 'LoadBalancer'
      ? (status?.loadBalancer?.ingress ?? [])
          .filter(({ ip, ipMode }) => ip && (ipMode ?? 'VIP') === 'VIP')
          .map(({ ip }) => ip!)
      : [];
  const ranges = (spec.loadBalancerSourceRanges ?? []).map((range) => range.trim());
  const ofBalancer = ofFamily(loadBalancerIps);
  return {
    name: `${metadata.namespace}/${metadata.name}${port.name ? `:${port.name}` : ''}`,
    family,
    protocol: (port.protocol ?? 'TCP').toLowerCase() as Protocol,
    port: port.port,
    clusterIp,
    externalIps: ofFamily(spec.externalIPs ?? []),
    loadBalancerIps: ofBalancer,
    sourceRanges:
      ranges.length > 0 ? sourcesOf(ofFamily(ranges), ofBalancer, ofFamily(node.addresses ?? [])) : undefined,
    nodePort: port.nodePort || undefined,
    affinitySeconds:
      spec.sessionAffinity === 'ClientIP'
        ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800)
        : undefined,
    internalPolicyLocal,
    externalPolicyLocal,
    endpoints: chooseEndpoints(endpoints, node),
  };
}

/**
 * Where the load balancer's address is a local one, requests of the node itself come back with that address as their source: they
 * are allowed if the node is.
 */
function sourcesOf(ranges: readonly string[], ofBalancer: readonly string[], ofNode: readonly string[]): string[] {
  const isAllowed = ofNode.some((address) =>
    ranges.some((range) => {
      const [cidr, ip] = [parseCidr(range), parseIp(address)];
      return cidr !== undefined && ip !== undefined && cidrContains(cidr, ip);
    }),
  );
  return isAllowed ? [...ranges, ...ofBalancer] : [...ranges];
}

export const familyOf = (address: string): Family => (address.includes(':') ? 'IPv6' : 'IPv4');
