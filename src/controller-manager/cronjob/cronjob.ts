/** cronjob-controller: creates Jobs by the schedule of CronJobs, and keeps a limited history of them. */
import type { CronJob, Job } from '../../api/generated/batch-v1.ts';
import { byControllerUid, CONTROLLER_UID_INDEX, controllerOf, keyOf } from '../../client/index.ts';
import {
  keyedController,
  watch,
  type ControllerContext,
  type ControllerDescriptor,
  type Watch,
} from '../controller.ts';
import { ReadYourWrites } from '../read-your-writes.ts';
import { CronJobReconciler, type CronJobParts } from './reconcile.ts';

export const cronJobController: ControllerDescriptor = {
  name: 'cronjob-controller',
  aliases: ['cronjob'],
  build(context) {
    const parts = {
      cronJobs: context.informers.informer('batch/v1/cronjobs'),
      jobs: context.informers.informer('batch/v1/jobs', {}, { [CONTROLLER_UID_INDEX]: byControllerUid }),
      written: new ReadYourWrites(),
    };
    const reconciler = (worker: ControllerContext) => new CronJobReconciler(worker, parts);
    return keyedController(context, { queue: 'cronjob', workers: 5, reconciler, watches: cronJobWatches(parts) });
  },
};

function cronJobWatches({ cronJobs, jobs }: CronJobParts): readonly Watch[] {
  const itself = (cronJob: CronJob): string[] => [keyOf(cronJob)];
  const owner = (job: Job): string[] => {
    const controller = controllerOf(job);
    return controller?.kind === 'CronJob' ? [`${job.metadata.namespace}/${controller.name}`] : [];
  };
  return [
    watch(cronJobs, { added: itself, updated: (_, after) => itself(after), deleted: itself }),
    watch(jobs, { added: owner, updated: (_, after) => owner(after), deleted: owner }),
  ];
}
