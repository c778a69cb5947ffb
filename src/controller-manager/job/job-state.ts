/** The present state of a Job and its pods. */
import type { Job, JobCondition } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { hasFinalizer } from '../../component-helpers/index.ts';

export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';
const JOB_CONTROLLER_NAME = 'kubernetes.io/job-controller';
export const JOB_KIND = { apiVersion: 'batch/v1', kind: 'Job' };

export const isIndexed = (job: Job): boolean => job.spec?.completionMode === 'Indexed';
export const isSuspended = (job: Job): boolean => job.spec?.suspend === true;
export const isManagedHere = (job: Job): boolean =>
  (job.spec?.managedBy ?? JOB_CONTROLLER_NAME) === JOB_CONTROLLER_NAME;
export const hasBackoffPerIndex = (job: Job): boolean => job.spec?.backoffLimitPerIndex !== undefined;

export const trueCondition = (job: Job, type: string): JobCondition | undefined =>
  job.status?.conditions?.find((c) => c.type === type && c.status === 'True');
export const isFinished = (job: Job): boolean =>
  trueCondition(job, 'Complete') !== undefined || trueCondition(job, 'Failed') !== undefined;

export const isTracked = (pod: Pod): boolean => hasFinalizer(pod, TRACKING_FINALIZER);

/** podReplacementPolicy Failed, which podFailurePolicy implies: a terminating pod is replaced when it has failed. */
export const replacesOnlyFailed = (job: Job): boolean =>
  job.spec?.podReplacementPolicy === 'Failed' || job.spec?.podFailurePolicy !== undefined;

/** A pod that is deleted before it finished counts as failed, now or when it is terminal. */
export function isPodFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  if (replacesOnlyFailed(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded';
}

/** The completion index of a pod; undefined when it is not valid for the Job. */
export function indexOf(pod: Pod, job: Job): number | undefined {
  const text = pod.metadata.annotations?.[COMPLETION_INDEX];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const index = Number(text);
  return index < (job.spec?.completions ?? 0) ? index : undefined;
}

export function jobCondition(type: string, status: string, reason: string, message: string, now: number): JobCondition {
  const time = formatTime(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** The conditions with this one set; undefined when nothing changes. A new condition with status False is not added. */
export function ensureCondition(conditions: readonly JobCondition[], next: JobCondition): JobCondition[] | undefined {
  const current = conditions.find((c) => c.type === next.type);
  if (!current) return next.status === 'False' ? undefined : [...conditions, next];
  if (current.status === next.status) return undefined;
  return conditions.map((c) => (c === current ? next : c));
}
