/** Validation of Pods. Updates, status and subresources have their own files. */
import type { Pod } from '../../../../api/generated/core-v1.ts';
import { type FieldError, forbiddenField, path } from '../../../errors/index.ts';
import type { KindValidation, ValidationContext } from '../../kind-validation.ts';
import { podRules } from './pod-allowances.ts';
import { ephemeralContainersUpdate } from './pod-ephemeral-containers.ts';
import { NO_SPEC, validatePodMetadataAndSpec } from './pod-metadata-and-spec.ts';
import { resize } from './pod-resize.ts';
import { podStatusUpdate } from './pod-status.ts';
import { podUpdate } from './pod-update.ts';
import { podWarnings } from './pod-warnings.ts';
import { validateProfileAnnotationsMatch } from './security-profiles.ts';

const SPEC = path('spec');

function metadataAndSpec(errors: FieldError[], pod: Pod, context: ValidationContext): void {
  validatePodMetadataAndSpec(errors, pod, podRules(context));
}

function onlyOnCreate(errors: FieldError[], { metadata = {}, spec = NO_SPEC }: Pod): void {
  if (spec.ephemeralContainers?.length)
    errors.push(forbiddenField(SPEC.child('ephemeralContainers'), 'cannot be set on create'));
  if (spec.nodeName && spec.schedulingGates?.length) {
    errors.push(forbiddenField(SPEC.child('nodeName'), 'cannot be set until all schedulingGates have been cleared'));
  }
  validateProfileAnnotationsMatch(errors, metadata, spec, SPEC);
}

export const pod: KindValidation<Pod> = {
  create: [metadataAndSpec, onlyOnCreate],
  update: [podUpdate],
  status: [podStatusUpdate],
  subresources: { ephemeralcontainers: [ephemeralContainersUpdate], resize: [resize] },
  warnings: [podWarnings],
};
