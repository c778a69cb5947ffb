/**
 * Validates the status of Jobs. Most rules apply only to changed fields, so that a stored inconsistent status can
 * still be updated.
 */
import type { Job, JobStatus, UncountedTerminatedPods } from '../../../api/generated/batch-v1.ts';
import { duplicate, type FieldError, invalidValue, OMIT_VALUE, path, type Path, required } from '../../errors/index.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import { validateNonnegative } from '../object-meta.ts';
import { overlappingIndex, parseIndexes } from './indexes.ts';

const STATUS = path('status');
const CONDITIONS = STATUS.child('conditions');
const NO_STATUS: JobStatus = {};

const hasCondition = (job: Job, type: string, status: string): boolean =>
  (job.status?.conditions ?? []).some((condition) => condition.type === type && condition.status === status);
const isTrue = (job: Job, type: string): boolean => hasCondition(job, type, 'True');
const isFalse = (job: Job, type: string): boolean => hasCondition(job, type, 'False');
const isFinished = (job: Job): boolean => isTrue(job, 'Complete') || isTrue(job, 'Failed');

/** Which parts of the status the write changes. */
interface Changes {
  readonly finished: boolean;
  readonly condition: (type: string) => boolean;
  readonly field: (name: keyof JobStatus) => boolean;
}

function changesOf(job: Job, old: Job): Changes {
  return {
    finished: isFinished(job) !== isFinished(old),
    condition: (type) => isTrue(job, type) !== isTrue(old, type),
    field: (name) => !semanticEqual(job.status?.[name] ?? undefined, old.status?.[name] ?? undefined),
  };
}

const refuseConditions = (errors: FieldError[], detail: string): void => {
  errors.push(invalidValue(CONDITIONS, OMIT_VALUE, detail));
};

export function validateJobStatus(errors: FieldError[], job: Job, old: Job): void {
  const changes = changesOf(job, old);
  const status = job.status ?? NO_STATUS;
  for (const name of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const) {
    validateNonnegative(errors, status[name], STATUS.child(name));
  }
  if (status.uncountedTerminatedPods)
    validateUncounted(errors, status.uncountedTerminatedPods, STATUS.child('uncountedTerminatedPods'));
  validateCompletion(errors, job, changes);
  validateFinishedJob(errors, job, changes);
  validateIndexes(errors, job, changes);
  if (changes.finished || changes.field('terminating')) {
    if (status.terminating != null && status.terminating > 0 && isFinished(job)) {
      errors.push(
        invalidValue(STATUS.child('terminating'), status.terminating, 'terminating>0 is invalid for finished job'),
      );
    }
  }
  if (
    (changes.field('ready') || changes.field('active')) &&
    status.ready != null &&
    status.ready > (status.active ?? 0)
  ) {
    errors.push(invalidValue(STATUS.child('ready'), status.ready, 'cannot set more ready pods than active'));
  }
  validateSuccessCriteria(errors, job);
}

