/** The scoring strategies of NodeResourcesFit: LeastAllocated, MostAllocated and RequestedToCapacityRatio. */
import type { NodeTable } from '../../cache/node-table.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { MAX_NODE_SCORE, type BoundScore } from '../../framework/plugin.ts';
import { allocations, type ResourceWeight } from './allocation.ts';

export interface UtilizationShapePoint {
  readonly utilization: number;
  readonly score: number;
}

export interface ScoringStrategy {
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources: readonly ResourceWeight[];
  readonly requestedToCapacityRatio?: { readonly shape: readonly UtilizationShapePoint[] };
}

/** The highest score in the shape of RequestedToCapacityRatio. */
const MAX_CUSTOM_SCORE = 10;

type Scorer = (requested: number, capacity: number) => number;

const leastAllocated: Scorer = (requested, capacity) =>
  capacity === 0 || requested > capacity ? 0 : Math.floor(((capacity - requested) * MAX_NODE_SCORE) / capacity);

const mostAllocated: Scorer = (requested, capacity) =>
  capacity === 0 ? 0 : Math.floor((Math.min(requested, capacity) * MAX_NODE_SCORE) / capacity);

/** The score of a node: the weighted mean over the resources that the node has. */
export function bindStrategy(strategy: ScoringStrategy, table: NodeTable, pod: PodInfo): BoundScore {
  const parts = allocations(table, pod, strategy.resources, false);
  if (strategy.type === 'RequestedToCapacityRatio') {
    const score = ratioScorer(strategy.requestedToCapacityRatio?.shape ?? []);
    return (node) => {
      let sum = 0;
      let weights = 0;
      for (const part of parts) {
        const capacity = part.allocatable(node.slot);
        if (capacity === 0) continue;
        const points = score(part.requested(node.slot) + part.podRequest, capacity);
        if (points <= 0) continue;
        sum += points * part.weight;
        weights += part.weight;
      }
      return weights === 0 ? 0 : Math.round(sum / weights);
    };
  }
  const score = strategy.type === 'MostAllocated' ? mostAllocated : leastAllocated;
  return (node) => {
    let sum = 0;
    let weights = 0;
    for (let i = 0; i < parts.length; i++) {
      const part = parts[i]!;
      const capacity = part.allocatable(node.slot);
      if (capacity === 0) continue;
      sum += score(part.requested(node.slot) + part.podRequest, capacity) * part.weight;
      weights += part.weight;
    }
    return weights === 0 ? 0 : Math.floor(sum / weights);
  };
}

function ratioScorer(shape: readonly UtilizationShapePoint[]): Scorer {
  const at = scoreAtUtilization(shape);
  return (requested, capacity) =>
    at(capacity === 0 || requested > capacity ? 100 : 100 - Math.floor(((capacity - requested) * 100) / capacity));
}

/** Scores are interpolated linearly between the points of the shape. */
export function scoreAtUtilization(shape: readonly UtilizationShapePoint[]): (utilization: number) => number {
  const points = shape.map(({ utilization, score }) => ({
    utilization,
    score: score * (MAX_NODE_SCORE / MAX_CUSTOM_SCORE),
  }));
  return (utilization) => {
    for (let i = 0; i < points.length; i++) {
      if (utilization > points[i]!.utilization) continue;
      if (i === 0) return points[0]!.score;
      const [from, to] = [points[i - 1]!, points[i]!];
      return (
        from.score +
        Math.trunc(((to.score - from.score) * (utilization - from.utilization)) / (to.utilization - from.utilization))
      );
    }
    return points.at(-1)?.score ?? 0;
  };
}
