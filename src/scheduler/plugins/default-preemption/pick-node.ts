import type { PodInfo } from '../../cache/pod-info.ts';
import type { Victims } from './select-victims.ts';

/** So that every pod counts, also one with a negative priority. */
const PRIORITY_OFFSET = 2 ** 31;

/**
 * The harm of a preemption; each number decides only where all before it are equal: broken budgets, highest priority, sum of
 * priorities, number of victims, and how long the most important of them have run.
 */
export function harmOf(pods: readonly PodInfo[], budgetViolations: number): readonly number[] {
  const highest = pods[0]?.priority ?? -Infinity;
  let sum = 0;
  let earliest = Infinity;
  for (const pod of pods) {
    sum += pod.priority + PRIORITY_OFFSET;
    if (pod.priority === highest && pod.startTime < earliest) earliest = pod.startTime;
  }
  return [budgetViolations, highest, sum, pods.length, -earliest];
}

/** The node where preemption does the least harm. */
export function pickNode(candidates: readonly Victims[]): Victims | undefined {
  let best = candidates[0];
  for (let i = 1; i < candidates.length; i++) if (isLess(candidates[i]!.harm, best!.harm)) best = candidates[i];
  return best;
}

export function isLess(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]!;
  return false;
}
