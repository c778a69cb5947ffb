import type { Toleration } from '../../api/generated/core-v1.ts';
/** Two lists of tolerations as one, without those that another one of them covers. */
import { cloneJson, deepEqual } from '../../base/index.ts';

export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [i, toleration] of all.entries()) {
    if (merged.some((kept) => covers(kept, toleration))) continue;
    if (all.slice(i + 1).some((later) => !deepEqual(toleration, later) && covers(later, toleration))) continue;
    merged.push(cloneJson(toleration));
  }
  return merged;
}

/** Whether whatever `inner` tolerates is tolerated by `outer` too, for as long. */
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
