/** Tolerations and taints: which taints a toleration tolerates. */
import type { Taint as NodeTaint, Toleration as PodToleration } from '../api/generated/core-v1.ts';

/** Taints of nodes and of devices, and the tolerations of either, match by the same rules. */
type Taint = Pick<NodeTaint, 'key' | 'value' | 'effect'>;
type Toleration = Pick<PodToleration, 'key' | 'operator' | 'value' | 'effect'>;

/** An integer without plus sign and leading zeros. */
const DECIMAL_INTEGER = /^(?:0|-?[1-9]\d*)$/;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

export function toleratesTaint(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  switch (toleration.operator || 'Equal') {
    case 'Equal':
      return (toleration.value ?? '') === (taint.value ?? '');
    case 'Exists':
      return true;
    case 'Lt':
      return isLess(taint.value, toleration.value);
    case 'Gt':
      return isLess(toleration.value, taint.value);
    default:
      return false;
  }
}

/** Compares as 64-bit integers; false when one of them is not. */
function isLess(first: string | undefined, second: string | undefined): boolean {
  const [a, b] = [int64(first), int64(second)];
  return a !== undefined && b !== undefined && a < b;
}

function int64(text = ''): bigint | undefined {
  if (text.length > 20 || !DECIMAL_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value >= MIN_INT64 && value <= MAX_INT64 ? value : undefined;
}

/** Whether the taint keeps pods from being scheduled: NoSchedule and NoExecute do, PreferNoSchedule does not. */
const isSchedulingTaint = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';

/** The first taint selected by `counts` that no toleration tolerates. */
export function findUntoleratedTaint<T extends Taint>(
  taints: readonly T[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  counts: (taint: T) => boolean = isSchedulingTaint,
): T | undefined {
  const tolerationsFor = byKey(tolerations ?? []);
  for (const taint of taints ?? []) {
    if (counts(taint) && !tolerationsFor(taint).some((toleration) => toleratesTaint(toleration, taint))) return taint;
  }
  return undefined;
}

const MAX_UNINDEXED = 16;

/**
 * The tolerations that may tolerate a taint. More than a few are looked up by key, because a node may also have many
 * taints.
 */
function byKey(tolerations: readonly Toleration[]): (taint: Taint) => readonly Toleration[] {
  if (tolerations.length <= MAX_UNINDEXED) return () => tolerations;
  const withoutKey = tolerations.filter(({ key }) => !key);
  const grouped = new Map<string, Toleration[]>();
  for (const toleration of tolerations) {
    if (!toleration.key) continue;
    const group = grouped.get(toleration.key);
    if (group) group.push(toleration);
    else grouped.set(toleration.key, [...withoutKey, toleration]);
  }
  return ({ key = '' }) => grouped.get(key) ?? withoutKey;
}
