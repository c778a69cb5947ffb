/** Validation of the batch group: Jobs, with their policies and status, and CronJobs with their schedules. */
import type { KindValidation } from '../kind-validation.ts';
import { cronJob } from './cron-job.ts';
import { job } from './job.ts';

export const batchValidations: Readonly<Record<string, KindValidation>> = {
  'batch/cronjobs': cronJob,
  'batch/jobs': job,
};
