import type { Victims } from './select-victims.ts';

/** So that every pod counts, also one with a negative priority. */
const PRIORITY_OFFSET = 2 ** 31;

/**
 * The node where preemption does the least harm. Each rule decides only among those that the ones before leave: fewest
 * broken budgets, lowest highest priority, smallest sum of priorities, fewest victims, latest start of the most important.
 */
export function pickNode(candidates: readonly Victims[], now: number): Victims | undefined {
  const rules: ((victims: Victims) => number)[] = [
    (v) => v.budgetViolations,
    (v) => v.pods[0]?.priority ?? -Infinity,
    (v) => v.pods.reduce((sum, pod) => sum + pod.priority + PRIORITY_OFFSET, 0),
    (v) => v.pods.length,
    (v) => -earliestStartOfHighest(v, now),
  ];
  let left: readonly Victims[] = candidates;
  for (const rule of rules) {
    if (left.length <= 1) break;
    const scores = left.map(rule);
    const least = Math.min(...scores);
    left = left.filter((_, i) => scores[i] === least);
  }
  return left[0];
}

function earliestStartOfHighest({ pods }: Victims, now: number): number {
  const highest = pods[0]?.priority;
  let earliest = Infinity;
  for (const pod of pods) if (pod.priority === highest) earliest = Math.min(earliest, pod.startTime(now));
  return earliest;
}
