/** Validates metadata and spec of a pod, on create and update. */
import type { Pod, PodSpec } from '../../../../api/generated/core-v1.ts';
import { type FieldError, forbiddenField, path, type Path } from '../../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../../names/index.ts';
import { validateObjectMeta } from '../../object-meta.ts';
import { validateImageWhitespace } from './containers.ts';
import { validatePodAnnotations } from './pod-annotations.ts';
import type { PodRules } from './pod-rules.ts';
import { validatePodSpec } from './pod-spec.ts';

const SPEC = path('spec');
const ANNOTATIONS = path('metadata', 'annotations');
const RULES = { namespaced: true, name: nameIsDnsSubdomain };
export const NO_SPEC: PodSpec = { containers: [] };

export function validatePodMetadataAndSpec(errors: FieldError[], pod: Pod, rules: PodRules): void {
  const { metadata = {}, spec = NO_SPEC } = pod;
  validateObjectMeta(errors, metadata, RULES);
  if (metadata.annotations) {
    const { allowInvalidDeletionCost } = rules;
    validatePodAnnotations(errors, metadata.annotations, ANNOTATIONS, { spec, allowInvalidDeletionCost });
  }
  validatePodSpec(errors, spec, SPEC, { pod: rules, metadata });
  if (!spec.serviceAccountName) validateNoTokens(errors, spec);
  validateImages(errors, spec.containers ?? [], SPEC.child('containers'));
  if (spec.initContainers) validateImages(errors, spec.initContainers, SPEC.child('initContainers'));
}

function validateImages(errors: FieldError[], containers: PodSpec['containers'], at: Path): void {
  for (let i = 0; i < containers.length; i++) validateImageWhitespace(errors, containers[i]!.image, at.index(i));
}

function validateNoTokens(errors: FieldError[], spec: PodSpec): void {
  for (const [v, { projected }] of (spec.volumes ?? []).entries()) {
    for (const [s, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (!serviceAccountToken) continue;
      const here = SPEC.child('volumes').index(v).child('projected', 'sources').index(s).child('serviceAccountToken');
      errors.push(forbiddenField(here, 'must not be specified when serviceAccountName is not set'));
    }
  }
}
