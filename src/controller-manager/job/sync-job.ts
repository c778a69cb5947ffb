/**
 * One sync of one Job: counts finished pods, decides whether the Job is finished, and otherwise creates or deletes pods.
 * A pod is counted in steps, so that a crash between them neither loses it nor counts it twice: its uid is added to
 * uncountedTerminatedPods, its finalizer is removed, and then the uid is replaced by an increased count.
 */
import type { Job, JobCondition, JobStatus, UncountedTerminatedPods } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { deepEqual, formatTime, parseTime } from '../../base/index.ts';
import { keyOf } from '../../client/index.ts';
import { isPodActive, isPodReady, isPodTerminating } from '../../component-helpers/index.ts';
import type { ControllerContext } from '../controller.ts';
import { comparePodsForDeletion, type CreatePodOptions } from '../pods/index.ts';
import { afterFinished, backoffMs, finishedAt, type FailureRecord } from './failure-backoff.ts';
import { allFailures, indexPodOptions, isIndexFailed } from './index-pods.ts';
import { formatIndexes, parseIndexes } from './indexes.ts';
import type { JobPods } from './job-pods.ts';
import {
  ensureCondition,
  hasBackoffPerIndex,
  indexOf,
  isIndexed,
  isPodFailed,
  isSuspended,
  jobCondition,
  replacesOnlyFailed,
  trueCondition,
} from './job-state.ts';
import type { JobMetrics, JobSyncAction } from './metrics.ts';
import { matchPodFailurePolicy } from './pod-failure-policy.ts';
import { matchSuccessPolicy } from './success-policy.ts';

/** The most pods that one sync creates or deletes. */
const BURST = 500;
/** Limits the size of uncountedTerminatedPods. */
const MAX_UNCOUNTED = 500;
const COMPLETED: readonly [string, string] = ['CompletionsReached', 'Reached expected number of succeeded pods'];

interface JobSyncOptions {
  readonly context: ControllerContext;
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly jobPods: JobPods;
  readonly metrics: JobMetrics;
  readonly failures: FailureRecord | undefined;
  wakeAfter(ms: number): void;
  updateStatus(job: Job): Promise<Job>;
}

export class JobSync {
  readonly #options: JobSyncOptions;
  readonly #key: string;
  readonly #now: number;
  readonly #active: Pod[];
  #job: Job;
  #activeCount: number;
  #readyCount: number;
  #terminating: number;
  #succeeded: number;
  #failed: number;
  #failures: FailureRecord;
  #action: JobSyncAction = 'reconciling';
  #succeededIndexes = new Set<number>();
  #failedIndexes = new Set<number>();
  #retained = new Map<number, Pod>();

  constructor(options: JobSyncOptions) {
    this.#options = options;
    this.#job = options.job;
    this.#key = keyOf(options.job);
    this.#now = options.context.clock.now();
    this.#active = options.pods.filter(isPodActive);
    this.#activeCount = this.#active.length;
    this.#readyCount = this.#active.filter(isPodReady).length;
    this.#terminating = options.pods.filter(isPodTerminating).length;
    this.#succeeded = 0;
    this.#failed = 0;
    this.#failures = options.failures ?? { failures: 0, lastFailure: 0 };
  }

  get failures(): FailureRecord {
    return this.#failures;
  }

