/** matchLabelKeys: the pod's current label values become part of the selectors, so that later changes do not matter. */
import type { Affinity, PodAffinityTerm, PodSpec } from '../../../api/generated/core-v1.ts';
import type { LabelSelector } from '../../../api/generated/meta-v1.ts';
import { ownValue } from '../../../base/index.ts';

type Labels = Readonly<Record<string, string>>;

export function pinMatchLabelKeys(spec: PodSpec, labels: Labels): void {
  for (const term of affinityTerms(spec.affinity)) {
    if (!term.labelSelector) continue;
    pin(term.labelSelector, 'In', term.matchLabelKeys, labels);
    pin(term.labelSelector, 'NotIn', term.mismatchLabelKeys, labels);
  }
  for (const constraint of spec.topologySpreadConstraints ?? []) {
    if (constraint.labelSelector) pin(constraint.labelSelector, 'In', constraint.matchLabelKeys, labels);
  }
}

function affinityTerms(affinity: Affinity | undefined): PodAffinityTerm[] {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.podAffinityTerm),
  ]);
}

function pin(
  selector: LabelSelector,
  operator: 'In' | 'NotIn',
  keys: readonly string[] | undefined,
  labels: Labels,
): void {
  for (const key of keys ?? []) {
    const value = ownValue(labels, key);
    if (value !== undefined) (selector.matchExpressions ??= []).push({ key, operator, values: [value] });
  }
}
