/** HorizontalPodAutoscalers of both versions; v1 is checked in v2's form, and its errors name v2's fields. */
import type { HorizontalPodAutoscaler as V1 } from '../../../api/generated/autoscaling-v1.ts';
import type {
  HorizontalPodAutoscaler as V2,
  HorizontalPodAutoscalerSpec,
} from '../../../api/generated/autoscaling-v2.ts';
import { type FieldError, invalidValue, path, required } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation, ValidationContext } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateNonnegative } from '../object-meta.ts';
import { validateBehavior } from './behavior.ts';
import { specOfV1 } from './internal-form.ts';
import { validateMetrics } from './metrics.ts';
import { apiVersionProblem, validateObjectReference } from './object-reference.ts';

const SPEC = path('spec');
const STATUS = path('status');
const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;
const EMPTY_SPEC: HorizontalPodAutoscalerSpec = { scaleTargetRef: { kind: '', name: '' }, maxReplicas: 0 };
const STRICT = { emptyGroup: false, invalidApiVersion: false } as const;

interface WithCounts {
  readonly status?: { readonly currentReplicas?: number; readonly desiredReplicas?: number };
}

function validationOfVersion<T extends V1 | V2>(specOf: (object: T) => HorizontalPodAutoscalerSpec): KindValidation<T> {
  return {
    create: [
      metadata(META_RULES),
      (errors, object, context) => validateSpec(errors, specOf(object), { old: undefined, context }),
    ],
    update: [
      metadataUpdate,
      (errors, object, old, context) => validateSpec(errors, specOf(object), { old: specOf(old), context }),
    ],
    status: [metadataUpdate, (errors, object) => validateCounts(errors, object)],
  };
}

export const horizontalPodAutoscalerV1: KindValidation<V1> = validationOfVersion(specOfV1);
export const horizontalPodAutoscalerV2: KindValidation<V2> = validationOfVersion(
  (object: V2) => object.spec ?? EMPTY_SPEC,
);

interface SpecScope {
  readonly old: HorizontalPodAutoscalerSpec | undefined;
  readonly context: ValidationContext;
}

function validateSpec(errors: FieldError[], spec: HorizontalPodAutoscalerSpec, { old, context }: SpecScope): void {
  const { minReplicas, maxReplicas = 0 } = spec;
  const lowest = context.features['HPAScaleToZero'] || old?.minReplicas === 0 ? 0 : 1;
  const maxAt = SPEC.child('maxReplicas');
  if (minReplicas != null && minReplicas < lowest) {
    errors.push(invalidValue(SPEC.child('minReplicas'), minReplicas, `must be greater than or equal to ${lowest}`));
  }
  if (maxReplicas === 0) errors.push(required(maxAt, 'must be set and greater than 0'));
  else if (maxReplicas < 1) errors.push(invalidValue(maxAt, maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas != null && maxReplicas < minReplicas) {
    errors.push(invalidValue(maxAt, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  // Invalid references that are stored already are accepted.
  const tolerated = old !== undefined && apiVersionProblem(old.scaleTargetRef, STRICT) !== undefined;
  const allowances = { emptyGroup: tolerated, invalidApiVersion: tolerated };
  validateObjectReference(errors, spec.scaleTargetRef, SPEC.child('scaleTargetRef'), allowances);
  validateMetrics(errors, spec.metrics ?? [], SPEC.child('metrics'), minReplicas ?? undefined);
  validateBehavior(errors, spec.behavior, SPEC.child('behavior'));
}

function validateCounts(errors: FieldError[], { status }: WithCounts): void {
  validateNonnegative(errors, status?.currentReplicas, STATUS.child('currentReplicas'));
  validateNonnegative(errors, status?.desiredReplicas, STATUS.child('desiredReplicas'));
}
