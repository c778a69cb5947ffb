/** Preemption: selects the victims on one node, the fewest whose removal makes the pod fit. */
import type { PodDisruptionBudget } from '../../../api/generated/policy-v1.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import { Status } from '../../framework/status.ts';
import { splitByBudgets } from './pod-disruption-budgets.ts';
import { harmOf, type Victims } from './victims.ts';

export const NO_VICTIMS = new Status('UnschedulableAndUnresolvable', ['No preemption victims found for incoming pod']);

/** The more important pod has the higher priority, or started earlier. */
export function moreImportantFirst(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || (a.startTime === b.startTime ? 0 : a.startTime - b.startTime);
}

/**
 * Removes all pods of lower priority in a dry run, and then reprieves as many as still leave room for the pod: first
 * those that a PodDisruptionBudget protects, and the more important ones before others.
 */
export function selectVictims(options: {
  evaluation: Evaluation;
  pod: PodInfo;
  node: NodeInfo;
  budgets: readonly PodDisruptionBudget[];
}): Victims | Status {
  const { evaluation, pod, node, budgets } = options;
  const candidates: PodInfo[] = [];
  for (const other of node.pods.values()) if (other.priority < pod.priority) candidates.push(other);
  if (candidates.length === 0) return NO_VICTIMS;
  for (const other of candidates) evaluation.tryRemove(other, node);
  const status = evaluation.filterWithNominated(node);
  if (status !== undefined) {
    for (const other of candidates) evaluation.tryAdd(other, node);
    return status;
  }
  candidates.sort(moreImportantFirst);
  const { violating, others } =
    budgets.length === 0 ? { violating: [], others: candidates } : splitByBudgets(candidates, budgets);
  const victims: PodInfo[] = [];
  let numPdbViolations = 0;
  const reprieve = (other: PodInfo): boolean => {
    evaluation.tryAdd(other, node);
    if (evaluation.filterWithNominated(node) === undefined) return true;
    evaluation.tryRemove(other, node);
    victims.push(other);
    return false;
  };
  for (const other of violating) if (!reprieve(other)) numPdbViolations++;
  for (const other of others) reprieve(other);
  for (const other of victims) evaluation.tryAdd(other, node);
  // Pods that budgets protect were tried first, so the order by importance has to be restored.
  if (violating.length > 0) victims.sort(moreImportantFirst);
  return { node, pods: victims, numPdbViolations, harm: harmOf(victims, numPdbViolations) };
}
