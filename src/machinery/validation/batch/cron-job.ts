/** Validation of CronJobs. */
import type { CronJob, CronJobSpec, JobTemplateSpec } from '../../../api/generated/batch-v1.ts';
import { type FieldError, invalidValue, notSupported, path, type Path, required } from '../../errors/index.ts';
import { nameIsDnsSubdomain, utf8Longer } from '../../names/index.ts';
import { ownerNameWarning } from '../apps/template-warnings.ts';
import { podTemplateWarnings } from '../core/pod/pod-warnings.ts';
import type { KindValidation, ValidationContext } from '../kind-validation.ts';
import { isNewGeneration, metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateNonnegative } from '../object-meta.ts';
import { cronScheduleProblem } from './cron-schedule.ts';
import { validateJobSpecFields } from './job-spec.ts';
import { isKnownTimeZone, validateTimeZone } from './time-zone.ts';

const SPEC = path('spec');
/** The controller appends eleven characters for the names of Jobs. */
const MAX_NAME = 63 - 11;
const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'];

export const cronJob: KindValidation<CronJob> = {
  create: [
    metadata({ namespaced: true, name: nameIsDnsSubdomain }),
    (errors, object, context) => validateCronJobSpec(errors, object.spec, SPEC, { old: undefined, context }),
    (errors, object) => validateNameLength(errors, object.metadata.name ?? ''),
  ],
  update: [
    metadataUpdate,
    (errors, object, old, context) => validateCronJobSpec(errors, object.spec, SPEC, { old: old.spec, context }),
  ],
  status: [metadataUpdate],
  warnings: [
    ownerNameWarning,
    (warnings, object, old) => {
      if (isNewGeneration(object, old))
        podTemplateWarnings(
          warnings,
          object.spec?.jobTemplate?.spec?.template ?? {},
          SPEC.child('jobTemplate', 'spec', 'template'),
        );
    },
  ],
};

interface SpecScope {
  readonly old: CronJobSpec | undefined;
  readonly context: ValidationContext;
}

function validateNameLength(errors: FieldError[], name: string): void {
  if (utf8Longer(name, MAX_NAME))
    errors.push(invalidValue(path('metadata', 'name'), name, `must be no more than ${MAX_NAME} characters`));
}

function validateCronJobSpec(
  errors: FieldError[],
  spec: CronJobSpec | undefined,
  at: Path,
  { old, context }: SpecScope,
): void {
  const schedule = spec?.schedule ?? '';
  if (schedule === '') errors.push(required(at.child('schedule')));
  else validateSchedule(errors, schedule, at.child('schedule'), { old, timeZone: spec?.timeZone });
  validateNonnegative(errors, spec?.startingDeadlineSeconds, at.child('startingDeadlineSeconds'));
  if (!old || (old.timeZone ?? undefined) !== (spec?.timeZone ?? undefined))
    validateTimeZone(errors, spec?.timeZone, at.child('timeZone'));
  const policy = spec?.concurrencyPolicy ?? '';
  if (policy === '') errors.push(required(at.child('concurrencyPolicy')));
  else if (!CONCURRENCY_POLICIES.includes(policy))
    errors.push(notSupported(at.child('concurrencyPolicy'), policy, CONCURRENCY_POLICIES));
  validateJobTemplate(errors, spec?.jobTemplate, at.child('jobTemplate'), { old, context });
  validateNonnegative(errors, spec?.successfulJobsHistoryLimit, at.child('successfulJobsHistoryLimit'));
  validateNonnegative(errors, spec?.failedJobsHistoryLimit, at.child('failedJobsHistoryLimit'));
}

interface ScheduleScope {
  readonly old: CronJobSpec | undefined;
  readonly timeZone: string | undefined;
}

/** A schedule with a TZ is refused unless the stored one has it already. */
function validateSchedule(errors: FieldError[], schedule: string, at: Path, { old, timeZone }: ScheduleScope): void {
  const problem = cronScheduleProblem(schedule, isKnownTimeZone);
  if (problem !== undefined) errors.push(invalidValue(at, schedule, problem));
  if (!schedule.includes('TZ')) return;
  const allowed = old?.schedule?.includes('TZ') ?? false;
  if (!allowed)
    errors.push(invalidValue(at, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (timeZone != null)
    errors.push(invalidValue(at, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
}

function validateJobTemplate(
  errors: FieldError[],
  template: JobTemplateSpec | undefined,
  at: Path,
  { old, context }: SpecScope,
): void {
  const spec = template?.spec ?? { template: {} };
  const specAt = at.child('spec');
  validateJobSpecFields(errors, spec, specAt, { old: old?.jobTemplate?.spec?.template, context });
  if (spec.selector)
    errors.push(invalidValue(specAt.child('selector'), spec.selector, '`selector` will be auto-generated'));
  if (spec.manualSelector)
    errors.push(notSupported(specAt.child('manualSelector'), spec.manualSelector, ['nil', 'false']));
}
