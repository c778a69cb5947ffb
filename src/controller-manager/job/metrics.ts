/** The metrics of the Job controller. */
import type { Job, JobCondition, JobStatus } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { isPodTerminal } from '../../component-helpers/index.ts';
import { exponentialBuckets, type MetricsRegistry } from '../../kernel/index.ts';
import { parseIndexes } from './indexes.ts';
import { hasBackoffPerIndex, isIndexed, isTracked } from './job-state.ts';

/** What a sync did: it waited for its own writes, looked only, or created or deleted pods. */
export type JobSyncAction = 'reconciling' | 'tracking' | 'pods_created' | 'pods_deleted';

const SUBSYSTEM = 'job_controller';

export class JobMetrics {
  readonly #syncs;
  readonly #syncSeconds;
  readonly #finished;
  readonly #podsFinished;
  readonly #indexesFinished;
  readonly #podsCreated;
  readonly #failurePolicy;
  readonly #trackedPods;
  readonly #external;
  readonly #skips;

  constructor(metrics: MetricsRegistry) {
    const counter = <L extends string>(name: string, help: string, labels: readonly L[]) =>
      metrics.counter({ name: `${SUBSYSTEM}_${name}`, help, labels });
    const syncLabels = ['completion_mode', 'result', 'action'] as const;
    this.#syncs = counter('job_syncs_total', 'Syncs of Jobs.', syncLabels);
    this.#syncSeconds = metrics.histogram({
      name: `${SUBSYSTEM}_job_sync_duration_seconds`,
      help: 'Duration of a sync of a Job.',
      labels: syncLabels,
      buckets: exponentialBuckets(0.004, 2, 15),
    });
    this.#finished = counter('jobs_finished_total', 'Jobs that have finished.', [
      'completion_mode',
      'result',
      'reason',
    ]);
    this.#podsFinished = counter('job_pods_finished_total', 'Finished pods that their Job has counted.', [
      'completion_mode',
      'result',
    ]);
    this.#indexesFinished = counter('job_finished_indexes_total', 'Indexes that have succeeded or failed.', [
      'status',
      'backoffLimit',
    ]);
    this.#podsCreated = counter('job_pods_creation_total', 'Pods that were created, and why.', ['reason', 'status']);
    this.#failurePolicy = counter(
      'pod_failures_handled_by_failure_policy_total',
      'Failed pods that a rule of a pod failure policy matched, by its action.',
      ['action'],
    );
    this.#trackedPods = counter(
      'terminated_pods_tracking_finalizer_total',
      'Finished pods that got or lost the tracking finalizer.',
      ['event'],
    );
    this.#external = counter('jobs_by_external_controller_total', 'Jobs that another controller manages.', [
      'controller_name',
    ]);
    this.#skips = counter('stale_sync_skips_total', 'Syncs of Jobs that were skipped, for the cache was stale.', [
      'group',
      'resource',
    ]);
  }

  synced(job: Job, { action, failed, seconds }: { action: JobSyncAction; failed: boolean; seconds: number }): void {
    const labels = { completion_mode: completionMode(job), result: failed ? 'error' : 'success', action };
    this.#syncs.inc(labels);
    this.#syncSeconds.observe(seconds, labels);
  }

  finished(job: Job, { type, reason = '' }: JobCondition): void {
    this.#finished.inc({
      completion_mode: completionMode(job),
      result: type === 'Complete' ? 'succeeded' : 'failed',
      reason,
    });
  }

  /** A status with other counts has been written. */
  counted(job: Job, before: JobStatus, after: JobStatus): void {
    const completion_mode = completionMode(job);
    let succeeded = (after.succeeded ?? 0) - (before.succeeded ?? 0);
    if (isIndexed(job)) {
      const completions = job.spec?.completions ?? 0;
      const added = (now: string | undefined, then: string | undefined): number =>
        Math.max(0, parseIndexes(now, completions).size - parseIndexes(then, completions).size);
      const backoffLimit = hasBackoffPerIndex(job) ? 'perIndex' : 'global';
      succeeded = added(after.completedIndexes, before.completedIndexes);
      this.#indexesFinished.inc({ status: 'succeeded', backoffLimit }, succeeded);
      const failed = added(after.failedIndexes, before.failedIndexes);
      if (failed > 0) this.#indexesFinished.inc({ status: 'failed', backoffLimit }, failed);
    }
    this.#podsFinished.inc({ completion_mode, result: 'succeeded' }, Math.max(0, succeeded));
    const failed = (after.failed ?? 0) - (before.failed ?? 0);
    this.#podsFinished.inc({ completion_mode, result: 'failed' }, Math.max(0, failed));
  }

  created(
    job: Job,
    pods: { succeeded: number; failed: number },
    before: { failed: number; terminating: number },
  ): void {
    const isReplaced = before.failed > 0 && job.spec?.podReplacementPolicy === 'Failed';
    const isAnother = before.failed > 0 || before.terminating > 0;
    const reason = isReplaced ? 'recreate_failed' : isAnother ? 'recreate_terminating_or_failed' : 'new';
    if (pods.succeeded > 0) this.#podsCreated.inc({ reason, status: 'succeeded' }, pods.succeeded);
    if (pods.failed > 0) this.#podsCreated.inc({ reason, status: 'failed' }, pods.failed);
  }

  matchedFailurePolicy(actions: readonly string[]): void {
    for (const action of actions) this.#failurePolicy.inc({ action });
  }

  podChanged(before: Pod | undefined, after: Pod | undefined): void {
    const [was, is] = [isFinishedAndTracked(before), isFinishedAndTracked(after)];
    if (was !== is) this.#trackedPods.inc({ event: is ? 'add' : 'delete' });
  }

  managedExternally(controllerName: string): void {
    this.#external.inc({ controller_name: controllerName });
  }

  skipped(): void {
    this.#skips.inc({ group: 'batch', resource: 'jobs' });
  }
}

const completionMode = (job: Job): string => (isIndexed(job) ? 'Indexed' : 'NonIndexed');

const isFinishedAndTracked = (pod: Pod | undefined): boolean =>
  pod !== undefined && isTracked(pod) && isPodTerminal(pod);
