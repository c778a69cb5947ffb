/** Validation of pod templates and of PodTemplates. */
import type { PodSpec, PodTemplate, PodTemplateSpec } from '../../../../api/generated/core-v1.ts';
import { type FieldError, forbiddenField, path, type Path } from '../../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../../names/index.ts';
import type { KindValidation, ValidationContext } from '../../kind-validation.ts';
import { validateLabels } from '../../label-selector.ts';
import { isNewGeneration, metadata, metadataUpdate } from '../../metadata-checks.ts';
import { validateAnnotations } from '../../object-meta.ts';
import { podTemplateRules } from './pod-allowances.ts';
import { validatePodAnnotations } from './pod-annotations.ts';
import type { PodRules } from './pod-rules.ts';
import { validatePodSpec } from './pod-spec.ts';
import { podTemplateWarnings } from './pod-warnings.ts';
import { validateProfileAnnotationsMatch } from './security-profiles.ts';

const NO_SPEC: PodSpec = { containers: [] };

/** For every kind with a template in it. `rules` come from `podTemplateRules(context, oldTemplate?)`. */
export function validatePodTemplateSpec(
  errors: FieldError[],
  template: PodTemplateSpec,
  at: Path,
  rules: PodRules,
): void {
  const { metadata: meta = {}, spec = NO_SPEC } = template;
  validatePodTemplateMetadata(errors, template, at, rules);
  validatePodSpec(errors, spec, at.child('spec'), { pod: rules });
  validateProfileAnnotationsMatch(errors, meta, spec, at.child('spec'));
  if (spec.ephemeralContainers?.length) {
    errors.push(
      forbiddenField(at.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template'),
    );
  }
}

/** The labels and annotations of a pod template. */
export function validatePodTemplateMetadata(
  errors: FieldError[],
  { metadata: meta = {}, spec = NO_SPEC }: PodTemplateSpec,
  at: Path,
  { allowInvalidDeletionCost }: PodRules,
): void {
  if (meta.labels) validateLabels(errors, meta.labels, at.child('labels'));
  if (!meta.annotations) return;
  validateAnnotations(errors, meta.annotations, at.child('annotations'));
  validatePodAnnotations(errors, meta.annotations, at.child('annotations'), { spec, allowInvalidDeletionCost });
}

const TEMPLATE = path('template');

function template(errors: FieldError[], object: PodTemplate, context: ValidationContext): void {
  validatePodTemplateSpec(errors, object.template ?? {}, TEMPLATE, podTemplateRules(context));
}

function templateUpdate(errors: FieldError[], object: PodTemplate, old: PodTemplate, context: ValidationContext): void {
  validatePodTemplateSpec(errors, object.template ?? {}, TEMPLATE, podTemplateRules(context, old.template));
}

export const podTemplate: KindValidation<PodTemplate> = {
  create: [metadata({ namespaced: true, name: nameIsDnsSubdomain }), template],
  update: [metadataUpdate, templateUpdate],
  warnings: [
    (warnings, object, old) => {
      if (isNewGeneration(object, old)) podTemplateWarnings(warnings, object.template ?? {}, TEMPLATE);
    },
  ],
};
