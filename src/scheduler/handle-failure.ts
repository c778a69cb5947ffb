/** What happens after a failed scheduling attempt. */
import type { Pod, PodCondition } from '../api/generated/core-v1.ts';
import { formatTime } from '../base/index.ts';
import { isNotFound } from '../client/index.ts';
import { conditionPatch } from './condition-patch.ts';
import type { Diagnosis } from './evaluation/fit-error.ts';
import type { Status } from './framework/status.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import type { Scheduler } from './scheduler.ts';

interface FailedAttempt {
  readonly queued: QueuedPod;
  readonly status: Status;
  readonly startedAt: number;
  readonly message: string;
  /** Which plugins rejected the pod; undefined after an error. */
  readonly diagnosis: Diagnosis | undefined;
  /** The node where preemption makes room. An empty string clears an earlier nomination, undefined keeps it. */
  readonly nominatedNodeName?: string;
}

const MAX_EVENT_NOTE = 1024;
const NO_PLUGINS: ReadonlySet<string> = new Set();

/** Puts the pod back into the queue, and reports why in an event and in its PodScheduled condition. */
export function handleFailure(scheduler: Scheduler, failed: FailedAttempt): void {
  const { queued, status, diagnosis, message } = failed;
  const { queue, cache, metrics, ctx } = scheduler;
  const { pod, profile } = queued;
  const rejected = status.isRejected;
  metrics.observeAttempt(
    rejected ? 'unschedulable' : 'error',
    profile.schedulerName,
    (ctx.clock.monotonic() - failed.startedAt) / 1000,
  );
  ctx.tracer.decided(pod.attempt, {}, message);
  if (!rejected)
    ctx.logger.error(status.error ?? new Error(message), 'Error scheduling pod; retrying', { pod: pod.key });

  queue.addUnschedulable(queued, {
    rejectors: diagnosis?.rejectors ?? NO_PLUGINS,
    pendingRejectors: diagnosis?.pendingRejectors ?? NO_PLUGINS,
    failed: !rejected,
  });
  if (queue.get(pod.uid) === undefined) return;
  const { nominatedNodeName } = failed;
  if (nominatedNodeName !== undefined) {
    if (nominatedNodeName === '') cache.nominator.remove(pod);
    else cache.nominator.add(pod, nominatedNodeName);
  }
  const note = message.length > MAX_EVENT_NOTE ? `${message.slice(0, MAX_EVENT_NOTE - 3)}...` : message;
  scheduler
    .recorderOf(profile.schedulerName)
    .event(pod.pod, 'Warning', 'FailedScheduling', note, { action: 'Scheduling', cause: pod.attempt });
  const patch = statusPatch(pod.pod, {
    reason: rejected ? 'Unschedulable' : 'SchedulerError',
    message,
    nominatedNodeName,
    now: ctx.clock.now(),
  });
  if (patch === undefined) return;
  scheduler.background(async (signal) => {
    const { namespace, name } = pod;
    await scheduler.client
      .resource('v1/pods')
      .patch({ namespace, name }, patch, { type: 'strategic', subresource: 'status', signal, cause: pod.attempt })
      .catch((error: unknown) => {
        if (!signal.aborted && !isNotFound(error)) ctx.logger.error(error, 'Error updating pod', { pod: pod.key });
      });
  });
}

/** The change of the pod's status; undefined when nothing changes. */
function statusPatch(
  pod: Pod,
  options: { reason: string; message: string; nominatedNodeName: string | undefined; now: number },
): unknown {
  const before = pod.status?.conditions?.find((c) => c.type === 'PodScheduled');
  const { generation } = pod.metadata;
  const sameCondition =
    before?.status === 'False' &&
    before.reason === options.reason &&
    before.message === options.message &&
    before.observedGeneration === generation;
  const sameNomination =
    options.nominatedNodeName === undefined || options.nominatedNodeName === (pod.status?.nominatedNodeName ?? '');
  if (sameCondition && sameNomination) return undefined;
  const condition: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason: options.reason,
    message: options.message,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(before?.status === 'False' ? {} : { lastTransitionTime: formatTime(options.now) }),
  };
  return {
    metadata: { uid: pod.metadata.uid },
    status: {
      ...(sameCondition ? {} : conditionPatch(pod, condition)),
      ...(sameNomination ? {} : { nominatedNodeName: options.nominatedNodeName || null }),
    },
  };
}
