/** Validation of ReplicaSets. */
import type { ReplicaSet, ReplicaSetSpec, ReplicaSetStatus } from '../../../api/generated/apps-v1.ts';
import { type FieldError, path, type Path } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable, validateNonnegative } from '../object-meta.ts';
import { OVER_REPLICAS, validateNonnegativeCounters, validateNotGreater } from './replica-counts.ts';
import { validateReplicaSetTemplate, validateSelector, type TemplateUpdate } from './replica-set-template.ts';
import { ownerNameWarning, podTemplateWarnings } from './template-warnings.ts';

const SPEC = path('spec');
const STATUS = path('status');
const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;

export const replicaSet: KindValidation<ReplicaSet> = {
  create: [
    metadata(META_RULES),
    (errors, object, context) => validateReplicaSetSpec(errors, object.spec, SPEC, { old: undefined, context }),
  ],
  update: [
    metadataUpdate,
    (errors, object, old, context) =>
      validateReplicaSetSpec(errors, object.spec, SPEC, { old: old.spec?.template, context }),
    (errors, object, old) =>
      validateImmutable(errors, object.spec?.selector, old.spec?.selector, SPEC.child('selector')),
  ],
  status: [metadataUpdate, (errors, object) => validateReplicaSetStatus(errors, object.status, STATUS)],
  warnings: [ownerNameWarning, podTemplateWarnings],
};

function validateReplicaSetSpec(
  errors: FieldError[],
  spec: ReplicaSetSpec | undefined,
  at: Path,
  template: TemplateUpdate,
): void {
  validateNonnegative(errors, spec?.replicas, at.child('replicas'));
  validateNonnegative(errors, spec?.minReadySeconds, at.child('minReadySeconds'));
  // Upstream also passes the name of the Deployment here.
  validateSelector(errors, spec?.selector, at.child('selector'), 'deployment');
  validateReplicaSetTemplate(errors, spec ?? {}, at, template);
}

const COUNTERS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'terminatingReplicas',
  'observedGeneration',
];

function validateReplicaSetStatus(errors: FieldError[], status: ReplicaSetStatus | undefined, at: Path): void {
  const counts = status ?? {};
  validateNonnegativeCounters(errors, counts, COUNTERS, at);
  validateNotGreater(errors, counts, ['fullyLabeledReplicas', 'replicas'], { at, detail: OVER_REPLICAS });
  validateNotGreater(errors, counts, ['readyReplicas', 'replicas'], { at, detail: OVER_REPLICAS });
  validateNotGreater(errors, counts, ['availableReplicas', 'replicas'], { at, detail: OVER_REPLICAS });
  validateNotGreater(errors, counts, ['availableReplicas', 'readyReplicas'], {
    at,
    detail: 'cannot be greater than readyReplicas',
  });
}
