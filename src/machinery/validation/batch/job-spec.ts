/** The spec that Jobs and the templates of CronJobs share. */
import type { JobSpec } from '../../../api/generated/batch-v1.ts';
import type { PodTemplateSpec } from '../../../api/generated/core-v1.ts';
import { type FieldError, invalidValue, notSupported, type Path, required, tooLong } from '../../errors/index.ts';
import { utf8Longer } from '../../names/index.ts';
import { podTemplateRules } from '../core/pod/pod-allowances.ts';
import { validatePodTemplateSpec } from '../core/pod/pod-template.ts';
import { domainPrefixedPath } from '../domain-prefixed-path.ts';
import type { ValidationContext } from '../kind-validation.ts';
import { validateNonnegative } from '../object-meta.ts';
import { validatePodFailurePolicy } from './pod-failure-policy.ts';
import { validateSuccessPolicy } from './success-policy.ts';

const MAX_MANAGED_BY = 63;
const MAX_PARALLELISM_INDEXED = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** Beyond so many completions, retries per index have lower limits. */
const COMPLETIONS_SOFT_LIMIT = 100_000;
const HIGH_COMPLETIONS_LIMIT = 10_000;
const NUMBERS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
] as const;

export interface JobSpecScope {
  readonly old: PodTemplateSpec | undefined;
  readonly context: ValidationContext;
}

export function validateJobSpecFields(
  errors: FieldError[],
  spec: JobSpec,
  at: Path,
  { old, context }: JobSpecScope,
): void {
  for (const name of NUMBERS) validateNonnegative(errors, spec[name], at.child(name));
  if (spec.maxFailedIndexes != null) {
    validateNonnegative(errors, spec.maxFailedIndexes, at.child('maxFailedIndexes'));
    if (spec.backoffLimitPerIndex == null)
      errors.push(required(at.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified'));
  }
  if (spec.managedBy != null) {
    domainPrefixedPath(errors, spec.managedBy, at.child('managedBy'));
    if (utf8Longer(spec.managedBy, MAX_MANAGED_BY)) errors.push(tooLong(at.child('managedBy'), MAX_MANAGED_BY));
  }
  validateCompletionMode(errors, spec, at);
  if (spec.podFailurePolicy) validatePodFailurePolicy(errors, spec, at.child('podFailurePolicy'));
  validateSuccessPolicy(errors, spec, at.child('successPolicy'));
  validatePodReplacementPolicy(errors, spec, at.child('podReplacementPolicy'));
  validatePodTemplateSpec(errors, spec.template ?? {}, at.child('template'), podTemplateRules(context, old));
  validateRestartPolicy(errors, spec, at.child('template', 'spec', 'restartPolicy'));
}

function validateCompletionMode(errors: FieldError[], spec: JobSpec, at: Path): void {
  const mode = spec.completionMode;
  if (mode != null && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.push(notSupported(at.child('completionMode'), mode, ['NonIndexed', 'Indexed']));
  }
  if (mode === 'Indexed') validateIndexed(errors, spec, at);
  if (mode == null || mode === 'NonIndexed') {
    for (const name of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[name] != null) errors.push(invalidValue(at.child(name), spec[name], 'requires indexed completion mode'));
    }
  }
}

function validateIndexed(
  errors: FieldError[],
  { completions, parallelism, maxFailedIndexes, backoffLimitPerIndex }: JobSpec,
  at: Path,
): void {
  const failedAt = at.child('maxFailedIndexes');
  if (completions == null) errors.push(required(at.child('completions'), 'when completion mode is Indexed'));
  if (parallelism != null && parallelism > MAX_PARALLELISM_INDEXED) {
    const detail = `must be less than or equal to ${MAX_PARALLELISM_INDEXED} when completion mode is Indexed`;
    errors.push(invalidValue(at.child('parallelism'), parallelism, detail));
  }
  if (completions != null && maxFailedIndexes != null && maxFailedIndexes > completions) {
    errors.push(invalidValue(failedAt, maxFailedIndexes, 'must be less than or equal to completions'));
  }
  if (maxFailedIndexes != null && maxFailedIndexes > MAX_FAILED_INDEXES) {
    errors.push(invalidValue(failedAt, maxFailedIndexes, `must be less than or equal to ${MAX_FAILED_INDEXES}`));
  }
  if (completions == null || completions <= COMPLETIONS_SOFT_LIMIT || backoffLimitPerIndex == null) return;
  if (maxFailedIndexes == null)
    errors.push(required(failedAt, `must be specified when completions is above ${COMPLETIONS_SOFT_LIMIT}`));
  const lower = `must be less than or equal to ${HIGH_COMPLETIONS_LIMIT} when completions are above ${COMPLETIONS_SOFT_LIMIT} and used with backoff limit per index`;
  if (parallelism != null && parallelism > HIGH_COMPLETIONS_LIMIT)
    errors.push(invalidValue(at.child('parallelism'), parallelism, lower));
  if (maxFailedIndexes != null && maxFailedIndexes > HIGH_COMPLETIONS_LIMIT)
    errors.push(invalidValue(failedAt, maxFailedIndexes, lower));
}

function validatePodReplacementPolicy(
  errors: FieldError[],
  { podReplacementPolicy, podFailurePolicy }: JobSpec,
  at: Path,
): void {
  if (podReplacementPolicy == null) return;
  const supported = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (!supported.includes(podReplacementPolicy)) errors.push(notSupported(at, podReplacementPolicy, supported));
}

function validateRestartPolicy(errors: FieldError[], spec: JobSpec, at: Path): void {
  const policy = spec.template?.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') errors.push(required(at, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.push(notSupported(at, policy, ['OnFailure', 'Never']));
  else if (spec.podFailurePolicy && policy !== 'Never') {
    errors.push(invalidValue(at, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}
