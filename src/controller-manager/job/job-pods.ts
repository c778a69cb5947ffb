/** Creates and deletes the pods of Jobs, and removes the tracking finalizer of counted pods. */
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import {
  controllerReference,
  Expectations,
  isNamespaceTerminating,
  isNotFound,
  keyOf,
  slowStartBatch,
  SlowStartError,
} from '../../client/index.ts';
import type { ControllerContext } from '../controller.ts';
import { PodControl, type CreatePodOptions } from '../pods/index.ts';
import { isTracked, JOB_KIND, TRACKING_FINALIZER } from './job-state.ts';

export class JobPods {
  readonly control: PodControl;
  readonly expectations: Expectations;
  /** Uids of pods by Job whose finalizer was removed, though the informer still shows it. */
  readonly #untracked: Map<string, Set<string>>;
  readonly #context: ControllerContext;

  /** `shared`: the one whose state all workers share. */
  constructor(context: ControllerContext, shared?: JobPods) {
    this.#context = context;
    this.control = new PodControl(context);
    this.expectations = shared?.expectations ?? new Expectations(context.clock);
    this.#untracked = shared ? shared.#untracked : new Map<string, Set<string>>();
  }

  forget(key: string): void {
    this.expectations.forget(key);
    this.#untracked.delete(key);
  }

  /** Whether the pod has the tracking finalizer. */
  isTracked(key: string, pod: Pod): boolean {
    return isTracked(pod) && !this.#untracked.get(key)?.has(pod.metadata.uid ?? '');
  }

  untrackingObserved(key: string, uid: string): void {
    this.#untracked.get(key)?.delete(uid);
  }

  /** Creates pods in growing batches, until one fails. */
  async create(
    job: Job,
    wanted: readonly Partial<CreatePodOptions>[],
  ): Promise<{ succeeded: number; failed: number; error?: unknown }> {
    const made = { succeeded: 0, failed: 0 };
    const key = keyOf(job);
    const reference = controllerReference(job, JOB_KIND);
    this.expectations.expectCreations(key, wanted.length);
    try {
      await slowStartBatch(wanted.length, async (i) => {
        try {
          await this.control.create({
            owner: job,
            reference,
            template: job.spec?.template,
            finalizers: [TRACKING_FINALIZER],
            ...wanted[i],
          });
          made.succeeded++;
        } catch (error) {
          this.expectations.creationsAbandoned(key);
          made.failed++;
          if (!isNamespaceTerminating(error)) throw error;
        }
      });
      return made;
    } catch (error) {
      if (!(error instanceof SlowStartError)) return { ...made, error };
      this.expectations.creationsAbandoned(key, error.skipped);
      return { ...made, error: error.cause };
    }
  }

  /** Deletes pods, and removes the finalizer of those that are not counted. Returns the deleted ones. */
  async delete(
    job: Job,
    pods: readonly Pod[],
    { counted }: { counted: boolean },
  ): Promise<{ deleted: Pod[]; error: unknown }> {
    const key = keyOf(job);
    if (!counted) this.expectations.expectDeletions(key, pods.map(keyOf));
    const deleted: Pod[] = [];
    const results = await Promise.allSettled(
      pods.map(async (pod) => {
        try {
          if (!counted && isTracked(pod)) await this.untrack(key, pod);
          await this.control.delete(pod, job);
          deleted.push(pod);
        } catch (error) {
          if (!counted) this.expectations.deletionObserved(key, keyOf(pod));
          throw error;
        }
      }),
    );
    return { deleted, error: results.find((result) => result.status === 'rejected')?.reason };
  }

  async untrack(key: string, pod: Pod): Promise<void> {
    const { client, signal } = this.#context;
    const { namespace, name = '', uid = '' } = pod.metadata;
    const untracked = this.#untracked.get(key) ?? new Set<string>();
    this.#untracked.set(key, untracked.add(uid));
    try {
      await client
        .resource('v1/pods')
        .patch(
          { namespace, name },
          { metadata: { uid, '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } },
          { type: 'strategic', signal },
        );
    } catch (error) {
      untracked.delete(uid);
      if (!isNotFound(error)) throw error;
    }
  }
}
