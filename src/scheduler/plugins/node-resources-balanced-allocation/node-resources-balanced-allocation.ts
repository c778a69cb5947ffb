/** The plugin NodeResourcesBalancedAllocation: prefers nodes whose resources the pod would make more evenly used. */
import type { Cache } from '../../cache/cache.ts';
import { MAX_NODE_SCORE, type Plugin } from '../../framework/plugin.ts';
import { alwaysShared } from '../../framework/profile.ts';
import { skip } from '../../framework/status.ts';
import { allocations, type ResourceWeight } from '../node-resources-fit/allocation.ts';

interface BalancedAllocationArgs {
  readonly resources?: readonly ResourceWeight[];
}

const DEFAULT_RESOURCES: readonly ResourceWeight[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

const HALF = MAX_NODE_SCORE / 2;

/** A pod that does not change the balance scores 50; a better balance scores more, a worse one less. */
export function nodeResourcesBalancedAllocation(args: BalancedAllocationArgs, cache: Cache): Plugin {
  const resources = args.resources ?? DEFAULT_RESOURCES;
  return {
    name: 'NodeResourcesBalancedAllocation',
    signature: alwaysShared,
    // Pods without requests do not change the balance.
    preScore: (_state, pod) =>
      allocations(cache.table, pod, resources, true).every((part) => part.podRequest === 0) ? skip() : undefined,
    bindScore(_state, pod) {
      const parts = allocations(cache.table, pod, resources, true);
      const withPod = new Float64Array(parts.length);
      const without = new Float64Array(parts.length);
      return (node) => {
        let count = 0;
        for (let i = 0; i < parts.length; i++) {
          const part = parts[i]!;
          const capacity = part.allocatable(node.slot);
          if (capacity === 0) continue;
          const used = part.requested(node.slot);
          withPod[count] = Math.min(1, (used + part.podRequest) / capacity);
          without[count] = Math.min(1, used / capacity);
          count++;
        }
        return HALF + Math.trunc((HALF + balance(withPod, count) - balance(without, count)) / 2);
      };
    },
  };
}

/** 100 when all fractions are equal. */
const balance = (fractions: Float64Array, count: number): number =>
  Math.trunc((1 - deviation(fractions, count)) * MAX_NODE_SCORE);

function deviation(fractions: Float64Array, count: number): number {
  if (count === 2) return Math.abs((fractions[0]! - fractions[1]!) / 2);
  if (count < 2) return 0;
  let sum = 0;
  for (let i = 0; i < count; i++) sum += fractions[i]!;
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < count; i++) squares += (fractions[i]! - mean) ** 2;
  return Math.sqrt(squares / count);
}
