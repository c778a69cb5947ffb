/** The QoS (quality of service) class of a pod: Guaranteed, Burstable or BestEffort. */
import type { Pod, PodSpec } from '../api/generated/core-v1.ts';
import { parseQuantity, type Quantity } from '../base/index.ts';

type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const CLASSES: ReadonlySet<string> = new Set<QosClass>(['Guaranteed', 'Burstable', 'BestEffort']);
const COUNTED = ['cpu', 'memory'] as const;

type Sums = Map<string, Quantity>;

/** The class in the pod's status; for a pod without one, such as a static pod, computed from its spec. */
export function podQos({ spec, status }: Pod): QosClass {
  const given = status?.qosClass;
  if (given !== undefined && CLASSES.has(given)) return given as QosClass;
  return spec === undefined ? 'BestEffort' : computePodQos(spec);
}

/**
 * Guaranteed: every container has limits for cpu and memory and equal requests. BestEffort: no container has requests
 * or limits for them. Burstable: every other pod. If the pod has `spec.resources`, even empty, only these count.
 */
export function computePodQos(spec: PodSpec): QosClass {
  const requests: Sums = new Map();
  const limits: Sums = new Map();
  let guaranteed = true;
  const all = spec.resources
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources ?? {});
  for (const resources of all) {
    addPositive(requests, resources.requests);
    if (addPositive(limits, resources.limits) < COUNTED.length) guaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  if (!guaranteed || requests.size !== limits.size) return 'Burstable';
  return [...requests].every(([name, amount]) => limits.get(name)?.cmp(amount) === 0) ? 'Guaranteed' : 'Burstable';
}

/** Adds the positive amounts of cpu and memory; returns how many there were. */
function addPositive(sums: Sums, list: Readonly<Record<string, string | number>> | undefined): number {
  let found = 0;
  for (const name of COUNTED) {
    const text = list?.[name];
    if (text === undefined) continue;
    const amount = parseQuantity(String(text));
    if (amount.sign() <= 0) continue;
    found++;
    const sum = sums.get(name);
    sums.set(name, sum ? sum.add(amount) : amount);
  }
  return found;
}
