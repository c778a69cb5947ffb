import type { PodInfo } from '../../cache/pod-info.ts';
import type { ExtenderVictims, Extender } from '../../extenders/extender.ts';
import type { Handle } from '../../framework/handle.ts';
import { harmOf } from './pick-node.ts';
import type { Victims } from './select-victims.ts';

/** Extenders may take candidates away and choose other victims; those that may be ignored are when they fail. */
export async function consultExtendersOnVictims(
  handle: Handle,
  pod: PodInfo,
  candidates: readonly Victims[],
  extenders: readonly Extender[],
): Promise<Victims[]> {
  let left: ReadonlyMap<string, ExtenderVictims> = new Map(
    candidates.map((c) => [c.node.name, { pods: c.pods, numPdbViolations: c.budgetViolations }]),
  );
  for (const extender of extenders) {
    try {
      left = await extender.preempt(pod, left, handle.signal);
    } catch (error) {
      if (!extender.ignorable) throw error;
      handle.logger.info('Skipped extender as it returned error and has ignorable flag set', {
        extender: extender.name,
        err: error,
      });
    }
    if (left.size === 0) break;
  }
  return Array.from(left, ([name, victims]) => ({ node: handle.cache.table.get(name), victims })).flatMap(
    ({ node, victims }) =>
      node === undefined
        ? []
        : [
            {
              node,
              pods: victims.pods,
              budgetViolations: victims.numPdbViolations,
              harm: harmOf(victims.pods, victims.numPdbViolations),
            },
          ],
  );
}
