/** Defaults of the core group, except pods. */
import type {
  LimitRangeItem,
  Namespace,
  NodeSpec,
  NodeStatus,
  PodStatus,
  ReplicationController,
  Secret,
  Service,
  ServicePort,
  ServiceStatus,
} from '../../api/generated/core-v1.ts';
import { inOrderOf, withLabels } from './declared-order.ts';

const METADATA_NAME_LABEL = 'kubernetes.io/metadata.name';

/** The label kubernetes.io/metadata.name. With generateName it is set once the name is known. */
export function defaultNamespace({ metadata }: Namespace): Partial<Namespace> | undefined {
  const name = metadata?.name;
  if (!name || metadata.labels?.[METADATA_NAME_LABEL] === name) return undefined;
  return { metadata: withLabels(metadata, sortKeys({ ...metadata.labels, [METADATA_NAME_LABEL]: name })) };
}

/** `stringData` is write-only: it is merged into `data`. */
export function defaultSecret({ data, stringData }: Secret): Partial<Secret> | undefined {
  if (!stringData) return undefined;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { data: sortKeys({ ...data, ...Object.fromEntries(encoded) }), stringData: undefined };
}

export function defaultReplicationController({
  metadata,
  spec,
}: ReplicationController): Partial<ReplicationController> | undefined {
  const labels = spec?.template?.metadata?.labels;
  if (!labels) return undefined;
  return {
    ...(metadata?.labels ? {} : { metadata: withLabels(metadata, labels) }),
    ...(spec.selector ? {} : { spec: { ...spec, selector: labels } }),
  };
}

/** `default` falls back to `max`, and `defaultRequest` to `default`, then to `min`. */
export function defaultLimitRangeItem(item: LimitRangeItem): Partial<LimitRangeItem> | undefined {
  if (item.type !== 'Container') return undefined;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  return {
    ...(Object.keys(limits).length > 0 ? { default: sortKeys(limits) } : {}),
    ...(Object.keys(requests).length > 0 ? { defaultRequest: sortKeys(requests) } : {}),
  };
}

export const defaultNodeStatus = ({ capacity, allocatable }: NodeStatus): Partial<NodeStatus> | undefined =>
  capacity && !allocatable ? { allocatable: capacity } : undefined;

/** `podCIDR` is the first of `podCIDRs`, and wins if they differ. */
export function defaultNodeSpec({ podCIDR, podCIDRs }: NodeSpec): Partial<NodeSpec> | undefined {
  const first = podCIDR ?? podCIDRs?.[0];
  if (!first || (podCIDR === first && podCIDRs?.[0] === first)) return undefined;
  return { podCIDR: first, podCIDRs: podCIDRs?.[0] === first ? podCIDRs : [first] };
}

/** `podIP` is the first of `podIPs`, and wins if they differ. */
export function defaultPodStatus({ podIP, podIPs }: PodStatus): Partial<PodStatus> | undefined {
  const first = podIP ?? podIPs?.[0]?.ip;
  if (!first || (podIP === first && podIPs?.[0]?.ip === first)) return undefined;
  return { podIP: first, podIPs: podIPs?.[0]?.ip === first ? podIPs : [{ ip: first }] };
}

const CLIENT_IP_TIMEOUT_SECONDS = 10_800;

export function defaultService({ spec: given, status }: Service): Partial<Service> {
  const spec = { ...given! };
  const type = spec.type ?? 'ClusterIP';
  if ((spec.sessionAffinity ?? 'None') === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: CLIENT_IP_TIMEOUT_SECONDS } };
  }
  const balanced = type === 'LoadBalancer';
  const external = type === 'NodePort' || balanced || (type === 'ClusterIP' && (spec.externalIPs?.length ?? 0) > 0);
  if (external) spec.externalTrafficPolicy ??= 'Cluster';
  if (type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
  if (balanced) spec.allocateLoadBalancerNodePorts ??= true;
  const ordered = inOrderOf('io.k8s.api.core.v1.ServiceSpec', spec);
  return balanced ? { spec: ordered, status: withIpModes(status) } : { spec: ordered };
}

function withIpModes(status: ServiceStatus | undefined): ServiceStatus | undefined {
  const ingress = status?.loadBalancer?.ingress;
  if (!ingress?.some((entry) => entry.ip && entry.ipMode === undefined)) return status;
  const withMode = ingress.map((entry) =>
    entry.ip && entry.ipMode === undefined
      ? inOrderOf('io.k8s.api.core.v1.LoadBalancerIngress', { ...entry, ipMode: 'VIP' })
      : entry,
  );
  return { ...status, loadBalancer: { ...status?.loadBalancer, ingress: withMode } };
}

export const defaultServicePort = ({ port, targetPort }: ServicePort): Partial<ServicePort> | undefined =>
  targetPort === undefined || targetPort === 0 || targetPort === '' ? { targetPort: port } : undefined;

const sortKeys = (map: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