function validateUncounted(errors: FieldError[], uncounted: UncountedTerminatedPods, at: Path): void {
  const seen = new Set<string>();
  for (const name of ['succeeded', 'failed'] as const) {
    for (const [i, uid] of (uncounted[name] ?? []).entries()) {
      if (uid === '') errors.push(invalidValue(at.child(name).index(i), uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicate(at.child(name).index(i), uid));
      else seen.add(uid);
    }
  }
}

function validateCompletion(errors: FieldError[], job: Job, changes: Changes): void {
  const complete = isTrue(job, 'Complete');
  const failed = isTrue(job, 'Failed');
  const { completionTime, startTime } = job.status ?? NO_STATUS;
  const at = STATUS.child('completionTime');
  const completed = changes.condition('Complete');
  if ((completed || changes.condition('Failed')) && complete && failed) {
    refuseConditions(errors, 'cannot set Complete=True and Failed=true conditions');
  }
  if ((completed || changes.condition('FailureTarget')) && complete && isTrue(job, 'FailureTarget')) {
    refuseConditions(errors, 'cannot set Complete=True and FailureTarget=true conditions');
  }
  if (completed || changes.field('completionTime')) {
    if (completionTime != null && !complete) {
      errors.push(
        invalidValue(at, completionTime, 'cannot set completionTime when there is no Complete=True condition'),
      );
    }
    if (completionTime == null && complete) errors.push(required(at, 'completionTime is required for Complete jobs'));
  }
  if (changes.field('startTime') || changes.field('completionTime')) {
    // RFC 3339 times in UTC compare as text.
    if (startTime != null && completionTime != null && completionTime < startTime) {
      errors.push(invalidValue(at, completionTime, 'must be equal to or after `startTime`'));
    }
  }
  if ((changes.condition('Failed') || changes.condition('FailureTarget')) && failed && !isTrue(job, 'FailureTarget')) {
    refuseConditions(errors, 'cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if ((completed || changes.condition('SuccessCriteriaMet')) && complete && !isTrue(job, 'SuccessCriteriaMet')) {
    refuseConditions(errors, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
}

function validateFinishedJob(errors: FieldError[], job: Job, changes: Changes): void {
  if (!isFinished(job)) return;
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = job.status ?? NO_STATUS;
  if ((changes.finished || changes.field('active')) && active > 0) {
    errors.push(invalidValue(STATUS.child('active'), active, 'active>0 is invalid for finished job'));
  }
  if ((changes.finished || changes.field('startTime')) && startTime == null) {
    errors.push(required(STATUS.child('startTime'), 'startTime is required for finished job'));
  }
  const left = (uncounted?.failed?.length ?? 0) + (uncounted?.succeeded?.length ?? 0);
  if ((changes.finished || changes.field('uncountedTerminatedPods')) && left > 0) {
    const shown = goStruct('io.k8s.api.batch.v1.UncountedTerminatedPods', uncounted);
    errors.push(invalidValue(STATUS.child('uncountedTerminatedPods'), shown, 'must be empty for finished job'));
  }
}

function validateIndexes(errors: FieldError[], job: Job, changes: Changes): void {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec ?? { completions: undefined };
  const { completedIndexes = '', failedIndexes } = job.status ?? NO_STATUS;
  const [completedAt, failedAt] = [STATUS.child('completedIndexes'), STATUS.child('failedIndexes')];
  const completedChanged = changes.field('completedIndexes');
  const failedChanged = changes.field('failedIndexes');
  if (completedChanged && completions != null) {
    const parsed = parseIndexes(completedIndexes, completions);
    if (typeof parsed === 'string')
      errors.push(invalidValue(completedAt, completedIndexes, `error parsing completedIndexes: ${parsed}`));
  }
  if (failedChanged && completions != null && backoffLimitPerIndex != null && failedIndexes != null) {
    const parsed = parseIndexes(failedIndexes, completions);
    if (typeof parsed === 'string')
      errors.push(invalidValue(failedAt, failedIndexes, `error parsing failedIndexes: ${parsed}`));
  }
  if (completedChanged && completedIndexes !== '' && completionMode !== 'Indexed') {
    const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    errors.push(invalidValue(completedAt, completedIndexes, detail));
  }
  if (failedChanged && backoffLimitPerIndex == null && failedIndexes != null) {
    const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    errors.push(invalidValue(failedAt, failedIndexes, detail));
  }
  if ((completedChanged || failedChanged) && completions != null && failedIndexes != null) {
    const both = overlappingIndex(completedIndexes, failedIndexes, completions);
    if (both !== undefined) {
      errors.push(
        invalidValue(failedAt, failedIndexes, `failedIndexes and completedIndexes overlap at index: ${both}`),
      );
    }
  }
}

function validateSuccessCriteria(errors: FieldError[], job: Job): void {
  const met = isTrue(job, 'SuccessCriteriaMet');
  if (met && isTrue(job, 'Failed'))
    refuseConditions(errors, 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (met && isTrue(job, 'FailureTarget'))
    refuseConditions(errors, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (job.spec?.successPolicy && !met && isTrue(job, 'Complete')) {
    refuseConditions(errors, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
}

export function validateJobStatusUpdate(errors: FieldError[], job: Job, old: Job): void {
  const [status, before] = [job.status ?? NO_STATUS, old.status ?? NO_STATUS];
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (isTrue(old, type) && !isTrue(job, type))
      refuseConditions(errors, `cannot disable the terminal ${type}=True condition`);
  }
  if ((status.failed ?? 0) < (before.failed ?? 0)) {
    errors.push(invalidValue(STATUS.child('failed'), status.failed ?? 0, 'cannot decrease the failed counter'));
  }
  // An elastic Indexed Job can be scaled down, which reduces its counters.
  const scalable = job.spec?.completionMode === 'Indexed' && job.spec.completions === job.spec.parallelism;
  if (!scalable && (status.succeeded ?? 0) < (before.succeeded ?? 0)) {
    errors.push(
      invalidValue(STATUS.child('succeeded'), status.succeeded ?? 0, 'cannot decrease the succeeded counter'),
    );
  }
  if (
    status.completionTime != null &&
    before.completionTime != null &&
    status.completionTime !== before.completionTime
  ) {
    errors.push(
      invalidValue(STATUS.child('completionTime'), status.completionTime, 'completionTime cannot be mutated'),
    );
  }
  // A Job that is resumed starts anew: its deadline does not run while it is suspended.
  const resumes = isTrue(old, 'Suspended') && isFalse(job, 'Suspended');
  if (before.startTime != null && before.startTime !== status.startTime && !job.spec?.suspend && !resumes) {
    const message = 'field is immutable for unsuspended job once set';
    errors.push(invalidValue(STATUS.child('startTime'), status.startTime ?? null, message));
  }
  const met = isTrue(job, 'SuccessCriteriaMet');
  const wasMet = isTrue(old, 'SuccessCriteriaMet');
  if (wasMet && !met) refuseConditions(errors, 'cannot disable the SuccessCriteriaMet=True condition');
  if (isTrue(old, 'Complete') && !wasMet && met) {
    refuseConditions(errors, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  }
}
