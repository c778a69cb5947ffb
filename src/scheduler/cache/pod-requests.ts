/** The resource requests of a pod, as the scheduler counts them. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { podResourceTotals, type Amounts, type Arithmetic } from '../../component-helpers/index.ts';
import { resourceValue } from './quantity-values.ts';

/** Assumed for containers without requests when nodes are scored, so that such pods are spread too. */
const DEFAULT_MILLI_CPU = 100;
const DEFAULT_MEMORY = 200 * 1024 * 1024;

export interface PodRequests {
  readonly milliCpu: number;
  readonly memory: number;
  readonly ephemeralStorage: number;
  /** Extended resources, huge pages and the like, without zeroes. */
  readonly scalars: readonly (readonly [name: string, amount: number])[];
  /** With defaults for containers without requests of cpu or memory. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  /** Whether the pod requests nothing. */
  readonly isEmpty: boolean;
}

export function schedulerRequests(pod: Pod): PodRequests {
  const exact = totals(pod);
  const padded = totals(pod, MISSING_REQUESTS);
  const scalars: [string, number][] = [];
  for (const [name, amount] of exact) {
    if (name !== 'cpu' && name !== 'memory' && name !== 'ephemeral-storage' && name !== 'pods' && amount !== 0)
      scalars.push([name, amount]);
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

/** Plain numbers, because the scheduler adds up many pods with the same few quantities. */
const NUMBERS: Arithmetic<number> = {
  parse: resourceValue,
  add: (first, second) => first + second,
  isLarger: (first, second) => first > second,
  isZero: (amount) => amount === 0,
};

const MISSING_REQUESTS: ReadonlyMap<string, number> = new Map([
  ['cpu', DEFAULT_MILLI_CPU],
  ['memory', DEFAULT_MEMORY],
]);

function totals({ spec, status }: Pod, missingRequests?: ReadonlyMap<string, number>): Amounts<number> {
  if (spec === undefined) return new Map();
  return podResourceTotals(
    spec,
    'requests',
    { status, withOverhead: true, ...(missingRequests ? { missingRequests } : {}) },
    NUMBERS,
  );
}
