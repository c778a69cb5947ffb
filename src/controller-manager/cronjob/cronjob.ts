/** cronjob-controller: makes a Job whenever a CronJob's schedule says so, and keeps a short history of them. */
import type { CronJob, CronJobStatus, Job } from '../../api/generated/batch-v1.ts';
import { byControllerUid, CONTROLLER_UID_INDEX, controllerOf, controllerReference, isAlreadyExists, isControlledBy, isNamespaceTerminating, isNotFound, keyOf, referenceTo } from '../../client/index.ts';
import { formatTime, parseTime } from '../../machinery/time/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { isFinished, trueCondition } from '../job/job-state.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { ignoringGone, sameStatus } from '../status.ts';
import { missedRuns } from './missed-runs.ts';
import { parseSchedule, type Schedule } from './schedule.ts';
import { rfc1123, rfc3339In } from './time-texts.ts';

const WORKERS = 5;
const KIND = { apiVersion: 'batch/v1', kind: 'CronJob' };
const SCHEDULED_ANNOTATION = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** Jobs are made a moment after their time, so that clocks which differ a little agree that it has come. */
const AFTER_TIME_MS = 100;

export const cronJobController: ControllerDescriptor = {
  name: 'cronjob-controller',
  aliases: ['cronjob'],
  build(context) {
    const { client, clock, signal, recorder } = context;
    const cronJobs = context.informers.informer('batch/v1/cronjobs');
    const jobs = context.informers.informer('batch/v1/jobs', {}, { [CONTROLLER_UID_INDEX]: byControllerUid });
    const written = new ReadYourWrites();
    const jobResource = client.resource('batch/v1/jobs');

    const reconcile = async (key: string): Promise<void> => {
      const cronJob = cronJobs.get(key);
      if (!cronJob) return written.forget(key);
      if (written.isBehind(key, cronJob)) return;
      await ignoringGone(async () => {
        const children = jobs.indexer.byIndex(CONTROLLER_UID_INDEX, cronJob.metadata.uid ?? '');
        const noted = await noteFinished(cronJob, children);
        const status = await start(key, { ...cronJob, status: noted });
        await writeStatus(key, cronJob, status);
        await prune(cronJob, children);
      });
    };

    /** Drops from the active Jobs those that are over or gone. */
    const noteFinished = async (cronJob: CronJob, children: readonly Job[]): Promise<CronJobStatus> => {
      let { active = [], lastSuccessfulTime } = cronJob.status ?? {};
      for (const job of children) {
        const isListed = active.some(({ uid }) => uid === job.metadata.uid);
        if (!isListed && !isFinished(job)) {
          recorder.event(cronJob, 'Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${job.metadata.name}`);
        } else if (isListed && isFinished(job)) {
          active = active.filter(({ uid }) => uid !== job.metadata.uid);
          const condition = trueCondition(job, 'Complete') ? 'Complete' : 'Failed';
          recorder.event(cronJob, 'Normal', 'SawCompletedJob', `Saw completed job: ${job.metadata.name}, condition: ${condition}`);
        }
        const { completionTime } = job.status ?? {};
        if (trueCondition(job, 'Complete') && completionTime && completionTime > (lastSuccessfulTime ?? '')) lastSuccessfulTime = completionTime;
      }
      for (const { uid, name = '', namespace } of active) {
        if (children.some((job) => job.metadata.uid === uid) || !(await isGone(namespace, name))) continue;
        active = active.filter((other) => other.uid !== uid);
        recorder.event(cronJob, 'Normal', 'MissingJob', `Active job went missing: ${name}`);
      }
      return { ...cronJob.status, active, lastSuccessfulTime };
    };

    const isGone = async (namespace: string | undefined, name: string): Promise<boolean> => {
      try {
        await jobResource.get({ namespace, name }, { signal });
        return false;
      } catch (error) {
        if (isNotFound(error)) return true;
        throw error;
      }
    };

    /** Makes the Job that is due, if one is; gives the status as it should then be. */
    const start = async (key: string, cronJob: CronJob): Promise<CronJobStatus> => {
      const status = cronJob.status ?? {};
      const { spec, metadata } = cronJob;
      if (metadata.deletionTimestamp !== undefined || spec.suspend) return status;
      const schedule = scheduleOf(cronJob);
      if (!schedule) return status;
      const now = clock.now();
      const { due, tooMany } = missedRuns(cronJob, schedule, now);
      const next = schedule.next(now);
      if (next !== undefined) queue.addAfter(key, next - now + AFTER_TIME_MS);
      if (tooMany) recorder.event(cronJob, 'Warning', 'TooManyMissedTimes', 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew');
      if (due === undefined || formatTime(due) === status.lastScheduleTime) return status;
      if (spec.startingDeadlineSeconds !== undefined && due + spec.startingDeadlineSeconds * 1000 < now) {
        recorder.event(cronJob, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${rfc1123(due)}`);
        return status;
      }
      const name = `${metadata.name}-${Math.floor(due / 60_000)}`;
      let { active = [] } = status;
      if (active.some((reference) => reference.name === name)) return status;
      if (spec.concurrencyPolicy === 'Forbid' && active.length > 0) {
        recorder.event(cronJob, 'Normal', 'JobAlreadyActive', 'Not starting job because prior execution is running and concurrency policy is Forbid');
        return status;
      }
      if (spec.concurrencyPolicy === 'Replace') {
        for (const { namespace, name: running = '' } of active) await deleteJob(cronJob, namespace, running);
        active = [];
      }
      const job = await createJob(cronJob, name, due);
      if (!job) return { ...status, active };
      return { ...status, active: [...active, referenceTo(job)], lastScheduleTime: formatTime(due) };
    };

    const scheduleOf = (cronJob: CronJob): Schedule | undefined => {
      const { schedule, timeZone } = cronJob.spec;
      try {
        return parseSchedule(schedule, timeZone);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        if (error instanceof RangeError) recorder.event(cronJob, 'Warning', 'UnknownTimeZone', `invalid timeZone: ${JSON.stringify(timeZone ?? '')}: ${why}`);
        else recorder.event(cronJob, 'Warning', 'UnparseableSchedule', `unparseable schedule: ${JSON.stringify(schedule)} : ${why}`);
        return undefined;
      }
    };

    const createJob = async (cronJob: CronJob, name: string, due: number): Promise<Job | undefined> => {
      const { metadata: template, spec } = cronJob.spec.jobTemplate;
      const { namespace } = cronJob.metadata;
      const annotations = { ...template?.annotations, [SCHEDULED_ANNOTATION]: rfc3339In(due, cronJob.spec.timeZone) };
      const wanted: Job = { metadata: { name, namespace, ...(template?.labels ? { labels: template.labels } : {}), annotations, ownerReferences: [controllerReference(cronJob, KIND)] }, spec };
      try {
        const job = await jobResource.create(wanted, { signal });
        recorder.event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
        return { ...job, apiVersion: 'batch/v1', kind: 'Job' };
      } catch (error) {
        if (isNamespaceTerminating(error)) return undefined;
        if (isAlreadyExists(error)) {
          const existing = await jobResource.get({ namespace, name }, { signal });
          /** Ours, from a sync whose status was not written. */
          if (isControlledBy(existing, cronJob)) return { ...existing, apiVersion: 'batch/v1', kind: 'Job' };
        }
        if (!signal.aborted) recorder.event(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${error instanceof Error ? error.message : String(error)}`);
        throw error;
      }
    };

    const deleteJob = async (cronJob: CronJob, namespace: string | undefined, name: string): Promise<void> => {
      try {
        await jobResource.delete({ namespace, name }, { propagationPolicy: 'Background', signal });
      } catch (error) {
        if (isNotFound(error)) return;
        if (!signal.aborted) recorder.event(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${error instanceof Error ? error.message : String(error)}`);
        throw error;
      }
      recorder.event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
    };

    const prune = async (cronJob: CronJob, children: readonly Job[]): Promise<void> => {
      const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec;
      const startedAt = (job: Job): number => (job.status?.startTime ? parseTime(job.status.startTime) : Infinity);
      const oldestFirst = (a: Job, b: Job): number => startedAt(a) - startedAt(b) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
      for (const [type, limit] of [['Complete', successfulJobsHistoryLimit], ['Failed', failedJobsHistoryLimit]] as const) {
        if (limit === undefined) continue;
        const finished = children.filter((job) => trueCondition(job, type) && job.metadata.deletionTimestamp === undefined).sort(oldestFirst);
        for (const job of finished.slice(0, Math.max(0, finished.length - limit))) await deleteJob(cronJob, job.metadata.namespace, job.metadata.name ?? '');
      }
    };

    const writeStatus = async (key: string, cronJob: CronJob, { active = [], lastScheduleTime, lastSuccessfulTime }: CronJobStatus): Promise<void> => {
      const status: CronJobStatus = { ...(active.length > 0 ? { active } : {}), ...(lastScheduleTime ? { lastScheduleTime } : {}), ...(lastSuccessfulTime ? { lastSuccessfulTime } : {}) };
      if (sameStatus(status, cronJob.status ?? {})) return;
      written.wrote(key, await client.resource('batch/v1/cronjobs').updateStatus({ ...cronJob, status }, { signal }));
    };

    const { queue, run } = keyedLoop(context, 'cronjob', WORKERS, reconcile);
    const enqueue = (cronJob: CronJob): void => queue.add(keyOf(cronJob));
    const enqueueOwner = (job: Job): void => {
      const controller = controllerOf(job);
      if (controller?.kind === 'CronJob') queue.add(`${job.metadata.namespace}/${controller.name}`);
    };
    cronJobs.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after), onDelete: enqueue });
    jobs.addHandler({ onAdd: enqueueOwner, onUpdate: (_, after) => enqueueOwner(after), onDelete: enqueueOwner });
    return run;
  },
};
