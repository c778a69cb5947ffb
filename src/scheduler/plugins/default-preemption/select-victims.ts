import type { PodDisruptionBudget } from '../../../api/generated/policy-v1.ts';
import type { NodeInfo } from '../../cache/node-info.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import type { Evaluation } from '../../evaluation/evaluation.ts';
import { Status } from '../../framework/status.ts';
import { harmOf } from './pick-node.ts';
import { splitByBudgets } from './pod-disruption-budgets.ts';

export interface Victims {
  readonly node: NodeInfo;
  /** Most important first. */
  readonly pods: readonly PodInfo[];
  readonly budgetViolations: number;
  /** To compare with the harm elsewhere. */
  readonly harm: readonly number[];
}

export const NO_VICTIMS = new Status('UnschedulableAndUnresolvable', ['No preemption victims found for incoming pod']);

/** The more important pod has the higher priority, or has run longer. */
export function moreImportantFirst(a: PodInfo, b: PodInfo): number {
  return b.priority - a.priority || (a.startTime === b.startTime ? 0 : a.startTime - b.startTime);
}

/**
 * The least that must go from a node so that the pod fits: everything less important is taken away for a try, then as much
 * as possible is let back, what budgets protect first, the more important first.
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
  let budgetViolations = 0;
  const letBack = (other: PodInfo): boolean => {
    evaluation.tryAdd(other, node);
    if (evaluation.filterWithNominated(node) === undefined) return true;
    evaluation.tryRemove(other, node);
    victims.push(other);
    return false;
  };
  for (const other of violating) if (!letBack(other)) budgetViolations++;
  for (const other of others) letBack(other);
  for (const other of victims) evaluation.tryAdd(other, node);
  /** Budgets changed the order: what matters afterwards is importance. */
  if (violating.length > 0) victims.sort(moreImportantFirst);
  return { node, pods: victims, budgetViolations, harm: harmOf(victims, budgetViolations) };
}
