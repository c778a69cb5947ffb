/** Table cells of the group batch. */
import type { CronJob, Job } from '../../api/generated/batch-v1.ts';
import { humanDuration, parseTime } from '../../base/index.ts';
import { formatLabelSelector } from '../selectors/index.ts';
import { age, containerCells, nameOf, NONE, since, UNSET } from './cell-text.ts';
import type { Cell } from './table-printer.ts';

function jobStatus(job: Job): string {
  const has = (type: string) =>
    (job.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata?.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}

function jobCompletions(job: Job): string {
  const succeeded = job.status?.succeeded ?? 0;
  if (typeof job.spec?.completions === 'number') return `${succeeded}/${job.spec.completions}`;
  const parallelism = job.spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: Job, now: number): string {
  const { startTime, completionTime } = job.status ?? {};
  if (!startTime) return '';
  return humanDuration((completionTime ? parseTime(completionTime) : now) - parseTime(startTime));
}

export const jobCells = (job: Job, now: number): Cell[] => [
  nameOf(job),
  jobStatus(job),
  jobCompletions(job),
  jobDuration(job, now),
  age(job, now),
  ...containerCells(job.spec?.template?.spec?.containers),
  formatLabelSelector(job.spec?.selector),
];

export function cronJobCells(cronJob: CronJob, now: number): Cell[] {
  const { spec, status } = cronJob;
  const job = spec?.jobTemplate?.spec;
  return [
    nameOf(cronJob),
    spec?.schedule ?? '',
    spec?.timeZone ?? NONE,
    typeof spec?.suspend === 'boolean' ? (spec.suspend ? 'True' : 'False') : UNSET,
    (status?.active ?? []).length,
    status?.lastScheduleTime ? since(status.lastScheduleTime, now) : NONE,
    age(cronJob, now),
    ...containerCells(job?.template?.spec?.containers),
    formatLabelSelector(job?.selector),
  ];
}
