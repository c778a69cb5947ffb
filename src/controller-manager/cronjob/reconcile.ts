/** Reconciles one CronJob: creates the Job that is due, updates the active Jobs, and cleans up the history. */
import type { CronJob, CronJobStatus, Job } from '../../api/generated/batch-v1.ts';
import { errorMessage, deepEqual, formatTime, parseTime } from '../../base/index.ts';
import {
  CONTROLLER_UID_INDEX,
  controllerReference,
  isAlreadyExists,
  isControlledBy,
  isNamespaceTerminating,
  isNotFound,
  referenceTo,
  type ResourceClient,
  type SharedInformer,
} from '../../client/index.ts';
import { exponentialBuckets, type Histogram } from '../../kernel/index.ts';
import type { ControllerContext, Reconciler, Requeue } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { isFinished, trueCondition } from '../job/job-state.ts';
import type { ReadYourWrites } from '../read-your-writes.ts';
import { missedRuns } from './missed-runs.ts';
import { parseSchedule, type Schedule } from './schedule.ts';
import { rfc1123, rfc3339In } from './time-texts.ts';

const KIND = { apiVersion: 'batch/v1', kind: 'CronJob' };
const SCHEDULED_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** Jobs are created a moment late, so that a small clock skew does not matter. */
const AFTER_TIME_MS = 100;

export interface CronJobParts {
  readonly cronJobs: SharedInformer<CronJob>;
  readonly jobs: SharedInformer<Job>;
  readonly written: ReadYourWrites;
}

