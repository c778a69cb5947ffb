/** The backoff before failed pods of a Job are replaced. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime } from '../../base/index.ts';
import { podReadyCondition } from '../../component-helpers/index.ts';

const FIRST_MS = 10_000;
const MAX_MS = 600_000;

export interface FailureRecord {
  readonly failures: number;
  readonly lastFailure: number;
}

/** Failures since the last success, including pods that just finished. */
export function afterFinished(
  before: FailureRecord | undefined,
  succeeded: readonly Pod[],
  failed: readonly Pod[],
): FailureRecord {
  const ended = [
    ...succeeded.map((pod) => ({ at: finishedAt(pod), ok: true })),
    ...failed.map((pod) => ({ at: finishedAt(pod), ok: false })),
  ].sort((a, b) => a.at - b.at);
  let record = before ?? { failures: 0, lastFailure: 0 };
  for (const { at, ok } of ended)
    record = ok ? { failures: 0, lastFailure: 0 } : { failures: record.failures + 1, lastFailure: at };
  return record;
}

/** How long to wait before the next pod: 10 s after the first failure, twice as long after each further one. */
export function backoffMs({ failures, lastFailure }: FailureRecord, now: number): number {
  if (failures === 0) return 0;
  const wait = Math.min(FIRST_MS * 2 ** Math.min(failures - 1, 16), MAX_MS);
  return Math.max(0, lastFailure + wait - now);
}

export function finishedAt(pod: Pod): number {
  const ends = (pod.status?.containerStatuses ?? [])
    .map((status) => status.state?.terminated?.finishedAt)
    .filter((time) => typeof time === 'string');
  if (ends.length > 0) return Math.max(...ends.map(parseTime));
  const ready = podReadyCondition(pod)?.lastTransitionTime;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  if (ready) return parseTime(ready);
  if (deletionTimestamp) return parseTime(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return !creationTimestamp ? 0 : parseTime(creationTimestamp);
}
