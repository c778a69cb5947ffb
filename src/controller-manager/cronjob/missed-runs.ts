/** Missed runs of a CronJob. */
import type { CronJob } from '../../api/generated/batch-v1.ts';
import { parseTime } from '../../base/index.ts';
import type { Schedule } from './schedule.ts';

const TOO_MANY = 100;

interface MissedRuns {
  /** The latest time that is due; undefined when none is. */
  readonly due: number | undefined;
  readonly tooMany: boolean;
}

/** The latest run that is due since the last one, since the creation of the CronJob, or since the deadline. */
export function missedRuns(cronJob: CronJob, schedule: Schedule, now: number): MissedRuns {
  const { startingDeadlineSeconds } = cronJob.spec;
  const since = parseTime(
    cronJob.status?.lastScheduleTime ?? cronJob.metadata.creationTimestamp ?? '1970-01-01T00:00:00Z',
  );
  const earliest =
    startingDeadlineSeconds === undefined ? since : Math.max(since, now - startingDeadlineSeconds * 1000);
  const first = schedule.next(earliest);
  if (first === undefined || first > now) return { due: undefined, tooMany: false };
  const second = schedule.next(first);
  if (second === undefined || second > now) return { due: first, tooMany: false };
  // Starts close to the end, because years of minutely runs are too many to iterate.
  const between = second - first;
  const missed = Math.floor((now - first) / between) + 1;
  let due = first;
  let from = Math.max(first, first + (missed - 2) * between);
  // Runs are not evenly spaced, so this starts further back.
  for (let step = between; (schedule.next(from) ?? Infinity) > now && from > first; step *= 2)
    from = Math.max(first, from - step);
  for (let next = schedule.next(from); next !== undefined && next <= now; next = schedule.next(next)) due = next;
  return { due, tooMany: missed > TOO_MANY };
}
