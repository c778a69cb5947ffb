/** The quality of service that a pod gets, from what it requests and what it is limited to. */
import type { PodSpec } from '../../../api/generated/core-v1.ts';
import { parseQuantity, type Quantity } from '../../../machinery/quantity/index.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COUNTED = ['cpu', 'memory'] as const;
type Amounts = Map<string, Quantity>;

export function qosClassOf(spec: PodSpec): QosClass {
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  let guaranteed = true;
  // Resources of the pod as a whole decide alone where they are given.
  const holders = spec.resources ? [spec.resources] : [...spec.containers ?? [], ...(spec.initContainers ?? [])].map((c) => c.resources ?? {});
  for (const resources of holders) {
    addAmounts(requests, resources.requests);
    if (addAmounts(limits, resources.limits) < COUNTED.length) guaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  if (!guaranteed || requests.size !== limits.size) return 'Burstable';
  return [...requests].every(([name, amount]) => limits.get(name)?.cmp(amount) === 0) ? 'Guaranteed' : 'Burstable';
}

/** Adds what counts; tells how many of the counted resources were there. */
function addAmounts(sums: Amounts, amounts: Readonly<Record<string, string | number>> | undefined): number {
  let found = 0;
  for (const name of COUNTED) {
    const text = amounts?.[name];
    if (text === undefined) continue;
    const amount = parseQuantity(String(text));
    if (amount.sign() <= 0) continue;
    found++;
    const sum = sums.get(name);
    sums.set(name, sum ? sum.add(amount) : amount);
  }
  return found;
}
