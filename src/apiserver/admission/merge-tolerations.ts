/** Merges two lists of tolerations and drops those that another toleration covers. */
import type { Toleration } from '../../api/generated/core-v1.ts';
import { cloneJson, deepEqual } from '../../base/index.ts';

export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    if (merged.some((earlier) => covers(earlier, toleration))) continue;
    if (all.slice(i + 1).some((later) => !deepEqual(toleration, later) && covers(later, toleration))) continue;
    merged.push(cloneJson(toleration));
  }
  return merged;
}

/** Whether `outer` tolerates every taint that `inner` tolerates, for at least as long. */
export function covers(outer: Toleration, inner: Toleration): boolean {
  if (deepEqual(outer, inner)) return true;
  const { key = '', operator = '', effect = '' } = outer;
  if ((inner.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false;
  if ((inner.effect ?? '') !== effect && effect !== '') return false;
  if (effect === 'NoExecute' && outer.tolerationSeconds !== undefined) {
    if (inner.tolerationSeconds === undefined || inner.tolerationSeconds > outer.tolerationSeconds) return false;
  }
  if (operator === 'Exists') return true;
  return (
    (operator === 'Equal' || operator === '') &&
    inner.operator === 'Equal' &&
    (inner.value ?? '') === (outer.value ?? '')
  );
}
