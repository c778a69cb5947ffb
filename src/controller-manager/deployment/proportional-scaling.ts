/** Proportional scaling: spreads the replicas of a Deployment that is scaled during a rollout over its ReplicaSets. */
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { annotatedMaxReplicas } from './annotations.ts';
import { maxSurge } from './rolling-limits.ts';

const replicasOf = (set: ReplicaSet): number => set.spec?.replicas ?? 0;
const createdAt = (set: ReplicaSet): string => set.metadata.creationTimestamp ?? '';

/** The new size of every active set; the largest set gets the rest of rounding. */
export function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): Map<ReplicaSet, number> {
  const replicas = deployment.spec?.replicas ?? 1;
  const allowed = replicas > 0 ? replicas + maxSurge(deployment) : 0;
  const toAdd = allowed - active.reduce((total, set) => total + replicasOf(set), 0);
  const sorted = [...active].sort(
    (a, b) =>
      replicasOf(b) - replicasOf(a) ||
      (toAdd > 0 ? compare(createdAt(b), createdAt(a)) : compare(createdAt(a), createdAt(b))),
  );
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const set of sorted) {
    const share =
      toAdd === 0 || toAdd === added || replicasOf(set) === 0
        ? 0
        : bounded(fraction(deployment, set), toAdd - added, toAdd);
    sizes.set(set, replicasOf(set) + share);
    added += share;
  }
  const [largest] = sorted;
  if (largest) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added));
  return sizes;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const bounded = (share: number, left: number, toAdd: number): number =>
  toAdd > 0 ? Math.min(share, left) : Math.max(share, left);

function fraction(deployment: Deployment, set: ReplicaSet): number {
  const replicas = deployment.spec?.replicas ?? 1;
  if (replicas === 0) return -replicasOf(set);
  const before = annotatedMaxReplicas(set) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const size = (replicasOf(set) * (replicas + maxSurge(deployment))) / before;
  return Math.trunc(size + 0.5) - replicasOf(set);
}
