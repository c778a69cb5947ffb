/** Removes the tracking finalizer from pods that no Job will count: pods without an owner, or of a Job that is gone. */
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { controllerOf, keyOf, type SharedInformer } from '../../client/index.ts';
import { watch, type Reconciler, type Watch } from '../controller.ts';
import { isFinished, isManagedHere, isTracked } from './job-state.ts';
import type { JobParts } from './reconcile.ts';

export class OrphanPodReconciler implements Reconciler {
  readonly #parts: JobParts;

  constructor(parts: JobParts) {
    this.#parts = parts;
  }

  async reconcile(key: string): Promise<void> {
    const { jobs, pods, jobPods } = this.#parts;
    const pod = pods.informer.get(key);
    if (!pod || !isOrphan(jobs, pod)) return;
    await jobPods.untrack(`orphan/${key}`, pod);
    jobPods.forget(`orphan/${key}`);
  }
}

export function orphanPodWatches({ jobs, pods }: JobParts): readonly Watch[] {
  const itself = (pod: Pod): string[] => (isOrphan(jobs, pod) ? [keyOf(pod)] : []);
  const trackedPods = (job: Job): string[] => pods.ownedBy(job).filter(isTracked).map(keyOf);
  return [
    watch(jobs, {
      updated: (before, after) => (!isFinished(before) && isFinished(after) ? trackedPods(after) : []),
      deleted: trackedPods,
    }),
    watch(pods.informer, { added: itself, updated: (_, after) => itself(after) }),
  ];
}

/** Whether a pod still has the tracking finalizer though no Job will count it. */
function isOrphan(jobs: SharedInformer<Job>, pod: Pod): boolean {
  if (!isTracked(pod)) return false;
  const controller = controllerOf(pod);
  if (controller === undefined) return true;
  if (controller.kind !== 'Job') return false;
  const job = jobs.get(`${pod.metadata.namespace}/${controller.name}`);
  return job?.metadata.uid !== controller.uid || (isManagedHere(job) && isFinished(job));
}
