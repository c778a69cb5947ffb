/** Whether a pod fits its simulated node, as a kubelet checks it for pods that no scheduler has placed. */
import type { Pod } from '../api/generated/core-v1.ts';
import { parseQuantity } from '../base/index.ts';
import { isTerminalPhase, podRequests } from '../component-helpers/index.ts';

export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** Amounts by resource: milli-CPUs, and whole units of everything else. */
export type RequestedAmounts = ReadonlyMap<string, number>;

const amount = (name: string, quantity: { milliValue(): number; value(): number }): number =>
  name === 'cpu' ? quantity.milliValue() : quantity.value();

export function requestedAmounts({ spec }: Pod): RequestedAmounts {
  const amounts = new Map<string, number>();
  for (const [name, quantity] of spec ? podRequests(spec, { withOverhead: true }) : []) {
    const requested = amount(name, quantity);
    if (requested > 0) amounts.set(name, requested);
  }
  const text = [...amounts].join();
  const known = KNOWN.get(text);
  if (known === undefined && KNOWN.size < MAX_KNOWN) KNOWN.set(text, amounts);
  return known ?? amounts;
}

/** Most of a hundred thousand pods request the same. */
const KNOWN = new Map<string, RequestedAmounts>();
const MAX_KNOWN = 1000;

interface AdmittedPod {
  readonly phase: string;
  readonly requested: RequestedAmounts;
}

/** Undefined for a pod that fits beside the others. */
export function rejectPod(
  requested: RequestedAmounts,
  others: Iterable<AdmittedPod>,
  allocatable: Readonly<Record<string, string>>,
): Rejection | undefined {
  const active = [...others].filter(({ phase }) => !isTerminalPhase(phase));
  const wanted: RequestedAmounts = new Map([['pods', 1], ...requested]);
  for (const [name, needed] of wanted) {
    const limit = allocatable[name];
    // A resource that the node does not know may come from a device plugin.
    if (limit === undefined && (name === 'pods' || name.includes('/'))) continue;
    const used =
      name === 'pods' ? active.length : active.reduce((sum, other) => sum + (other.requested.get(name) ?? 0), 0);
    const capacity = limit === undefined ? 0 : amount(name, parseQuantity(limit));
    if (needed > capacity - used)
      return {
        reason: `OutOf${name}`,
        message: `Pod was rejected: Node didn't have enough resource: ${name}, requested: ${needed}, used: ${used}, capacity: ${capacity}`,
      };
  }
  return undefined;
}
