/** What a pod's containers ask for together. */
import type { Container, Pod, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { parseQuantity, type Quantity } from '../../machinery/quantity/index.ts';
import { isSidecar } from './restart-policy.ts';

type ResourceList = Map<string, Quantity>;
type Kind = 'requests' | 'limits';

/** Requests and limits of the whole pod; a limit counts only when every container has one. */
export function podResources(pod: Pod): ResourceRequirements {
  return { requests: text(podTotal(pod, 'requests')), limits: text(completeLimits(pod)) };
}

export const podRequests = (pod: Pod): ResourceList => podTotal(pod, 'requests');

function podTotal(pod: Pod, kind: Kind): ResourceList {
  const { containers = [], initContainers = [], overhead, resources } = pod.spec ?? {};
  let total: ResourceList = new Map();
  for (const container of containers) total = sum(total, listOf(container, kind));
  let sidecars: ResourceList = new Map();
  let starting: ResourceList = new Map();
  for (const container of initContainers) {
    if (isSidecar(container)) {
      sidecars = sum(sidecars, listOf(container, kind));
      starting = largest(starting, sidecars);
    } else starting = largest(starting, sum(sidecars, listOf(container, kind)));
  }
  total = largest(sum(total, sidecars), starting);
  for (const [name, quantity] of Object.entries(resources?.[kind] ?? {})) total.set(name, parseQuantity(quantity));
  for (const [name, quantity] of Object.entries(overhead ?? {})) {
    const before = total.get(name);
    if (kind === 'requests' || before !== undefined) total.set(name, before === undefined ? parseQuantity(quantity) : before.add(parseQuantity(quantity)));
  }
  return total;
}

function completeLimits(pod: Pod): ResourceList {
  const running = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []).filter(isSidecar)];
  const limits = podTotal(pod, 'limits');
  for (const name of limits.keys()) {
    const isWhole = pod.spec?.resources?.limits?.[name] !== undefined || running.every((container) => container.resources?.limits?.[name] !== undefined);
    if (!isWhole) limits.delete(name);
  }
  return limits;
}

/** A limit without a request is a request of as much. */
function listOf({ resources }: Container, kind: Kind): ResourceList {
  const list = kind === 'limits' ? resources?.limits : { ...resources?.limits, ...resources?.requests };
  return new Map(Object.entries(list ?? {}).map(([name, quantity]) => [name, parseQuantity(quantity)]));
}

function sum(a: ResourceList, b: ResourceList): ResourceList {
  const result = new Map(a);
  for (const [name, quantity] of b) result.set(name, result.get(name)?.add(quantity) ?? quantity);
  return result;
}

function largest(a: ResourceList, b: ResourceList): ResourceList {
  const result = new Map(a);
  for (const [name, quantity] of b) {
    const before = result.get(name);
    if (before === undefined || before.cmp(quantity) < 0) result.set(name, quantity);
  }
  return result;
}

const text = (list: ResourceList): Record<string, string> => Object.fromEntries(Array.from(list, ([name, quantity]) => [name, quantity.toString()]));

/** Guaranteed, Burstable or BestEffort; as the API server set it, or by the same rule for pods from files. */
export function qosClass(pod: Pod): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const given = pod.status?.qosClass;
  if (given === 'Guaranteed' || given === 'Burstable' || given === 'BestEffort') return given;
  const { spec } = pod;
  const all = spec?.resources ? [{ resources: spec.resources }] : [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const positive = (list: Readonly<Record<string, string>> | undefined, name: string): Quantity | undefined => {
    const quantity = list?.[name];
    return quantity === undefined || parseQuantity(quantity).isZero() ? undefined : parseQuantity(quantity);
  };
  let any = false;
  let guaranteed = all.length > 0;
  for (const { resources } of all) {
    for (const name of ['cpu', 'memory']) {
      const limit = positive(resources?.limits, name);
      const request = positive(resources?.requests, name) ?? limit;
      if (limit !== undefined || request !== undefined) any = true;
      if (limit === undefined || request === undefined || !limit.equals(request)) guaranteed = false;
    }
  }
  return !any ? 'BestEffort' : guaranteed ? 'Guaranteed' : 'Burstable';
}

const SYSTEM_CRITICAL_PRIORITY = 2_000_000_000;
export const NODE_CRITICAL_PRIORITY = 2_000_001_000;

/** Pods that a node must not do without: from files, or of the highest priorities. */
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

/** How soon the kernel kills the container's processes when memory runs out. */
export function oomScoreAdjustment(pod: Pod, container: Pick<Container, 'name' | 'resources'>, memoryCapacity: number): number {
  if ((pod.spec?.priority ?? 0) >= NODE_CRITICAL_PRIORITY || isStaticPod(pod)) return -997;
  const qos = qosClass(pod);
  if (qos === 'Guaranteed') return -997;
  if (qos === 'BestEffort') return 1000;
  const request = container.resources?.requests?.['memory'] ?? container.resources?.limits?.['memory'];
  const memory = request === undefined ? 0 : parseQuantity(request).value();
  const adjust = 1000 - Math.floor((1000 * memory) / memoryCapacity);
  if (adjust < 3) return 3;
  return adjust === 1000 ? 999 : adjust;
}
