/** The victims of a preemption on one node, and how much harm it does, by which nodes are compared. */
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';

/** Makes priorities positive, so that every victim adds to the sum. Upstream's pickOneNodeForPreemption does the same. */
const PRIORITY_OFFSET = 2 ** 31;

export interface Victims {
  readonly node: NodeInfo;
  /** Most important first. */
  readonly pods: readonly PodInfo[];
  readonly numPdbViolations: number;
  readonly harm: readonly number[];
}

/**
 * The harm of a preemption. Each number decides only where all before it are equal: violated PodDisruptionBudgets,
 * highest priority, sum of priorities, number of victims, and the start of the oldest victim of the highest priority.
 */
export function harmOf(pods: readonly PodInfo[], numPdbViolations: number): readonly number[] {
  const highest = pods[0]?.priority ?? -Infinity;
  let sum = 0;
  let earliest = Infinity;
  for (const pod of pods) {
    sum += pod.priority + PRIORITY_OFFSET;
    if (pod.priority === highest && pod.startTime < earliest) earliest = pod.startTime;
  }
  return [numPdbViolations, highest, sum, pods.length, -earliest];
}

export function isLessHarm(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]!;
  return false;
}

/** The node where preemption does the least harm. */
export function pickNode(candidates: readonly Victims[]): Victims | undefined {
  let best = candidates[0];
  for (const candidate of candidates) if (isLessHarm(candidate.harm, best!.harm)) best = candidate;
  return best;
}
