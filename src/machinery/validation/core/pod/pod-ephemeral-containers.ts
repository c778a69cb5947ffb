/** Validates updates of pods/ephemeralcontainers: containers may be added, but not changed or removed. */
import type { Pod } from '../../../../api/generated/core-v1.ts';
import { quote } from '../../../../base/index.ts';
import { type FieldError, forbiddenField, path, WHOLE_OBJECT } from '../../../errors/index.ts';
import { semanticEqual } from '../../equality.ts';
import type { ValidationContext } from '../../kind-validation.ts';
import { validateObjectMetaUpdate } from '../../object-meta.ts';
import { ephemeralContainerDiff } from './internal-pod-spec.ts';
import { podRules } from './pod-allowances.ts';
import { MIRROR_ANNOTATION, validatePodAnnotationsUpdate } from './pod-annotations.ts';
import { NO_SPEC, validatePodMetadataAndSpec } from './pod-metadata-and-spec.ts';

const EPHEMERAL_CONTAINERS = path('spec', 'ephemeralContainers');

export function ephemeralContainersUpdate(errors: FieldError[], pod: Pod, old: Pod, context: ValidationContext): void {
  if (old.metadata?.annotations?.[MIRROR_ANNOTATION] !== undefined) {
    errors.push(forbiddenField(WHOLE_OBJECT, 'static pods do not support ephemeral containers'));
    return;
  }
  const { spec = NO_SPEC } = pod;
  const rules = podRules(context, old);
  validateObjectMetaUpdate(errors, pod.metadata ?? {}, old.metadata ?? {});
  validatePodMetadataAndSpec(errors, pod, rules);
  validatePodAnnotationsUpdate(errors, pod, old, { spec, allowInvalidDeletionCost: rules.allowInvalidDeletionCost });
  // Found by name, because a patch may change the order.
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const { name = '' } = before;
    const after = spec.ephemeralContainers?.findLast((container) => container.name === name);
    if (!after)
      errors.push(
        forbiddenField(EPHEMERAL_CONTAINERS, `existing ephemeral containers ${quote(name)} may not be removed\n`),
      );
    else if (!semanticEqual(before, after)) {
      const diff = ephemeralContainerDiff(before, after);
      errors.push(
        forbiddenField(
          EPHEMERAL_CONTAINERS,
          `existing ephemeral containers ${quote(name)} may not be changed\n${diff}`,
        ),
      );
    }
  }
}
