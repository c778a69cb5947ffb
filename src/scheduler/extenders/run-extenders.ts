/** Runs the filter and prioritize verbs of extenders. */
import type { NodeInfo } from '../cache/node-info.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { MAX_NODE_SCORE } from '../framework/plugin.ts';
import { Status } from '../framework/status.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Extender } from './extender.ts';

const MAX_EXTENDER_PRIORITY = 10;

export async function filterWithExtenders(
  { ctx, cache }: Scheduler,
  pod: PodInfo,
  evaluation: Evaluation,
  extenders: readonly Extender[],
): Promise<void> {
  for (const extender of extenders) {
    if (!extender.filters || evaluation.feasibleCount === 0) continue;
    const nodes = evaluation.feasibleNodes();
    let result;
    try {
      result = await extender.filter(pod, objectsOf(nodes), ctx.signal);
    } catch (error) {
      if (!extender.ignorable) throw error;
      ctx.logger.info('Skipping extender as it returned error and has ignorable flag set', {
        extender: extender.name,
        err: error,
      });
      continue;
    }
    for (const node of nodes) {
      const unresolvable = result.failedAndUnresolvable[node.name];
      const failed = result.failed[node.name];
      if (unresolvable !== undefined)
        evaluation.setStatus(node, new Status('UnschedulableAndUnresolvable', [unresolvable]).from(extender.name));
      else if (failed !== undefined)
        evaluation.setStatus(node, new Status('Unschedulable', [failed]).from(extender.name));
      else if (!result.nodeNames.has(node.name))
        evaluation.setStatus(node, new Status('Unschedulable', ['node(s) failed by extender']).from(extender.name));
    }
    for (const name of result.nodeNames)
      if (cache.table.get(name) === undefined)
        throw new Error(
          `extender ${JSON.stringify(extender.name)} claims a filtered node ${JSON.stringify(name)} which is not found in the input node list`,
        );
  }
}

/** The node with the best score of plugins and extenders. An extender that fails adds no score. */
export async function selectNodeWithExtenders(
  { ctx }: Scheduler,
  pod: PodInfo,
  evaluation: Evaluation,
  extenders: readonly Extender[],
): Promise<string> {
  const nodes = evaluation.feasibleNodes();
  if (nodes.length === 1) return nodes[0]!.name;
  const totals = new Map(evaluation.scoredNodes(nodes.length).map(({ node, total }) => [node.name, total]));
  const answers = await Promise.all(
    extenders
      .filter((e) => e.prioritizes)
      .map(async (extender) => {
        try {
          return { extender, points: await extender.prioritize(pod, objectsOf(nodes), ctx.signal) };
        } catch (error) {
          ctx.logger.v(5).info("Failed to run extender's priority function. No score given by this extender.", {
            extender: extender.name,
            err: error,
          });
          return undefined;
        }
      }),
  );
  for (const answer of answers) {
    if (answer === undefined) continue;
    for (const [name, points] of answer.points)
      totals.set(
        name,
        (totals.get(name) ?? 0) + points * answer.extender.weight * (MAX_NODE_SCORE / MAX_EXTENDER_PRIORITY),
      );
  }
  const best = Math.max(...totals.values());
  const bestNodes = nodes.filter((node) => totals.get(node.name) === best);
  return bestNodes[ctx.random.integer(bestNodes.length)]!.name;
}

const objectsOf = (nodes: readonly NodeInfo[]): NonNullable<NodeInfo['node']>[] =>
  nodes.flatMap((n) => (n.node === undefined ? [] : [n.node]));
