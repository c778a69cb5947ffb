/**
 * Pod-level facts for the kubelet: cgroup resources, OOM score, and whether a pod is critical, static or a mirror pod.
 */
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { ownValue, parseQuantity, type Quantity } from '../../base/index.ts';
import { longRunningContainers, podLimits, podQos, podRequests } from '../../component-helpers/index.ts';

/** Requests and limits of the pod's cgroup. A limit applies only when every container has one. */
export function podResources(pod: Pod): ResourceRequirements {
  const { spec } = pod;
  if (spec === undefined) return {};
  const limits = limitsOf(spec);
  for (const name of limits.keys()) {
    const hasPodLimit = ownValue(spec.resources?.limits, name) !== undefined;
    if (
      !hasPodLimit &&
      !longRunningContainers(spec).every(({ resources }) => ownValue(resources?.limits, name) !== undefined)
    )
      limits.delete(name);
  }
  return { requests: asText(allocatedRequests(pod)), limits: asText(limits) };
}

/** The requests of the spec, into which the kubelet has put the allocated resources. */
export const allocatedRequests = ({ spec }: Pod): Map<string, Quantity> =>
  spec === undefined ? new Map() : requestsOf(spec);

export const requestsOf = (spec: PodSpec): Map<string, Quantity> => podRequests(spec, { withOverhead: true });
export const limitsOf = (spec: PodSpec): Map<string, Quantity> => podLimits(spec, { withOverhead: true });

export const asText = (list: ReadonlyMap<string, Quantity>): Record<string, string> =>
  Object.fromEntries(Array.from(list, ([name, quantity]) => [name, quantity.toString()]));

const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;
const NODE_CRITICAL_PRIORITY = 2_000_001_000;

/** Static pods, mirror pods, and pods with a system-critical priority: never evicted or preempted. */
export function isCriticalPod(pod: Pod): boolean {
  return isStaticPod(pod) || isMirrorPod(pod) || (pod.spec?.priority ?? 0) >= SYSTEM_CRITICAL_PRIORITY;
}

export const CONFIG_SOURCE = 'kubernetes.io/config.source';
export const CONFIG_HASH = 'kubernetes.io/config.hash';
export const CONFIG_MIRROR = 'kubernetes.io/config.mirror';

export const isMirrorPod = (pod: Pod): boolean => pod.metadata.annotations?.[CONFIG_MIRROR] !== undefined;

export function isStaticPod(pod: Pod): boolean {
  const source = pod.metadata.annotations?.[CONFIG_SOURCE];
  return source !== undefined && source !== 'api';
}

/** oom_score_adj by QoS class: which containers the kernel kills first when memory runs out. */
export function oomScoreAdjustment(
  pod: Pod,
  container: Pick<Container, 'name' | 'resources'>,
  memoryCapacity: number,
): number {
  if ((pod.spec?.priority ?? 0) >= NODE_CRITICAL_PRIORITY || isStaticPod(pod)) return -997;
  const qos = podQos(pod);
  if (qos === 'Guaranteed') return -997;
  if (qos === 'BestEffort') return 1000;
  const request = container.resources?.requests?.['memory'] ?? container.resources?.limits?.['memory'];
  const memory = request === undefined ? 0 : parseQuantity(request).value();
  const adjust = 1000 - Math.floor((1000 * memory) / memoryCapacity);
  if (adjust < 3) return 3;
  return adjust === 1000 ? 999 : adjust;
}
