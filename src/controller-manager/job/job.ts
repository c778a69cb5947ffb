/** job-controller: runs the pods of each Job until enough of them have succeeded, or the Job has failed. */
import { byNamespace, NAMESPACE_INDEX } from '../../client/index.ts';
import { keyedController, runTogether, type ControllerDescriptor } from '../controller.ts';
import { podsByOwner } from '../pods/index.ts';
import { JobPods } from './job-pods.ts';
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
    };
    const reconciler = new JobReconciler(context, parts);
    const orphans = new OrphanPodReconciler(parts);
    return runTogether([
      keyedController(context, { queue: 'job', workers: 5, reconciler, watches: jobWatches(parts) }),
      keyedController(context, {
        queue: 'job_orphan_pod',
        workers: 1,
        reconciler: orphans,
        watches: orphanPodWatches(parts),
      }),
    ]);
  },
};
