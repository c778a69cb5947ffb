/** Validation of Deployments. */
import type {
  Deployment,
  DeploymentSpec,
  DeploymentStatus,
  DeploymentStrategy,
  RollingUpdateDeployment,
} from '../../../api/generated/apps-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable, validateNonnegative } from '../object-meta.ts';
import { intOrPercentValue, validateNotMoreThan100Percent, validatePositiveIntOrPercent } from './int-or-percent.ts';
import {
  OVER_REPLICAS,
  validateCollisionCount,
  validateNonnegativeCounters,
  validateNotGreater,
} from './replica-counts.ts';
import { validateReplicaSetTemplate, validateSelector, type TemplateUpdate } from './replica-set-template.ts';
import { ownerNameWarning, podTemplateWarnings } from './template-warnings.ts';

const SPEC = path('spec');
const STATUS = path('status');
const STRATEGIES = ['Recreate', 'RollingUpdate'];
const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;

export const deployment: KindValidation<Deployment> = {
  create: [
    metadata(META_RULES),
    (errors, object, context) => validateDeploymentSpec(errors, object.spec, SPEC, { old: undefined, context }),
  ],
  update: [
    metadataUpdate,
    (errors, object, old, context) =>
      validateDeploymentSpec(errors, object.spec, SPEC, { old: old.spec?.template, context }),
    (errors, object, old) =>
      validateImmutable(errors, object.spec?.selector, old.spec?.selector, SPEC.child('selector')),
  ],
  status: [
    metadataUpdate,
    (errors, object) => validateDeploymentStatus(errors, object.status ?? {}, STATUS),
    (errors, object, old) => validateCollisionCount(errors, object.status, old.status, STATUS),
  ],
  warnings: [ownerNameWarning, podTemplateWarnings],
};

function validateDeploymentSpec(
  errors: FieldError[],
  spec: DeploymentSpec | undefined,
  at: Path,
  template: TemplateUpdate,
): void {
  validateNonnegative(errors, spec?.replicas, at.child('replicas'));
  validateSelector(errors, spec?.selector, at.child('selector'), 'deployment');
  validateReplicaSetTemplate(errors, spec ?? {}, at, template);
  validateStrategy(errors, spec?.strategy, at.child('strategy'));
  validateNonnegative(errors, spec?.minReadySeconds, at.child('minReadySeconds'));
  validateNonnegative(errors, spec?.revisionHistoryLimit, at.child('revisionHistoryLimit'));
  const deadline = spec?.progressDeadlineSeconds;
  if (deadline == null) return;
  validateNonnegative(errors, deadline, at.child('progressDeadlineSeconds'));
  if (deadline <= (spec?.minReadySeconds ?? 0)) {
    errors.push(invalidValue(at.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'));
  }
}

function validateStrategy(errors: FieldError[], strategy: DeploymentStrategy | undefined, at: Path): void {
  switch (strategy?.type) {
    case 'Recreate':
      if (strategy.rollingUpdate) {
        errors.push(
          forbiddenField(at.child('rollingUpdate'), "may not be specified when strategy `type` is 'Recreate'"),
        );
      }
      return;
    case 'RollingUpdate':
      if (!strategy.rollingUpdate)
        errors.push(required(at.child('rollingUpdate'), 'this should be defaulted and never be nil'));
      else validateRollingUpdate(errors, strategy.rollingUpdate, at.child('rollingUpdate'));
      return;
    default:
      errors.push(notSupported(at, goStruct('io.k8s.api.apps.v1.DeploymentStrategy', strategy), STRATEGIES));
  }
}

function validateRollingUpdate(
  errors: FieldError[],
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDeployment,
  at: Path,
): void {
  validatePositiveIntOrPercent(errors, maxUnavailable, at.child('maxUnavailable'));
  validatePositiveIntOrPercent(errors, maxSurge, at.child('maxSurge'));
  if (intOrPercentValue(maxUnavailable) === 0 && intOrPercentValue(maxSurge) === 0) {
    errors.push(invalidValue(at.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  validateNotMoreThan100Percent(errors, maxUnavailable, at.child('maxUnavailable'));
}

const COUNTERS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

function validateDeploymentStatus(errors: FieldError[], status: DeploymentStatus, at: Path): void {
  validateNonnegativeCounters(errors, status, COUNTERS, at);
  validateNotGreater(errors, status, ['updatedReplicas', 'replicas'], { at, detail: OVER_REPLICAS });
  validateNotGreater(errors, status, ['readyReplicas', 'replicas'], { at, detail: OVER_REPLICAS });
  validateNotGreater(errors, status, ['availableReplicas', 'replicas'], { at, detail: OVER_REPLICAS });
  validateNotGreater(errors, status, ['availableReplicas', 'readyReplicas'], {
    at,
    detail: 'cannot be greater than readyReplicas',
  });
}
