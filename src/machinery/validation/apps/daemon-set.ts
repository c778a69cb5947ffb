/** Validation of DaemonSets. */
import type {
  DaemonSet,
  DaemonSetSpec,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from '../../../api/generated/apps-v1.ts';
import { type FieldError, invalidValue, notSupported, path, type Path, required } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import { podTemplateRules } from '../core/pod/pod-allowances.ts';
import { validatePodTemplateSpec } from '../core/pod/pod-template.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable, validateNonnegative } from '../object-meta.ts';
import { intOrPercentValue, validateNotMoreThan100Percent, validatePositiveIntOrPercent } from './int-or-percent.ts';
import { validateCollisionCount, validateNonnegativeCounters } from './replica-counts.ts';
import { validateAlwaysRestarting, type TemplateUpdate } from './replica-set-template.ts';
import { isEmptySelector, isUsableSelector, validateTemplateLabels } from './selector-match.ts';
import { daemonTemplateWarnings } from './template-warnings.ts';

const SPEC = path('spec');
const STATUS = path('status');
const META_RULES = { namespaced: true, name: nameIsDnsSubdomain } as const;

export const daemonSet: KindValidation<DaemonSet> = {
  create: [
    metadata(META_RULES),
    (errors, object, context) => validateDaemonSetSpec(errors, object.spec, SPEC, { old: undefined, context }),
  ],
  update: [
    metadataUpdate,
    (errors, object, old) =>
      validateImmutable(errors, object.spec?.selector, old.spec?.selector, SPEC.child('selector')),
    (errors, object, old, context) =>
      validateDaemonSetSpec(errors, object.spec, SPEC, { old: old.spec?.template, context }),
  ],
  status: [
    metadataUpdate,
    (errors, object) => validateNonnegativeCounters(errors, object.status ?? {}, COUNTERS, STATUS),
    (errors, object, old) => validateCollisionCount(errors, object.status, old.status, STATUS),
  ],
  warnings: [daemonTemplateWarnings],
};

const COUNTERS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

function validateDaemonSetSpec(
  errors: FieldError[],
  spec: DaemonSetSpec | undefined,
  at: Path,
  { old, context }: TemplateUpdate,
): void {
  const selector = spec?.selector;
  const templateAt = at.child('template');
  validateLabelSelector(errors, selector, at.child('selector'));
  if (isUsableSelector(selector)) validateTemplateLabels(errors, selector, spec?.template, templateAt);
  if (isEmptySelector(selector))
    errors.push(invalidValue(at.child('selector'), selector, 'empty selector is invalid for daemonset'));
  validatePodTemplateSpec(errors, spec?.template ?? {}, templateAt, podTemplateRules(context, old));
  validateAlwaysRestarting(errors, spec?.template, templateAt, 'DaemonSet');
  validateNonnegative(errors, spec?.minReadySeconds, at.child('minReadySeconds'));
  validateUpdateStrategy(errors, spec?.updateStrategy, at.child('updateStrategy'));
  validateNonnegative(errors, spec?.revisionHistoryLimit, at.child('revisionHistoryLimit'));
}

function validateUpdateStrategy(errors: FieldError[], strategy: DaemonSetUpdateStrategy | undefined, at: Path): void {
  if (strategy?.type === 'OnDelete') return;
  if (strategy?.type !== 'RollingUpdate') {
    errors.push(
      notSupported(at, goStruct('io.k8s.api.apps.v1.DaemonSetUpdateStrategy', strategy), ['RollingUpdate', 'OnDelete']),
    );
  } else if (!strategy.rollingUpdate) {
    errors.push(required(at.child('rollingUpdate')));
  } else {
    validateRollingUpdate(errors, strategy.rollingUpdate, at.child('rollingUpdate'));
  }
}

function validateRollingUpdate(
  errors: FieldError[],
  { maxUnavailable = 0, maxSurge = 0 }: RollingUpdateDaemonSet,
  at: Path,
): void {
  validatePositiveIntOrPercent(errors, maxUnavailable, at.child('maxUnavailable'));
  validatePositiveIntOrPercent(errors, maxSurge, at.child('maxSurge'));
  validateNotMoreThan100Percent(errors, maxUnavailable, at.child('maxUnavailable'));
  validateNotMoreThan100Percent(errors, maxSurge, at.child('maxSurge'));
  const hasUnavailable = intOrPercentValue(maxUnavailable) !== 0;
  const hasSurge = intOrPercentValue(maxSurge) !== 0;
  if (hasUnavailable && hasSurge) {
    errors.push(invalidValue(at.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (!hasUnavailable && !hasSurge) {
    errors.push(required(at.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  }
}