export class CronJobReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: CronJobParts;
  readonly #jobResource: ResourceClient<Job>;
  readonly #skewSeconds: Histogram;

  constructor(context: ControllerContext, parts: CronJobParts) {
    this.#context = context;
    this.#parts = parts;
    this.#jobResource = context.client.resource('batch/v1/jobs');
    this.#skewSeconds = context.metrics.histogram({
      name: 'cronjob_controller_job_creation_skew_duration_seconds',
      help: 'Seconds from the time at which a Job was due to its creation.',
      buckets: exponentialBuckets(1, 2, 10),
    });
  }

  async reconcile(key: string): Promise<Requeue | void> {
    const { cronJobs, jobs } = this.#parts;
    const cronJob = cronJobs.get(key);
    if (!cronJob) return this.#parts.written.forget(key);
    if (this.#parts.written.isBehind(key, cronJob)) return;
    await ignoreNotFound(async () => {
      const children = jobs.indexer.byIndex(CONTROLLER_UID_INDEX, cronJob.metadata.uid ?? '');
      const current = await this.#removeFinished(cronJob, children);
      const status = await this.#start({ ...cronJob, status: current });
      await this.#writeStatus(key, cronJob, status);
      await this.#prune(cronJob, children);
    });
    return this.#untilNextRun(cronJob);
  }

  #untilNextRun(cronJob: CronJob): Requeue | undefined {
    if (cronJob.metadata.deletionTimestamp !== undefined || cronJob.spec.suspend) return undefined;
    const now = this.#context.clock.now();
    const next = this.#scheduleOf(cronJob, { warns: false })?.next(now);
    return next === undefined ? undefined : { afterMs: next - now + AFTER_TIME_MS };
  }

  /** Removes finished and deleted Jobs from status.active. */
  async #removeFinished(cronJob: CronJob, children: readonly Job[]): Promise<CronJobStatus> {
    let { active = [], lastSuccessfulTime } = cronJob.status ?? {};
    for (const job of children) {
      const isListed = active.some(({ uid }) => uid === job.metadata.uid);
      if (!isListed && !isFinished(job)) {
        this.#context.recorder.event(
          cronJob,
          'Warning',
          'UnexpectedJob',
          `Saw a job that the controller did not create or forgot: ${job.metadata.name}`,
        );
      } else if (isListed && isFinished(job)) {
        active = active.filter(({ uid }) => uid !== job.metadata.uid);
        const condition = trueCondition(job, 'Complete') ? 'Complete' : 'Failed';
        this.#context.recorder.event(
          cronJob,
          'Normal',
          'SawCompletedJob',
          `Saw completed job: ${job.metadata.name}, condition: ${condition}`,
        );
      }
      const { completionTime } = job.status ?? {};
      if (trueCondition(job, 'Complete') && completionTime && completionTime > (lastSuccessfulTime ?? ''))
        lastSuccessfulTime = completionTime;
    }
    for (const { uid, name = '', namespace } of active) {
      if (children.some((job) => job.metadata.uid === uid) || !(await this.#isGone(namespace, name))) continue;
      active = active.filter((other) => other.uid !== uid);
      this.#context.recorder.event(cronJob, 'Normal', 'MissingJob', `Active job went missing: ${name}`);
    }
    return { ...cronJob.status, active, lastSuccessfulTime };
  }

  async #isGone(namespace: string | undefined, name: string): Promise<boolean> {
    try {
      await this.#jobResource.get({ namespace, name }, { signal: this.#context.signal });
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  /** Creates the Job if one is due, and returns the new status. */
  async #start(cronJob: CronJob): Promise<CronJobStatus> {
    const status = cronJob.status ?? {};
    const { spec, metadata } = cronJob;
    if (metadata.deletionTimestamp !== undefined || spec.suspend) return status;
    const schedule = this.#scheduleOf(cronJob);
    if (!schedule) return status;
    const now = this.#context.clock.now();
    // Such as February 31st.
    if (schedule.next(now) === undefined) {
      const why = 'time difference between two schedules is less than 1 second';
      this.#context.recorder.event(
        cronJob,
        'Warning',
        'InvalidSchedule',
        `invalid schedule: ${spec.schedule} : ${why}`,
      );
      return status;
    }
    const { due, tooMany } = missedRuns(cronJob, schedule, now);
    if (tooMany)
      this.#context.recorder.event(
        cronJob,
        'Warning',
        'TooManyMissedTimes',
        'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
      );
    if (due === undefined || formatTime(due) === status.lastScheduleTime) return status;
    if (spec.startingDeadlineSeconds !== undefined && due + spec.startingDeadlineSeconds * 1000 < now) {
      this.#context.recorder.event(
        cronJob,
        'Warning',
        'MissSchedule',
        `Missed scheduled time to start a job: ${rfc1123(due)}`,
      );
      return status;
    }
    const name = `${metadata.name}-${Math.floor(due / 60_000)}`;
    let { active = [] } = status;
    if (active.some((reference) => reference.name === name)) return status;
    if (spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
      this.#context.recorder.event(
        cronJob,
        'Normal',
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
      return status;
    }
    if (spec.concurrencyPolicy === 'Replace') {
      for (const { namespace, name: running = '' } of active) await this.#deleteJob(cronJob, namespace, running);
      active = [];
    }
    const job = await this.#createJob(cronJob, name, due);
    if (!job) return { ...status, active };
    return { ...status, active: [...active, referenceTo(job)], lastScheduleTime: formatTime(due) };
  }

  #scheduleOf(cronJob: CronJob, { warns = true } = {}): Schedule | undefined {
    const { schedule, timeZone } = cronJob.spec;
    try {
      return parseSchedule(schedule, timeZone);
    } catch (error) {
      if (!warns) return undefined;
      const why = errorMessage(error);
      if (error instanceof RangeError)
        this.#context.recorder.event(
          cronJob,
          'Warning',
          'UnknownTimeZone',
          `invalid timeZone: ${JSON.stringify(timeZone ?? '')}: ${why}`,
        );
      else
        this.#context.recorder.event(
          cronJob,
          'Warning',
          'UnparseableSchedule',
          `unparseable schedule: ${JSON.stringify(schedule)} : ${why}`,
        );
      return undefined;
    }
  }

  async #createJob(cronJob: CronJob, name: string, due: number): Promise<Job | undefined> {
    const { metadata: template, spec } = cronJob.spec.jobTemplate;
    const { namespace } = cronJob.metadata;
    const annotations = { ...template?.annotations, [SCHEDULED_ANNOTATION]: rfc3339In(due, cronJob.spec.timeZone) };
    const wanted: Job = {
      metadata: {
        name,
        namespace,
        ...(template?.labels ? { labels: template.labels } : {}),
        annotations,
        ownerReferences: [controllerReference(cronJob, KIND)],
      },
      spec,
    };
    try {
      const job = await this.#jobResource.create(wanted, { signal: this.#context.signal });
      const createdAt = job.metadata.creationTimestamp ? parseTime(job.metadata.creationTimestamp) : due;
      this.#skewSeconds.observe((createdAt - due) / 1000);
      this.#context.recorder.event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
      return { ...job, apiVersion: 'batch/v1', kind: 'Job' };
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      if (isAlreadyExists(error)) {
        const existing = await this.#jobResource.get({ namespace, name }, { signal: this.#context.signal });
        // The CronJob's own Job, from a sync that could not write the status.
        if (isControlledBy(existing, cronJob)) return { ...existing, apiVersion: 'batch/v1', kind: 'Job' };
      }
      if (!this.#context.signal.aborted)
        this.#context.recorder.event(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${errorMessage(error)}`);
      throw error;
    }
  }

  async #deleteJob(cronJob: CronJob, namespace: string | undefined, name: string): Promise<void> {
    try {
      await this.#jobResource.delete(
        { namespace, name },
        { propagationPolicy: 'Background', signal: this.#context.signal },
      );
    } catch (error) {
      if (isNotFound(error)) return;
      if (!this.#context.signal.aborted)
        this.#context.recorder.event(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${errorMessage(error)}`);
      throw error;
    }
    this.#context.recorder.event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
  }

  async #prune(cronJob: CronJob, children: readonly Job[]): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
    const startedAt = (job: Job): number => (job.status?.startTime ? parseTime(job.status.startTime) : Infinity);
    const oldestFirst = (a: Job, b: Job): number =>
      startedAt(a) - startedAt(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
    for (const [type, limit] of [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const) {
      if (limit === undefined) continue;
      const finished = children
        .filter((job) => trueCondition(job, type) && job.metadata.deletionTimestamp === undefined)
        .sort(oldestFirst);
      for (const job of finished.slice(0, Math.max(0, finished.length - limit)))
        await this.#deleteJob(cronJob, job.metadata.namespace, job.metadata.name ?? '');
    }
  }

  async #writeStatus(
    key: string,
    cronJob: CronJob,
    { active = [], lastScheduleTime, lastSuccessfulTime }: CronJobStatus,
  ): Promise<void> {
    const status: CronJobStatus = {
      ...(active.length > 0 ? { active } : {}),
      ...(lastScheduleTime ? { lastScheduleTime } : {}),
      ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}),
    };
    if (deepEqual(status, cronJob.status ?? {})) return;
    this.#parts.written.wrote(
      key,
      await this.#context.client
        .resource('batch/v1/cronjobs')
        .updateStatus({ ...cronJob, status }, { signal: this.#context.signal }),
    );
  }
}
