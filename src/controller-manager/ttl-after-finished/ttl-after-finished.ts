/** ttl-after-finished-controller: deletes finished Jobs after their ttlSecondsAfterFinished. */
import type { Job } from '../../api/generated/batch-v1.ts';
import { parseTime } from '../../base/index.ts';
import { isNotFound, keyOf } from '../../client/index.ts';
import { exponentialBuckets } from '../../kernel/index.ts';
import { keyedLoop, type ControllerDescriptor, type Reconcile } from '../controller.ts';

export const ttlAfterFinishedController: ControllerDescriptor = {
  name: 'ttl-after-finished-controller',
  aliases: ['ttl-after-finished'],
  build(context) {
    const { clock, informers, signal } = context;
    const jobs = informers.informer('batch/v1/jobs');
    const lateSeconds = context.metrics.histogram({
      name: 'ttl_after_finished_controller_job_deletion_duration_seconds',
      help: 'Seconds from the time at which a Job could be deleted to its deletion.',
      buckets: exponentialBuckets(0.1, 2, 14),
    });

    const reconcile: Reconcile = async (key, { client }, again) => {
      const resource = client.resource('batch/v1/jobs');
      const job = jobs.get(key);
      const at = job && expiresAt(job);
      if (!job || at === undefined) return;
      if (at > clock.now()) return queue.addAfter(key, at - clock.now(), again);
      const reference = { namespace: job.metadata.namespace, name: job.metadata.name ?? '' };
      try {
        // The TTL may have been increased, and the informer may not show it yet.
        const live = await resource.get(reference, { signal });
        const liveAt = expiresAt(live);
        if (live.metadata.uid !== job.metadata.uid || liveAt === undefined || liveAt > clock.now()) return;
        await resource.delete(reference, {
          propagationPolicy: 'Foreground',
          preconditions: { uid: live.metadata.uid },
          signal,
        });
        lateSeconds.observe((clock.now() - liveAt) / 1000);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    };

    const { queue, run } = keyedLoop(context, 'ttl_jobs_to_delete', 5, reconcile);
    const enqueue = (job: Job): void => {
      if (expiresAt(job) !== undefined) queue.add(keyOf(job));
    };
    jobs.addHandler({ onAdd: enqueue, onUpdate: (_, after) => enqueue(after) });
    return run;
  },
};

/** Undefined for a Job that is not finished, is being deleted, or has no TTL. */
function expiresAt({ metadata, spec, status }: Job): number | undefined {
  const finished = status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
  if (
    metadata.deletionTimestamp ||
    spec?.ttlSecondsAfterFinished === undefined ||
    finished?.lastTransitionTime === undefined
  )
    return undefined;
  return parseTime(finished.lastTransitionTime) + spec.ttlSecondsAfterFinished * 1000;
}
