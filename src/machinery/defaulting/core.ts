import type { LimitRangeItem, Namespace, NodeSpec, NodeStatus, PodStatus, ReplicationController, Secret, Service, ServicePort } from '../../api/generated/core-v1.ts';
import { inOrderOf, withLabels } from './declared-order.ts';

const METADATA_NAME_LABEL = 'kubernetes.io/metadata.name';

/** Every namespace can be selected by its name. One whose name is yet to be generated gets the label with the name. */
export function defaultNamespace(draft: Namespace): void {
  const name = draft.metadata?.name;
  if (!name || draft.metadata?.labels?.[METADATA_NAME_LABEL] === name) return;
  draft.metadata = withLabels(draft.metadata, sortKeys({ ...draft.metadata?.labels, [METADATA_NAME_LABEL]: name }));
}

/** `stringData` is only ever written: it becomes `data`, and wins over it. */
export function defaultSecret(draft: Secret): void {
  if (!draft.stringData) return;
  const encoded = Object.entries(draft.stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  draft.data = sortKeys({ ...draft.data, ...Object.fromEntries(encoded) });
  delete draft.stringData;
}

export function defaultReplicationController(draft: ReplicationController): void {
  const labels = draft.spec?.template?.metadata?.labels;
  if (!labels) return;
  if (!draft.spec!.selector) draft.spec = { ...draft.spec, selector: labels };
  if (!draft.metadata?.labels) draft.metadata = withLabels(draft.metadata, labels);
}

/** Containers' limits default to the most allowed, their requests to the limits or else the least allowed. */
export function defaultLimitRangeItem(draft: LimitRangeItem): void {
  if (draft.type !== 'Container') return;
  const limits = { ...draft.max, ...draft.default };
  const requests = { ...draft.min, ...limits, ...draft.defaultRequest };
  if (Object.keys(limits).length > 0) draft.default = sortKeys(limits);
  if (Object.keys(requests).length > 0) draft.defaultRequest = sortKeys(requests);
}

export function defaultNodeStatus(draft: NodeStatus): void {
  if (draft.capacity) draft.allocatable ??= draft.capacity;
}

/** Two fields for one thing: the older one is the first of the list, and wins where they differ. */
export function defaultNodeSpec(draft: NodeSpec): void {
  const first = draft.podCIDR ?? draft.podCIDRs?.[0];
  if (!first || (draft.podCIDR === first && draft.podCIDRs?.[0] === first)) return;
  draft.podCIDR = first;
  if (draft.podCIDRs?.[0] !== first) draft.podCIDRs = [first];
}

/** As with the CIDRs of a node. */
export function defaultPodStatus(draft: PodStatus): void {
  const first = draft.podIP ?? draft.podIPs?.[0]?.ip;
  if (!first || (draft.podIP === first && draft.podIPs?.[0]?.ip === first)) return;
  draft.podIP = first;
  if (draft.podIPs?.[0]?.ip !== first) draft.podIPs = [{ ip: first }];
}

const CLIENT_IP_TIMEOUT_SECONDS = 10_800;

export function defaultService(draft: Service): void {
  const spec = { ...draft.spec! };
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
  draft.spec = spec;

  const ingress = draft.status?.loadBalancer?.ingress;
  if (balanced && ingress?.some((entry) => entry.ip && entry.ipMode === undefined)) {
    const withMode = ingress.map((entry) =>
      entry.ip && entry.ipMode === undefined ? inOrderOf('io.k8s.api.core.v1.LoadBalancerIngress', { ...entry, ipMode: 'VIP' }) : entry,
    );
    draft.status = { ...draft.status, loadBalancer: { ...draft.status?.loadBalancer, ingress: withMode } };
  }
}

export function defaultServicePort(draft: ServicePort): void {
  if (draft.targetPort === undefined || draft.targetPort === 0 || draft.targetPort === '') draft.targetPort = draft.port;
}

const sortKeys = (map: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
