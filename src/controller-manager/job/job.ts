/** job-controller: runs the pods of each Job until enough of them have succeeded, or the Job has failed. */
import { byNamespace, NAMESPACE_INDEX } from '../../client/index.ts';
import { keyedController, runTogether, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { podsByOwner } from '../pods/index.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import type { FailureRecord } from './failure-backoff.ts';
import { JobPods } from './job-pods.ts';
import { JobMetrics } from './metrics.ts';
import { OrphanPodReconciler, orphanPodWatches } from './orphan-pods.ts';
import { JobReconciler } from './reconcile.ts';
import { jobWatches } from './watches.ts';

export const jobController: ControllerDescriptor = {
  name: 'job-controller',
  aliases: ['job'],
  build(context) {
    const parts = {
      jobs: context.informers.informer('batch/v1/jobs', {}, { [NAMESPACE_INDEX]: byNamespace }),
      pods: podsByOwner(context.informers),
      jobPods: new JobPods(context),
      metrics: new JobMetrics(context.metrics),
    };
    const shared = { written: new ReadYourWrites(), failures: new Map<string, FailureRecord>() };
    const forWorker = (worker: ControllerContext) => ({ ...parts, jobPods: new JobPods(worker, parts.jobPods) });
    return runTogether([
      keyedController(context, {
        queue: 'job',
        workers: 5,
        reconciler: (worker) => new JobReconciler(worker, forWorker(worker), shared),
        watches: jobWatches(parts),
      }),
      keyedController(context, {
        queue: 'job_orphan_pod',
        workers: 1,
        reconciler: (worker) => new OrphanPodReconciler(forWorker(worker)),
        watches: orphanPodWatches(parts),
      }),
    ]);
  },
};
