/** Preemption by the kubelet: which pods to terminate to admit a critical pod, the fewest and of the lowest QoS class first. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { podQos } from '../../component-helpers/index.ts';
import { isCriticalPod, allocatedRequests } from '../pod/pod-resources.ts';

/** Undefined when terminating all candidates would not be enough. */
export function podsToPreempt(
  pod: Pod,
  others: readonly Pod[],
  { resource, amount }: { readonly resource: string; readonly amount: number },
): Pod[] | undefined {
  const candidates = others
    .filter((other) => !isCriticalPod(other) && (other.spec?.priority ?? 0) < (pod.spec?.priority ?? 0))
    .concat(
      others.filter(
        (other) =>
          !isCriticalPod(other) && (other.spec?.priority ?? 0) >= (pod.spec?.priority ?? 0) && isCriticalPod(pod),
      ),
    );
  const frees = (other: Pod): number => {
    if (resource === 'pods') return 1;
    const quantity = allocatedRequests(other).get(resource);
    return quantity === undefined ? 0 : resource === 'cpu' ? quantity.milliValue() : quantity.value();
  };
  const chosen: Pod[] = [];
  let missing = amount;
  for (const qos of ['BestEffort', 'Burstable', 'Guaranteed']) {
    const ofClass = candidates
      .filter((other) => podQos(other) === qos && frees(other) > 0)
      .toSorted((a, b) => frees(b) - frees(a));
    for (const other of ofClass) {
      if (missing <= 0) return chosen;
      // The smallest pod that is enough alone, or else the largest.
      const enough = ofClass.filter((one) => !chosen.includes(one) && frees(one) >= missing).at(-1) ?? other;
      if (chosen.includes(enough)) continue;
      chosen.push(enough);
      missing -= frees(enough);
    }
  }
  return missing <= 0 ? chosen : undefined;
}
