/** Whether a pod would fit, by the plugins that would decide it: every filter on every node, and the scores. Nothing is changed. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { PodInfo } from '../cache/pod-info.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import type { Scheduler } from '../scheduler.ts';
import { evaluated, helpFor } from './advise.ts';
import type { Fit, NodeFit } from './fit.ts';

/** Of more nodes than these, only the number is told. */
const MAX_NODES = 200;

export function wouldFit(scheduler: Scheduler, object: Pod): Fit {
  const pod = new PodInfo(object);
  const { schedulerName } = pod;
  const { cache } = scheduler;
  const nothing = { schedulerName, node: '', feasibleNodes: 0, totalNodes: cache.table.nodeCount, nodes: [] };
  const profile = scheduler.profileOf(schedulerName);
  if (!profile) return { ...nothing, refusals: [`this scheduler has no profile ${schedulerName}`], whatWouldHelp: [] };
  const gates = profile.plugins.preEnqueue.flatMap((plugin) => plugin.preEnqueue?.(pod)?.message ?? []);
  const evaluation = evaluated(scheduler, pod, profile);
  const failure = evaluation.preFilterFailure;
  const refusals = [...gates, ...(failure ? [`${failure.plugin}: ${failure.message}`] : [])];
  const whatWouldHelp = evaluation.feasibleCount > 0 && !failure ? [] : helpFor(scheduler, evaluation, pod);
  if (failure) return { ...nothing, refusals, whatWouldHelp };
  const nodes = [...fitting(evaluation), ...refused(scheduler, evaluation)].slice(0, MAX_NODES);
  const node = gates.length > 0 ? '' : (evaluation.selectNode()?.name ?? '');
  return { ...nothing, node, feasibleNodes: evaluation.feasibleCount, refusals, nodes, whatWouldHelp };
}

const fitting = (evaluation: Evaluation): NodeFit[] =>
  evaluation.scoredNodes(MAX_NODES).map(({ node, scores, total }) => ({
    node: node.name,
    fits: true,
    filters: evaluation.filterNames.map((plugin) => ({ plugin, reasons: [] })),
    scores,
    total,
  }));

function refused({ cache }: Scheduler, evaluation: Evaluation): NodeFit[] {
  const nodes: NodeFit[] = [];
  for (const node of cache.table.existing()) {
    if (nodes.length >= MAX_NODES) break;
    const status = evaluation.statusOf(node.slot);
    if (status === undefined) continue;
    const filters = evaluation
      .filterStatuses(node)
      .map(({ plugin, status: of }) => ({ plugin, reasons: of?.reasons ?? [] }));
    const isListed = filters.some(({ plugin, reasons }) => plugin === status.plugin && reasons.length > 0);
    // PreFilter may leave nodes out before any filter runs.
    const all = isListed ? filters : [{ plugin: status.plugin, reasons: status.reasons }, ...filters];
    nodes.push({ node: node.name, fits: false, filters: all });
  }
  return nodes;
}
