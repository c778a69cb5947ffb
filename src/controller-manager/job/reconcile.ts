/** Syncs one Job with the pods that it owns. */
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import {
  claimObjects,
  controllerReference,
  isNotFound,
  type ResourceClient,
  type SharedInformer,
} from '../../client/index.ts';
import type { ControllerContext, Reconciler } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { mayAdopt } from '../owners.ts';
import type { PodsByOwner } from '../pods/index.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { matcherOf } from '../selector-matchers.ts';
import type { FailureRecord } from './failure-backoff.ts';
import type { JobPods } from './job-pods.ts';
import { isFinished, isManagedHere, JOB_KIND, TRACKING_FINALIZER } from './job-state.ts';
import type { JobMetrics } from './metrics.ts';
import { JobSync } from './sync-job.ts';

/** What the reconcilers and the watches of Jobs share. */
export interface JobParts {
  readonly jobs: SharedInformer<Job>;
  readonly pods: PodsByOwner;
  readonly jobPods: JobPods;
  readonly metrics: JobMetrics;
}

/** What the workers know of their writes and of the pods that failed. */
interface JobState {
  readonly written: ReadYourWrites;
  readonly failures: Map<string, FailureRecord>;
}

export class JobReconciler implements Reconciler {
  readonly #context: ControllerContext;
  readonly #parts: JobParts;
  readonly #resource: ResourceClient<Job>;
  readonly #written: ReadYourWrites;
  readonly #failures: Map<string, FailureRecord>;

  constructor(context: ControllerContext, parts: JobParts, { written, failures }: JobState) {
    this.#written = written;
    this.#failures = failures;
    this.#context = context;
    this.#parts = parts;
    this.#resource = context.client.resource('batch/v1/jobs');
  }

  async reconcile(key: string, requeueAfter: (ms: number) => void): Promise<void> {
    const job = this.#parts.jobs.get(key);
    if (!job) return this.#forget(key);
    if (!isManagedHere(job) || isFinished(job)) return;
    if (this.#written.isBehind(key, job)) return this.#parts.metrics.skipped();
    await ignoreNotFound(async () => {
      const sync = new JobSync({
        context: this.#context,
        job,
        pods: await this.#claimPods(job),
        jobPods: this.#parts.jobPods,
        metrics: this.#parts.metrics,
        failures: this.#failures.get(key),
        wakeAfter: requeueAfter,
        updateStatus: (changed) => this.#updateStatus(key, changed),
      });
      await sync.run();
      this.#failures.set(key, sync.failures);
    });
  }

  #forget(key: string): void {
    this.#parts.jobPods.forget(key);
    this.#written.forget(key);
    this.#failures.delete(key);
  }

  async #updateStatus(key: string, job: Job): Promise<Job> {
    const updated = await this.#resource.updateStatus(job, { signal: this.#context.signal });
    this.#written.wrote(key, updated);
    return updated;
  }

  #claimPods(job: Job): Promise<Pod[]> {
    const { pods, jobPods } = this.#parts;
    const selector = matcherOf(job.spec?.selector);
    return claimObjects<Pod>({
      owner: job,
      candidates: pods.candidates(job),
      matches: (pod) => selector.matches(pod.metadata.labels ?? {}),
      adopt: (pod) => jobPods.control.adopt(pod, controllerReference(job, JOB_KIND), [TRACKING_FINALIZER]),
      release: (pod) => jobPods.control.release(pod, job.metadata.uid ?? '', TRACKING_FINALIZER),
      canAdopt: () => mayAdopt(this.#resource, job, this.#context.signal),
      isGone: isNotFound,
    });
  }
}
