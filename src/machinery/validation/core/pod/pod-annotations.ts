/** Validates pod annotations that Kubernetes defines. */
import type { Pod, PodSpec, Toleration } from '../../../../api/generated/core-v1.ts';
import { ownValue } from '../../../../base/index.ts';
import { type FieldError, forbiddenField, invalidValue, path, type Path } from '../../../errors/index.ts';
import { parseGoJson } from '../../go-json-error.ts';
import { APP_ARMOR_ANNOTATION, validateAppArmorAnnotations, validateSeccompAnnotations } from './security-profiles.ts';
import { validateTolerations } from './tolerations.ts';

export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';
const DELETION_COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';
const TOLERATIONS_ANNOTATION = 'scheduler.alpha.kubernetes.io/tolerations';

type Annotations = Readonly<Record<string, string>>;

interface AnnotationRules {
  readonly spec: PodSpec;
  readonly allowInvalidDeletionCost: boolean;
}

export function validatePodAnnotations(
  errors: FieldError[],
  annotations: Annotations,
  at: Path,
  rules: AnnotationRules,
): void {
  const mirror = annotations[MIRROR_ANNOTATION];
  if (mirror !== undefined && !rules.spec.nodeName) {
    errors.push(
      invalidValue(at.key(MIRROR_ANNOTATION), mirror, 'must set spec.nodeName if mirror pod annotation is set'),
    );
  }
  if (annotations[TOLERATIONS_ANNOTATION])
    validateTolerationsAnnotation(errors, annotations[TOLERATIONS_ANNOTATION], at);
  if (!rules.allowInvalidDeletionCost && !isValidDeletionCost(annotations)) {
    errors.push(
      invalidValue(at.key(DELETION_COST_ANNOTATION), annotations[DELETION_COST_ANNOTATION], 'must be a 32bit integer'),
    );
  }
  validateSeccompAnnotations(errors, annotations, at);
  validateAppArmorAnnotations(errors, annotations, rules.spec, at);
}

/** An int32 without plus sign and leading zeros. */
export function isValidDeletionCost(annotations: Annotations | undefined): boolean {
  const text = annotations?.[DELETION_COST_ANNOTATION];
  if (text === undefined) return true;
  if (text !== '0' && !/^[-1-9]/.test(text)) return false;
  return /^-?\d+$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;
}

function validateTolerationsAnnotation(errors: FieldError[], text: string, at: Path): void {
  const parsed = parseGoJson(text);
  if (parsed.problem !== undefined) errors.push(invalidValue(at, TOLERATIONS_ANNOTATION, parsed.problem));
  else if (isTolerations(parsed.value)) validateTolerations(errors, parsed.value, at.child(TOLERATIONS_ANNOTATION));
}

const isTolerations = (value: unknown): value is Toleration[] =>
  Array.isArray(value) && value.every((element) => typeof element === 'object' && element !== null);

const ANNOTATIONS = path('metadata', 'annotations');

/** Some annotations must not be added, removed or changed on update. */
export function validatePodAnnotationsUpdate(errors: FieldError[], pod: Pod, old: Pod, rules: AnnotationRules): void {
  const annotations: Annotations = pod.metadata?.annotations ?? {};
  const before: Annotations = old.metadata?.annotations ?? {};
  for (const key in before) {
    if (ownValue(annotations, key) !== before[key]) refuse(errors, key, 'may not remove or update');
  }
  for (const key in annotations) if (!Object.hasOwn(before, key)) refuse(errors, key, 'may not add');
  validatePodAnnotations(errors, annotations, ANNOTATIONS, rules);
}

function refuse(errors: FieldError[], key: string, what: string): void {
  if (key.startsWith(APP_ARMOR_ANNOTATION))
    errors.push(forbiddenField(ANNOTATIONS.key(key), `${what} AppArmor annotations`));
  if (key === MIRROR_ANNOTATION) errors.push(forbiddenField(ANNOTATIONS.key(key), `${what} mirror pod annotation`));
}
