/** Runs PostFilter, when no node fits a pod. */
import { whenDone } from '../base/index.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import type { FilterFailure, PostFilterResult } from './framework/plugin.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import type { Scheduler } from './scheduler.ts';

interface PostFilterOutcome {
  /** Why no plugin could make the pod schedulable; empty when one could. */
  readonly message: string;
  readonly nominatedNodeName: string | undefined;
}

/** Runs the PostFilter plugins until one makes the pod schedulable, or fails. */
export function runPostFilters(
  scheduler: Scheduler,
  queued: QueuedPod,
  evaluation: Evaluation,
): PostFilterOutcome | Promise<PostFilterOutcome> {
  const { meter } = queued.profile;
  const startedAt = meter.start();
  const observe = (outcome: PostFilterOutcome): PostFilterOutcome => {
    meter.point('PostFilter', startedAt, outcome.nominatedNodeName ? undefined : 'Unschedulable');
    return outcome;
  };
  return whenDone(runPlugins(scheduler, queued, evaluation), observe);
}

function runPlugins(
  { cache }: Scheduler,
  queued: QueuedPod,
  evaluation: Evaluation,
): PostFilterOutcome | Promise<PostFilterOutcome> {
  const failure: FilterFailure = {
    statusOf: (slot) => evaluation.statusOf(slot),
    resolvable: () => evaluation.resolvable(),
    totalNodes: cache.table.nodeCount,
  };
  const { postFilter } = queued.profile.plugins;
  const reasons: string[] = [];
  let nominated: string | undefined;

  const conclude = ({ status, nominatedNodeName }: PostFilterResult): PostFilterOutcome | undefined => {
    if (status === undefined) return { message: '', nominatedNodeName };
    if (!status.isRejected || status.code === 'UnschedulableAndUnresolvable')
      return { message: status.message, nominatedNodeName: status.isRejected ? nominatedNodeName : undefined };
    nominated ??= nominatedNodeName;
    reasons.push(...status.reasons);
    return undefined;
  };
  const end = (): PostFilterOutcome => ({ message: reasons.join(', '), nominatedNodeName: nominated });

  const later = async (first: Promise<PostFilterResult>, from: number): Promise<PostFilterOutcome> => {
    let outcome = conclude(await first);
    for (let i = from; outcome === undefined && i < postFilter.length; i++)
      outcome = conclude(await postFilter[i]!.postFilter!(evaluation.state, queued.pod, failure));
    return outcome ?? end();
  };

  for (let i = 0; i < postFilter.length; i++) {
    const result = postFilter[i]!.postFilter!(evaluation.state, queued.pod, failure);
    if (result instanceof Promise) return later(result, i + 1);
    const outcome = conclude(result);
    if (outcome !== undefined) return outcome;
  }
  return end();
}
