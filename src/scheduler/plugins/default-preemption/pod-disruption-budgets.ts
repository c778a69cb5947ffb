import type { PodDisruptionBudget } from '../../../api/generated/policy-v1.ts';
import { ownValue } from '../../../base/index.ts';
import { labelSelectorAsSelector } from '../../../machinery/selectors/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';

/** Splits pods into those whose deletion would violate a PodDisruptionBudget, and the others; both keep the order. */
export function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { violating: PodInfo[]; others: PodInfo[] } {
  const left = budgets.map((budget) => ({
    budget,
    selector: labelSelectorAsSelector(budget.spec?.selector),
    allowed: budget.status?.disruptionsAllowed ?? 0,
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let violates = false;
    for (const entry of left) {
      const { budget, selector } = entry;
      if (budget.metadata.namespace !== pod.namespace || selector.isEmpty || !selector.matches(pod.shape.labels))
        continue;
      // The API server has granted the pod's eviction and counted it already.
      if (ownValue(budget.status?.disruptedPods, pod.name) !== undefined) continue;
      entry.allowed--;
      if (entry.allowed < 0) violates = true;
    }
    (violates ? violating : others).push(pod);
  }
  return { violating, others };
}
