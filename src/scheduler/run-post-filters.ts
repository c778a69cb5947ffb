import { whenDone } from '../base/index.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import type { FilterFailure, PostFilterResult } from './framework/plugin.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import type { Scheduler } from './scheduler.ts';

export interface PostFilterOutcome {
  /** Why nothing could be done about it; empty when something was. */
  readonly message: string;
  readonly nominatedNodeName: string | undefined;
}

/** Asks the plugins one after the other whether room can be made; the first that makes some ends it, and so does a failure. */
export function runPostFilters(
  scheduler: Scheduler,
  queued: QueuedPod,
  evaluation: Evaluation,
): PostFilterOutcome | Promise<PostFilterOutcome> {
  const { meter } = queued.profile;
  const startedAt = meter.start();
  const ended = (outcome: PostFilterOutcome): PostFilterOutcome => {
    meter.point('PostFilter', startedAt, outcome.nominatedNodeName ? undefined : 'Unschedulable');
    return outcome;
  };
  return whenDone(askPostFilters(scheduler, queued, evaluation), ended);
}

function askPostFilters(
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

  const take = ({ status, nominatedNodeName }: PostFilterResult): PostFilterOutcome | undefined => {
    if (status === undefined) return { message: '', nominatedNodeName };
    if (!status.isRejected || status.code === 'UnschedulableAndUnresolvable')
      return { message: status.message, nominatedNodeName: status.isRejected ? nominatedNodeName : undefined };
    nominated ??= nominatedNodeName;
    reasons.push(...status.reasons);
    return undefined;
  };
  const end = (): PostFilterOutcome => ({ message: reasons.join(', '), nominatedNodeName: nominated });

  const later = async (first: Promise<PostFilterResult>, from: number): Promise<PostFilterOutcome> => {
    let outcome = take(await first);
    for (let i = from; outcome === undefined && i < postFilter.length; i++)
      outcome = take(await postFilter[i]!.postFilter!(evaluation.state, queued.pod, failure));
    return outcome ?? end();
  };

  for (let i = 0; i < postFilter.length; i++) {
    const result = postFilter[i]!.postFilter!(evaluation.state, queued.pod, failure);
    if (result instanceof Promise) return later(result, i + 1);
    const outcome = take(result);
    if (outcome !== undefined) return outcome;
  }
  return end();
}