  async run(): Promise<void> {
    const { context, metrics } = this.#options;
    const started = context.clock.monotonic();
    const synced = (failed: boolean): void =>
      metrics.synced(this.#job, {
        action: this.#action,
        failed,
        seconds: (context.clock.monotonic() - started) / 1000,
      });
    try {
      await this.#sync();
    } catch (error) {
      synced(true);
      throw error;
    }
    synced(false);
  }

  async #sync(): Promise<void> {
    const { context, jobPods } = this.#options;
    const job = this.#job;
    const mayAct = jobPods.expectations.satisfied(this.#key);
    const startTime = job.status?.startTime ?? (isSuspended(job) ? undefined : formatTime(this.#now));
    let status: JobStatus = {
      ...job.status,
      ...(startTime === undefined ? {} : { startTime }),
      uncountedTerminatedPods: { ...job.status?.uncountedTerminatedPods },
    };
    const newFailed = this.#countFinished();
    let finishing = this.#verdict(newFailed, startTime);
    let failure: unknown;
    if (finishing) {
      const { deleted, error } = await jobPods.delete(job, this.#active, { counted: true });
      failure = error;
      if (deleted.length !== this.#active.length || !mayAct) finishing = undefined;
      this.#deleted(deleted);
    } else {
      const managed = mayAct && job.metadata.deletionTimestamp === undefined;
      if (managed) failure = await this.#manage();
      if (this.#isComplete()) finishing = jobCondition('SuccessCriteriaMet', 'True', ...COMPLETED, this.#now);
      else if (managed) status = this.#noteSuspension(status);
    }
    if (context.signal.aborted) throw failure ?? context.signal.reason;
    status = { ...status, active: this.#activeCount, ready: this.#readyCount, terminating: this.#terminating };
    await this.#track(status, finishing);
    if (failure !== undefined) throw failure as Error;
  }

  /** Adds finished pods to the totals; returns those that failed since the last sync. */
  #countFinished(): Pod[] {
    const { pods, jobPods, failures } = this.#options;
    const job = this.#job;
    const uncounted = job.status?.uncountedTerminatedPods;
    const isNew = (pod: Pod): boolean =>
      jobPods.isTracked(this.#key, pod) &&
      !uncounted?.succeeded?.includes(pod.metadata.uid ?? '') &&
      !uncounted?.failed?.includes(pod.metadata.uid ?? '');
    const succeeded = pods.filter((pod) => pod.status?.phase === 'Succeeded');
    const failed = pods.filter((pod) => isPodFailed(pod, job));
    const newSucceeded = succeeded.filter(isNew);
    const newFailed = failed.filter(isNew);
    this.#failures =
      failures === undefined
        ? afterFinished(undefined, succeeded, failed)
        : afterFinished(failures, newSucceeded, newFailed);
    this.#succeeded = (job.status?.succeeded ?? 0) + newSucceeded.length + (uncounted?.succeeded?.length ?? 0);
    this.#failed = (job.status?.failed ?? 0) + newFailed.length + (uncounted?.failed?.length ?? 0);
    if (isIndexed(job)) this.#countIndexes(succeeded, failed);
    return newFailed;
  }

  #countIndexes(succeeded: readonly Pod[], failed: readonly Pod[]): void {
    const job = this.#job;
    const { jobPods } = this.#options;
    const completions = job.spec?.completions ?? 0;
    const indexesOf = (pods: readonly Pod[]): number[] =>
      pods.map((pod) => indexOf(pod, job)).filter((index) => index !== undefined);
    const tracked = (pod: Pod): boolean => jobPods.isTracked(this.#key, pod);
    this.#succeededIndexes = new Set([
      ...parseIndexes(job.status?.completedIndexes, completions),
      ...indexesOf(succeeded.filter(tracked)),
    ]);
    this.#succeeded = this.#succeededIndexes.size;
    if (!hasBackoffPerIndex(job)) return;
    this.#failedIndexes = new Set([
      ...parseIndexes(job.status?.failedIndexes, completions),
      ...indexesOf(failed.filter((pod) => tracked(pod) && isIndexFailed(pod, job))),
    ]);
    const active = new Set(indexesOf(this.#active));
    // The last failed pod of an index is retained until its replacement exists, because it has the failure count.
    for (const pod of failed.filter(tracked)) {
      const index = indexOf(pod, job);
      if (
        index === undefined ||
        this.#succeededIndexes.has(index) ||
        this.#failedIndexes.has(index) ||
        active.has(index)
      )
        continue;
      const retained = this.#retained.get(index);
      if (!retained || allFailures(pod) > allFailures(retained)) this.#retained.set(index, pod);
    }
  }

  /** The condition that finishes the Job, if any. An earlier decision is kept. */
  #verdict(newFailed: readonly Pod[], startTime: string | undefined): JobCondition | undefined {
    const { pods } = this.#options;
    const job = this.#job;
    const { spec, status } = job;
    const met = trueCondition(job, 'SuccessCriteriaMet');
    if (met) return met;
    const target = trueCondition(job, 'FailureTarget');
    if (target) return target;
    const fail = (reason: string, message: string): JobCondition =>
      jobCondition('FailureTarget', 'True', reason, message, this.#now);
    const matches = pods
      .filter((pod) => isPodFailed(pod, job))
      .map((pod) => matchPodFailurePolicy(spec?.podFailurePolicy, pod));
    const fatal = matches.find((match) => match?.action === 'FailJob');
    if (fatal) return fail('PodFailurePolicy', fatal.message);
    const counted = newFailed.filter(
      (pod) => matchPodFailurePolicy(spec?.podFailurePolicy, pod)?.action !== 'Ignore',
    ).length;
    const failed = (status?.failed ?? 0) + (status?.uncountedTerminatedPods?.failed?.length ?? 0) + counted;
    const limit = spec?.backoffLimit ?? 6;
    if (failed > limit || this.#restartsExceed(limit))
      return fail('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
    if (spec?.activeDeadlineSeconds !== undefined && startTime !== undefined && !isSuspended(job)) {
      const left = parseTime(startTime) + spec.activeDeadlineSeconds * 1000 - this.#now;
      if (left <= 0) return fail('DeadlineExceeded', 'Job was active longer than specified deadline');
      this.#options.wakeAfter(left);
    }
    if (!isIndexed(job)) return undefined;
    const completions = spec?.completions ?? 0;
    if (hasBackoffPerIndex(job)) {
      if (spec?.maxFailedIndexes !== undefined && this.#failedIndexes.size > spec.maxFailedIndexes)
        return fail('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
      if (this.#failedIndexes.size > 0 && this.#failedIndexes.size + this.#succeededIndexes.size >= completions)
        return fail('FailedIndexes', 'Job has failed indexes');
    }
    const message = matchSuccessPolicy(spec?.successPolicy, completions, this.#succeededIndexes);
    return message === undefined
      ? undefined
      : jobCondition('SuccessCriteriaMet', 'True', 'SuccessPolicy', message, this.#now);
  }

  /** Container restarts count as failures, too. */
  #restartsExceed(limit: number): boolean {
    if (this.#job.spec?.template.spec?.restartPolicy !== 'OnFailure') return false;
    const running = this.#options.pods.filter(
      (pod) => pod.status?.phase === 'Running' || pod.status?.phase === 'Pending',
    );
    const statuses = running.flatMap(({ status }) => [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
    ]);
    const restarts = statuses.reduce((sum, container) => sum + (container.restartCount ?? 0), 0);
    return limit === 0 ? restarts > 0 : restarts >= limit;
  }

  #isComplete(): boolean {
    const { completions } = this.#job.spec ?? {};
    if (this.#activeCount > 0) return false;
    return completions === undefined ? this.#succeeded > 0 : this.#succeeded >= completions;
  }

  async #manage(): Promise<unknown> {
    const job = this.#job;
    const { jobPods, metrics } = this.#options;
    const surplus = this.#surplus();
    this.#action = isSuspended(job) || surplus.length > 0 ? 'pods_deleted' : 'tracking';
    if (surplus.length > 0) {
      const { deleted, error } = await jobPods.delete(job, surplus, { counted: false });
      this.#deleted(deleted);
      return error;
    }
    if (isSuspended(job)) return undefined;
    const missing = Math.min(
      this.#wantActive() - this.#activeCount - (replacesOnlyFailed(job) ? this.#terminating : 0),
      BURST,
    );
    if (missing <= 0) return undefined;
    this.#action = 'pods_created';
    const wanted = this.#podsToCreate(missing);
    if (wanted.length === 0) return undefined;
    const before = { failed: this.#failed, terminating: this.#terminating };
    const { succeeded, failed, error } = await jobPods.create(job, wanted);
    this.#activeCount += succeeded;
    metrics.created(job, { succeeded, failed }, before);
    return error;
  }

  #wantActive(): number {
    const { parallelism = 1, completions } = this.#job.spec ?? {};
    if (isSuspended(this.#job)) return 0;
    if (completions === undefined) return this.#succeeded > 0 ? this.#activeCount : parallelism;
    return Math.max(0, Math.min(completions - this.#succeeded - this.#failedIndexes.size, parallelism));
  }

  /** Surplus active pods: duplicates of an index first, then in deletion order. */
  #surplus(): Pod[] {
    const job = this.#job;
    const ordered = this.#active
      .map((pod) => ({ pod, rank: 0 }))
      .sort((a, b) => comparePodsForDeletion(a, b, this.#now))
      .map(({ pod }) => pod);
    const remove: Pod[] = [];
    if (isIndexed(job)) {
      const seen = new Set<number>();
      for (const pod of [...ordered].reverse()) {
        const index = indexOf(pod, job);
        if (index === undefined || seen.has(index)) remove.push(pod);
        else seen.add(index);
      }
    }
    const more = this.#activeCount - this.#wantActive() - remove.length;
    if (more > 0) remove.push(...ordered.filter((pod) => !remove.includes(pod)).slice(0, more));
    return remove.slice(0, BURST);
  }

  #podsToCreate(missing: number): Partial<CreatePodOptions>[] {
    const job = this.#job;
    if (!hasBackoffPerIndex(job)) {
      const wait = backoffMs(this.#failures, this.#now);
      if (wait > 0) {
        this.#options.wakeAfter(wait);
        return [];
      }
    }
    if (!isIndexed(job)) return Array.from({ length: missing }, () => ({}));
    const active = new Set(
      this.#options.pods
        .filter((pod) => isPodActive(pod) || (replacesOnlyFailed(job) && isPodTerminating(pod)))
        .map((pod) => indexOf(pod, job)),
    );
    const wanted: Partial<CreatePodOptions>[] = [];
    const waits: number[] = [];
    for (let index = 0; index < (job.spec?.completions ?? 0) && wanted.length < missing; index++) {
      if (active.has(index) || this.#succeededIndexes.has(index) || this.#failedIndexes.has(index)) continue;
      const replaced = this.#retained.get(index);
      const wait = replaced
        ? backoffMs({ failures: allFailures(replaced) + 1, lastFailure: finishedAt(replaced) }, this.#now)
        : 0;
      if (wait > 0) waits.push(wait);
      else wanted.push(indexPodOptions(job, index, replaced));
    }
    if (waits.length > 0) this.#options.wakeAfter(Math.min(...waits));
    return wanted;
  }

  #deleted(pods: readonly Pod[]): void {
    this.#activeCount -= pods.length;
    this.#readyCount -= pods.filter(isPodReady).length;
    this.#terminating += pods.length;
  }

  #noteSuspension(status: JobStatus): JobStatus {
    const { recorder } = this.#options.context;
    const suspended = isSuspended(this.#job);
    const [reason, message] = suspended ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
    const conditions = ensureCondition(
      status.conditions ?? [],
      jobCondition('Suspended', suspended ? 'True' : 'False', reason!, message!, this.#now),
    );
    if (!conditions) return status;
    recorder.event(this.#job, 'Normal', suspended ? 'Suspended' : 'Resumed', message!);
    const { startTime: _, ...others } = status;
    // Only while it has no start the scheduling directives of a suspended Job may change.
    return suspended ? { ...others, conditions } : { ...others, conditions, startTime: formatTime(this.#now) };
  }

  async #track(status: JobStatus, finishing: JobCondition | undefined): Promise<void> {
    const { jobPods, pods, metrics } = this.#options;
    const tracked = new Map(
      pods.filter((pod) => jobPods.isTracked(this.#key, pod)).map((pod) => [pod.metadata.uid ?? '', pod]),
    );
    let next = countUntracked(status, tracked);
    const { uncounted, done, complete, actions } = this.#newlyEnded(next, tracked, finishing);
    next = { ...next, uncountedTerminatedPods: uncounted, ...this.#indexStatus() };
    if (finishing) next = { ...next, conditions: ensureCondition(next.conditions ?? [], finishing) ?? next.conditions };
    await this.#write(next);
    const results = await Promise.allSettled(
      done.map(async (pod) => {
        await jobPods.untrack(this.#key, pod);
        tracked.delete(pod.metadata.uid ?? '');
      }),
    );
    next = countUntracked(next, tracked);
    const finished = complete ? this.#finish(next, finishing) : undefined;
    await this.#write(finished ?? next);
    metrics.matchedFailurePolicy(actions);
    if (finished) this.#announce(finished);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** The pods that can be counted now, and whether these are all. */
  #newlyEnded(
    status: JobStatus,
    tracked: ReadonlyMap<string, Pod>,
    finishing: JobCondition | undefined,
  ): { uncounted: UncountedTerminatedPods; done: Pod[]; complete: boolean; actions: string[] } {
    const job = this.#job;
    const succeeded = [...(status.uncountedTerminatedPods?.succeeded ?? [])];
    const failed = [...(status.uncountedTerminatedPods?.failed ?? [])];
    const isFailing = finishing?.type === 'FailureTarget';
    const done: Pod[] = [];
    const actions: string[] = [];
    for (const [uid, pod] of tracked) {
      const hasFailed = isPodFailed(pod, job);
      const hasSucceeded = pod.status?.phase === 'Succeeded';
      const index = indexOf(pod, job);
      const isRetained = index !== undefined && this.#retained.get(index)?.metadata.uid === uid;
      if (job.metadata.deletionTimestamp === undefined && !finishing && !hasSucceeded && (!hasFailed || isRetained))
        continue;
      if (succeeded.length + failed.length >= MAX_UNCOUNTED)
        return { uncounted: uncountedStatus(succeeded, failed), done, complete: false, actions };
      done.push(pod);
      if (hasSucceeded && !failed.includes(uid)) {
        if (!isIndexed(job) && !succeeded.includes(uid)) succeeded.push(uid);
      } else if ((hasFailed || isFailing) && !failed.includes(uid) && (!isIndexed(job) || index !== undefined)) {
        const action = matchPodFailurePolicy(job.spec?.podFailurePolicy, pod)?.action;
        if (action !== undefined) actions.push(action);
        if (action !== 'Ignore') failed.push(uid);
      }
    }
    return { uncounted: uncountedStatus(succeeded, failed), done, complete: true, actions };
  }

  #indexStatus(): Partial<JobStatus> {
    if (!isIndexed(this.#job)) return {};
    const failed = hasBackoffPerIndex(this.#job) ? { failedIndexes: formatIndexes(this.#failedIndexes) } : {};
    return {
      succeeded: this.#succeededIndexes.size,
      completedIndexes: formatIndexes(this.#succeededIndexes),
      ...failed,
    };
  }

  /** The final condition is set when every pod is counted and none runs. */
  #finish(status: JobStatus, finishing: JobCondition | undefined): JobStatus | undefined {
    const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
    if (!finishing || succeeded.length + failed.length > 0 || this.#terminating > 0 || this.#activeCount > 0)
      return undefined;
    const type = finishing.type === 'FailureTarget' ? 'Failed' : 'Complete';
    const last = jobCondition(type, 'True', finishing.reason ?? '', finishing.message ?? '', this.#now);
    const conditions = ensureCondition(status.conditions ?? [], last) ?? status.conditions;
    if (type === 'Failed') return { ...status, conditions };
    // A clock that was ahead when the Job started must not keep it from ending: the server refuses an earlier end.
    const { startTime = '' } = status;
    const now = last.lastTransitionTime ?? '';
    return { ...status, conditions, completionTime: now < startTime ? startTime : now };
  }

  #announce({ conditions }: JobStatus): void {
    const { metrics, context } = this.#options;
    const { recorder } = context;
    const finished = conditions?.find((c) => (c.type === 'Failed' || c.type === 'Complete') && c.status === 'True');
    if (finished) metrics.finished(this.#job, finished);
    const failed = conditions?.find((c) => c.type === 'Failed' && c.status === 'True');
    if (failed) recorder.event(this.#job, 'Warning', failed.reason ?? '', failed.message ?? '');
    else recorder.event(this.#job, 'Normal', 'Completed', 'Job completed');
  }

  async #write(status: JobStatus): Promise<void> {
    const clean = canonical(status);
    if (deepEqual(clean, canonical(this.#job.status ?? {})) && this.#job.status?.uncountedTerminatedPods !== undefined)
      return;
    const before = this.#job.status ?? {};
    this.#job = await this.#options.updateStatus({ ...this.#job, status: clean });
    this.#options.metrics.counted(this.#job, before, clean);
  }
}

function uncountedStatus(succeeded: string[], failed: string[]): UncountedTerminatedPods {
  return { ...(succeeded.length > 0 ? { succeeded } : {}), ...(failed.length > 0 ? { failed } : {}) };
}

/** Replaces the uids of pods without the finalizer by counts. */
function countUntracked(status: JobStatus, tracked: ReadonlyMap<string, Pod>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const [newSucceeded, newFailed] = [
    succeeded.filter((uid) => !tracked.has(uid)),
    failed.filter((uid) => !tracked.has(uid)),
  ];
  if (newSucceeded.length + newFailed.length === 0) return status;
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + newSucceeded.length,
    failed: (status.failed ?? 0) + newFailed.length,
    uncountedTerminatedPods: uncountedStatus(
      succeeded.filter((uid) => tracked.has(uid)),
      failed.filter((uid) => tracked.has(uid)),
    ),
  };
}

/** Drops zero counts and empty strings, but for fields that are always present. */
function canonical({ active, succeeded, failed, completedIndexes, failedIndexes, ...status }: JobStatus): JobStatus {
  return {
    ...status,
    ...(active ? { active } : {}),
    ...(succeeded ? { succeeded } : {}),
    ...(failed ? { failed } : {}),
    ...(completedIndexes ? { completedIndexes } : {}),
    ...(failedIndexes === undefined ? {} : { failedIndexes }),
  };
}
