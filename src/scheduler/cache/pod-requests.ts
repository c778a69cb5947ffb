/** What a pod asks for, summed up as the scheduler counts it. */
import type { Container, ContainerStatus, Pod } from '../../api/generated/core-v1.ts';
import { resourceValue } from './quantity-values.ts';

/** Counted for containers that ask for nothing when nodes are compared, so that such pods are spread too. */
export const DEFAULT_MILLI_CPU = 100;
export const DEFAULT_MEMORY = 200 * 1024 * 1024;

export interface PodRequests {
  readonly milliCpu: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  /** Extended resources, huge pages and the like, without zeroes. */
  readonly scalars: readonly (readonly [name: string, amount: number])[];
  /** With defaults for containers that ask for no cpu or memory. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  /** Whether nothing at all is asked for. */
  readonly isEmpty: boolean;
}

type Amounts = Map<string, number>;

export function podRequests(pod: Pod): PodRequests {
  const exact = sumOf(pod, false);
  const padded = sumOf(pod, true);
  const scalars: [string, number][] = [];
  for (const [name, amount] of exact) {
    if (name !== 'cpu' && name !== 'memory' && name !== 'ephemeral-storage' && name !== 'pods' && amount !== 0) scalars.push([name, amount]);
  }
  scalars.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const milliCpu = exact.get('cpu') ?? 0;
  const memory = exact.get('memory') ?? 0;
  const ephemeralStorage = exact.get('ephemeral-storage') ?? 0;
  return {
    milliCpu,
    memory,
    ephemeralStorage,
    scalars,
    nonZeroMilliCpu: padded.get('cpu') ?? 0,
    nonZeroMemory: padded.get('memory') ?? 0,
    isEmpty: milliCpu === 0 && memory === 0 && ephemeralStorage === 0 && scalars.length === 0,
  };
}

/**
 * Containers run together, so their requests add up. Init containers run one after the other before them, beside the
 * sidecars (init containers that are restarted always) that were started earlier; the pod needs the larger of both.
 */
function sumOf(pod: Pod, padded: boolean): Amounts {
  const total: Amounts = new Map();
  const spec = pod.spec;
  if (spec === undefined) return total;
  const statuses = pod.status?.containerStatuses;
  for (const container of spec.containers) addAll(total, requestsOf(container, statuses, padded));
  const sidecars: Amounts = new Map();
  const initial: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container, pod.status?.initContainerStatuses, padded);
    if (container.restartPolicy === 'Always') {
      addAll(sidecars, own);
      maxAll(initial, sidecars);
    } else {
      const beside = new Map(sidecars);
      addAll(beside, own);
      maxAll(initial, beside);
    }
  }
  addAll(total, sidecars);
  maxAll(total, initial);
  const podLevel = spec.resources?.requests;
  if (podLevel) {
    for (const [name, text] of Object.entries(podLevel)) {
      if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) total.set(name, resourceValue(name, text));
    }
  }
  for (const [name, text] of Object.entries(spec.overhead ?? {})) total.set(name, (total.get(name) ?? 0) + resourceValue(name, text));
  return total;
}

/** While a resize is under way the pod holds the largest of what it wants, was promised and has. */
function requestsOf(container: Container, statuses: readonly ContainerStatus[] | undefined, padded: boolean): Amounts {
  const amounts: Amounts = new Map();
  for (const [name, text] of Object.entries(container.resources?.requests ?? {})) amounts.set(name, resourceValue(name, text));
  const status = statuses?.find((s) => s.name === container.name);
  if (status?.allocatedResources) for (const [name, text] of Object.entries(status.allocatedResources)) maxOne(amounts, name, resourceValue(name, text));
  if (status?.resources?.requests) for (const [name, text] of Object.entries(status.resources.requests)) maxOne(amounts, name, resourceValue(name, text));
  if (padded) {
    if (!amounts.has('cpu')) amounts.set('cpu', DEFAULT_MILLI_CPU);
    if (!amounts.has('memory')) amounts.set('memory', DEFAULT_MEMORY);
  }
  return amounts;
}

function addAll(into: Amounts, amounts: Amounts): void {
  for (const [name, amount] of amounts) into.set(name, (into.get(name) ?? 0) + amount);
}

function maxOne(into: Amounts, name: string, amount: number): void {
  if (amount > (into.get(name) ?? 0)) into.set(name, amount);
}

function maxAll(into: Amounts, amounts: Amounts): void {
  for (const [name, amount] of amounts) maxOne(into, name, amount);
}
