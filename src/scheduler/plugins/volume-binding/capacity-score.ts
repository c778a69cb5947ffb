/** The score of VolumeBinding, with the feature gate StorageCapacityScoring. */
import { wholeValue } from '../../cache/quantity-values.ts';
import { scoreAtUtilization, type UtilizationShapePoint } from '../node-resources-fit/scoring-strategy.ts';
import { storageClassOf } from '../pod-claims.ts';
import { requestedBytes } from './find-matching-volume.ts';
import type { VolumePlan } from './volume-plan.ts';

/** Prefers the most free storage. */
export const DEFAULT_SHAPE: readonly UtilizationShapePoint[] = [
  { utilization: 0, score: 10 },
  { utilization: 100, score: 0 },
];

/** Scores the utilization of the bound volumes, or of the free space for volumes that are provisioned. */
export function capacityScorer(shape: readonly UtilizationShapePoint[]): (plan: VolumePlan) => number {
  const at = scoreAtUtilization(shape);
  return (plan) => {
    const classes = storageByClass(plan);
    let sum = 0;
    for (const { requested, capacity } of classes)
      sum += at(capacity === 0 || requested > capacity ? 100 : Math.floor((requested * 100) / capacity));
    return classes.length === 0 ? 0 : Math.round(sum / classes.length);
  };
}

interface ClassStorage {
  requested: number;
  capacity: number;
}

function storageByClass({ bindings, provisions }: VolumePlan): ClassStorage[] {
  const classes = new Map<string, ClassStorage>();
  const of = (name: string): ClassStorage => {
    let known = classes.get(name);
    if (known === undefined) classes.set(name, (known = { requested: 0, capacity: 0 }));
    return known;
  };
  for (const { claim, volume } of bindings) {
    const storage = of(volume.spec?.storageClassName ?? '');
    storage.requested += requestedBytes(claim);
    storage.capacity += wholeValue(volume.spec?.capacity?.['storage'] ?? '0');
  }
  if (bindings.length > 0) return [...classes.values()];
  for (const { claim, freeBytes } of provisions) {
    if (freeBytes === undefined) continue;
    const storage = of(storageClassOf(claim));
    storage.requested += requestedBytes(claim);
    // All claims of a class share the free space of the node.
    storage.capacity = freeBytes;
  }
  return [...classes.values()];
}
