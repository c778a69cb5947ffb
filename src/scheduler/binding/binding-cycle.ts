/** The binding cycle: waits for Permit, runs PreBind and Bind, and undoes the decision when that fails. */

import { ASSIGNED_POD_DELETE } from '../framework/cluster-event.ts';
import type { CycleState } from '../framework/cycle-state.ts';
import { errorStatus, type Status } from '../framework/status.ts';
import { handleFailure } from '../handle-failure.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import { runBinds, runPreBinds, unreserve } from '../run-plugins.ts';
import type { Scheduler } from '../scheduler.ts';

interface Decision {
  readonly queued: QueuedPod;
  readonly state: CycleState;
  readonly nodeName: string;
  readonly startedAt: number;
  readonly permitTimeouts: ReadonlyMap<string, number>;
}

export function bindInBackground(scheduler: Scheduler, decision: Decision): void {
  scheduler.background(async (signal) => {
    const status = await bind(scheduler, decision, signal).catch((error: unknown) => errorStatus(error));
    if (status === undefined) handleBound(scheduler, decision);
    else if (!signal.aborted) undo(scheduler, decision, status);
  });
}

async function bind(scheduler: Scheduler, decision: Decision, signal: AbortSignal): Promise<Status | undefined> {
  const { queued, state, nodeName, permitTimeouts } = decision;
  const { pod, profile } = queued;
  if (permitTimeouts.size > 0) {
    const rejected = await scheduler.waitingPods.wait(pod, nodeName, permitTimeouts);
    if (rejected !== undefined) return rejected;
  }
  scheduler.queue.stopRecordingEvents(pod.uid);
  const options = { state, pod, nodeName, signal };
  const failed = await runPreBinds(profile, options);
  if (failed !== undefined) return failed;
  const binder = scheduler.extenders.find((extender) => extender.binds && extender.isInterested(pod));
  if (binder === undefined) return runBinds(profile, options);
  await binder.bind(pod, nodeName, signal);
  return undefined;
}

function handleBound(scheduler: Scheduler, { queued, state, nodeName, startedAt }: Decision): void {
  const { pod, profile } = queued;
  const { metrics, ctx } = scheduler;
  metrics.observeAttempt('scheduled', profile.schedulerName, (ctx.clock.monotonic() - startedAt) / 1000);
  metrics.podSchedulingAttempts.observe(queued.attempts);
  if (queued.flushed) metrics.scheduledAfterFlush.inc();
  scheduler.queue.done(pod.uid);
  scheduler.scheduledEvents.add(pod, nodeName);
  const postBindStartedAt = profile.meter.start();
  for (const plugin of profile.plugins.postBind) plugin.postBind!(state, pod, nodeName);
  profile.meter.point('PostBind', postBindStartedAt);
}

/** Pods that did not fit because of this one may be scheduled now. */
function undo(scheduler: Scheduler, { queued, state, nodeName, startedAt }: Decision, status: Status): void {
  const { pod, profile } = queued;
  const { cache, queue } = scheduler;
  unreserve(profile, state, pod, nodeName);
  cache.forget(pod);
  const rejected = status.isRejected;
  const by = new Set([status.plugin]);
  const isPending = status.code === 'Pending';
  const message = rejected ? status.message : bindingMessage(status);
  queue.moveAllToActiveOrBackoff(ASSIGNED_POD_DELETE, pod.pod, undefined);
  handleFailure(scheduler, {
    queued,
    status,
    startedAt,
    message,
    diagnosis: rejected
      ? {
          totalNodes: cache.table.nodeCount,
          preFilter: undefined,
          nodeCounts: [],
          postFilterMessage: '',
          rejectors: isPending ? new Set() : by,
          pendingRejectors: isPending ? by : new Set(),
        }
      : undefined,
  });
}

function bindingMessage(status: Status): string {
  return status.plugin === 'DefaultBinder'
    ? `binding rejected: running Bind plugin ${JSON.stringify(status.plugin)}: ${status.message}`
    : `running PreBind plugin ${JSON.stringify(status.plugin)}: ${status.message}`;
}
