/** Preemption: calls the extenders that support it. */
import type { PodInfo } from '../../cache/pod-info.ts';
import type { ExtenderVictims, Extender } from '../../extenders/extender.ts';
import type { Handle } from '../../framework/handle.ts';
import { harmOf, type Victims } from './victims.ts';

/** Extenders may remove candidates and choose other victims. An ignorable extender that fails is skipped. */
export async function callExtenders(
  handle: Handle,
  pod: PodInfo,
  candidates: readonly Victims[],
  extenders: readonly Extender[],
): Promise<Victims[]> {
  let left: ReadonlyMap<string, ExtenderVictims> = new Map(
    candidates.map((c) => [c.node.name, { pods: c.pods, numPdbViolations: c.numPdbViolations }]),
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
              numPdbViolations: victims.numPdbViolations,
              harm: harmOf(victims.pods, victims.numPdbViolations),
            },
          ],
  );
}
