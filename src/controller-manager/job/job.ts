/** job-controller: runs the pods of each Job until enough of them have succeeded, or too many have failed. */
import type { Job } from '../../api/generated/batch-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { byNamespace, claimObjects, controllerOf, controllerReference, isNotFound, keyOf, NAMESPACE_INDEX } from '../../client/index.ts';
import { WorkQueue, runWorkers } from '../../kernel/index.ts';
import { keyedLoop, type ControllerDescriptor } from '../controller.ts';
import { podsByOwner } from '../pods/index.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { matcherOf } from '../selector-matchers.ts';
import { ignoringGone } from '../status.ts';
import type { FailureRecord } from './failure-backoff.ts';
import { JobPods } from './job-pods.ts';
import { isFinished, isManagedHere, isTracked, JOB_KIND, TRACKING_FINALIZER } from './job-state.ts';
import { JobSync } from './sync-job.ts';

const WORKERS = 5;

export const jobController: ControllerDescriptor = {
  name: 'job-controller',
  aliases: ['job'],
  build(context) {
    const { client, signal, clock, metrics, logger } = context;
    const jobs = context.informers.informer('batch/v1/jobs', {}, { [NAMESPACE_INDEX]: byNamespace });
    const pods = podsByOwner(context.informers);
    const jobPods = new JobPods(context);
    const written = new ReadYourWrites();
    const failures = new Map<string, FailureRecord>();
    const resource = client.resource('batch/v1/jobs');

    const reconcile = async (key: string): Promise<void> => {
      const job = jobs.get(key);
      if (!job) {
        jobPods.forget(key);
        written.forget(key);
        failures.delete(key);
        return;
      }
      if (!isManagedHere(job) || isFinished(job) || written.isBehind(key, job)) return;
      await ignoringGone(async () => {
        const sync = new JobSync({
          context,
          job,
          pods: await claim(job),
          jobPods,
          failures: failures.get(key),
          wakeAfter: (ms) => queue.addAfter(key, ms),
          updateStatus: async (changed) => {
            const updated = await resource.updateStatus(changed, { signal });
            written.wrote(key, updated);
            return updated;
          },
        });
        await sync.run();
        failures.set(key, sync.failures);
      });
    };

    const claim = (job: Job): Promise<Pod[]> => {
      const selector = matcherOf(job.spec?.selector);
      return claimObjects<Pod>({
        owner: job,
        candidates: pods.candidates(job),
        matches: (pod) => selector.matches(pod.metadata.labels ?? {}),
        adopt: (pod) => jobPods.control.adopt(pod, controllerReference(job, JOB_KIND), [TRACKING_FINALIZER]),
        release: (pod) => jobPods.control.release(pod, job.metadata.uid ?? '', TRACKING_FINALIZER),
        canAdopt: () => stillThere(job),
        isGone: isNotFound,
      });
    };

    const stillThere = async ({ metadata: { namespace, name = '', uid } }: Job): Promise<boolean> => {
      try {
        const live = await resource.get({ namespace, name }, { signal });
        return live.metadata.uid === uid && live.metadata.deletionTimestamp === undefined;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'job', WORKERS, reconcile);

    /** Pods that nobody counts any more, as their Job is gone or over. */
    const orphans = new WorkQueue<string>({ name: 'job_orphan_pod', clock, metrics });
    const releaseOrphan = async (key: string): Promise<void> => {
      const pod = pods.informer.get(key);
      if (!pod || !isTracked(pod) || !isUncounted(pod)) return;
      await jobPods.untrack(`orphan/${key}`, pod);
      jobPods.forget(`orphan/${key}`);
    };
    const isUncounted = (pod: Pod): boolean => {
      const controller = controllerOf(pod);
      if (controller === undefined) return true;
      if (controller.kind !== 'Job') return false;
      const job = jobs.get(`${pod.metadata.namespace}/${controller.name}`);
      return job?.metadata.uid !== controller.uid || (isManagedHere(job) && isFinished(job));
    };

    const jobKeyOf = (pod: Pod): string | undefined => {
      const controller = controllerOf(pod);
      if (controller?.kind !== 'Job') return undefined;
      const key = `${pod.metadata.namespace}/${controller.name}`;
      return jobs.get(key)?.metadata.uid === controller.uid ? key : undefined;
    };
    const changed = (pod: Pod): string | undefined => {
      const key = jobKeyOf(pod);
      if (isTracked(pod)) {
        if (isUncounted(pod)) orphans.add(keyOf(pod));
      } else if (key !== undefined) jobPods.untrackingObserved(key, pod.metadata.uid ?? '');
      if (key !== undefined) queue.add(key);
      else if (controllerOf(pod) === undefined) enqueueClaimants(pod);
      return key;
    };
    const enqueueClaimants = (pod: Pod): void => {
      for (const job of jobs.indexer.byIndex(NAMESPACE_INDEX, pod.metadata.namespace ?? '')) {
        if (matcherOf(job.spec?.selector).matches(pod.metadata.labels ?? {})) queue.add(keyOf(job));
      }
    };
    const leaving = (key: string, pod: Pod): void => jobPods.expectations.deletionObserved(key, keyOf(pod));

    const enqueue = (job: Job): void => queue.add(keyOf(job));
    const releaseAll = (job: Job): void => pods.ownedBy(job).filter(isTracked).forEach((pod) => orphans.add(keyOf(pod)));
    jobs.addHandler({
      onAdd: enqueue,
      onUpdate: (before, after) => {
        enqueue(after);
        if (!isFinished(before) && isFinished(after)) releaseAll(after);
      },
      onDelete: (job) => {
        enqueue(job);
        releaseAll(job);
      },
    });
    pods.informer.addHandler({
      onAdd: (pod) => {
        const key = changed(pod);
        if (key === undefined) return;
        if (pod.metadata.deletionTimestamp !== undefined) leaving(key, pod);
        else jobPods.expectations.creationObserved(key);
      },
      onUpdate: (before, pod) => {
        const previous = jobKeyOf(before);
        const key = changed(pod);
        if (previous !== undefined && previous !== key) queue.add(previous);
        if (key !== undefined && pod.metadata.deletionTimestamp !== undefined) leaving(key, pod);
      },
      onDelete: (pod) => {
        const key = jobKeyOf(pod);
        if (key === undefined) return;
        leaving(key, pod);
        jobPods.untrackingObserved(key, pod.metadata.uid ?? '');
        queue.add(key);
      },
    });
    return async () => {
      await Promise.all([run(), runWorkers({ queue: orphans, workers: 1, handle: releaseOrphan, signal, logger })]);
    };
  },
};
