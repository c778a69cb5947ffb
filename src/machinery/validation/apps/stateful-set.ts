/** Validation of StatefulSets. */
import type {
  StatefulSet,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from '../../../api/generated/apps-v1.ts';
import type { PodTemplateSpec, Volume } from '../../../api/generated/core-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { dns1123Label, nameIsDnsLabel } from '../../names/index.ts';
import { podTemplateRules } from '../core/pod/pod-allowances.ts';
import type { PodRules } from '../core/pod/pod-rules.ts';
import { validatePodTemplateMetadata, validatePodTemplateSpec } from '../core/pod/pod-template.ts';
import { validateClaimSpec } from '../core/volume/claim-spec.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation, UpdateCheck, ValidationContext } from '../kind-validation.ts';
import { metadata, metadataUpdate } from '../metadata-checks.ts';
import { validateNonnegative } from '../object-meta.ts';
import {
  OVER_REPLICAS,
  validateCollisionCount,
  validateNonnegativeCounters,
  validateNotGreater,
} from './replica-counts.ts';
import { validateAlwaysRestarting, validateSelector } from './replica-set-template.ts';
import { isEmptySelector, isUsableSelector, validateTemplateLabels } from './selector-match.ts';
import { claimTemplateWarnings, podTemplateWarnings, revisionHistoryWarning } from './template-warnings.ts';

const SPEC = path('spec');
const STATUS = path('status');
const UPDATABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

export const statefulSet: KindValidation<StatefulSet> = {
  create: [
    metadata({ namespaced: true, name: nameIsDnsLabel }),
    (errors, object, context) =>
      validateStatefulSetSpec(errors, object.spec, { rules: podTemplateRules(context), isUpdate: false }),
  ],
  update: [
    metadataUpdate,
    (errors, object, old, context) => validateSpecUpdate(errors, object.spec, old.spec, context),
    onlyUpdatableFieldsChanged(),
  ],
  status: [
    (errors, object) => validateStatefulSetStatus(errors, object.status, STATUS),
    metadataUpdate,
    (errors, object, old) => validateCollisionCount(errors, object.status, old.status, STATUS),
  ],
  warnings: [podTemplateWarnings, claimTemplateWarnings, revisionHistoryWarning],
};

interface SpecRules {
  readonly rules: PodRules;
  /** An update tolerates what is stored and cannot change: claim templates and the name of the service. */
  readonly isUpdate: boolean;
  /** Of the pod template, only labels and annotations are validated. */
  readonly skipPodTemplate?: boolean;
}

/** When the stored set is invalid, the update may leave its pod template so. */
function validateSpecUpdate(
  errors: FieldError[],
  spec: StatefulSetSpec | undefined,
  old: StatefulSetSpec | undefined,
  context: ValidationContext,
): void {
  const rules = podTemplateRules(context, templateOfPods(old));
  const oldErrors: FieldError[] = [];
  validateStatefulSetSpec(oldErrors, old, { rules, isUpdate: true });
  validateStatefulSetSpec(errors, spec, { rules, isUpdate: true, skipPodTemplate: oldErrors.length > 0 });
}

function validateStatefulSetSpec(errors: FieldError[], spec: StatefulSetSpec | undefined, given: SpecRules): void {
  const at = SPEC;
  validatePodManagementPolicy(errors, spec?.podManagementPolicy ?? '', at.child('podManagementPolicy'));
  validateUpdateStrategy(errors, spec?.updateStrategy, at.child('updateStrategy'));
  validateRetention(errors, spec, at.child('persistentVolumeClaimRetentionPolicy'));
  for (const [i, claim] of given.isUpdate ? [] : (spec?.volumeClaimTemplates ?? []).entries())
    validateClaimSpec(errors, claim.spec ?? {}, at.child('volumeClaimTemplates').index(i).child('spec'), {});
  validateNonnegative(errors, spec?.replicas, at.child('replicas'));
  validateNonnegative(errors, spec?.minReadySeconds, at.child('minReadySeconds'));
  validateNonnegative(errors, spec?.ordinals?.start, at.child('ordinals', 'start'));
  if (!given.isUpdate) validateServiceName(errors, spec?.serviceName ?? '', at.child('serviceName'));
  validateSelector(errors, spec?.selector, at.child('selector'), 'statefulset');
  if (!isUsableSelector(spec?.selector)) errors.push(invalidValue(at.child('selector'), spec?.selector, ''));
  else validateTemplate(errors, spec, at.child('template'), given);
  validateAlwaysRestarting(errors, spec?.template, at.child('template'), 'StatefulSet');
}

function validatePodManagementPolicy(errors: FieldError[], policy: string, at: Path): void {
  if (policy === '') errors.push(required(at));
  else if (policy !== 'OrderedReady' && policy !== 'Parallel')
    errors.push(invalidValue(at, policy, "must be 'OrderedReady' or 'Parallel'"));
}

function validateUpdateStrategy(errors: FieldError[], strategy: StatefulSetUpdateStrategy | undefined, at: Path): void {
  const rollingUpdate = strategy?.rollingUpdate;
  switch (strategy?.type ?? '') {
    case '':
      errors.push(required(at));
      return;
    case 'OnDelete':
      if (rollingUpdate) {
        const shown = goStruct('io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy', {
          partition: 0,
          ...rollingUpdate,
        });
        errors.push(invalidValue(at.child('rollingUpdate'), shown, "only allowed for updateStrategy 'RollingUpdate'"));
      }
      return;
    case 'RollingUpdate':
      // The gate of maxUnavailable is off in v1.36, so the field is dropped before validation.
      if (rollingUpdate) validateNonnegative(errors, rollingUpdate.partition, at.child('rollingUpdate', 'partition'));
      return;
    default: {
      const shown = goStruct('io.k8s.api.apps.v1.StatefulSetUpdateStrategy', strategy);
      errors.push(invalidValue(at, shown, "must be 'RollingUpdate' or 'OnDelete'"));
    }
  }
}

const RETENTION = ['Retain', 'Delete'];

function validateRetention(errors: FieldError[], spec: StatefulSetSpec | undefined, at: Path): void {
  const policy = spec?.persistentVolumeClaimRetentionPolicy;
  if (!policy) return;
  for (const name of ['whenDeleted', 'whenScaled'] as const) {
    const value = policy[name] ?? '';
    if (!RETENTION.includes(value)) errors.push(notSupported(at.child(name), value, RETENTION));
  }
}

function validateServiceName(errors: FieldError[], name: string, at: Path): void {
  if (name === '') return;
  for (const message of dns1123Label(name)) errors.push(invalidValue(at, name, message));
}

/** Labels and annotations are validated once with the template and once more, so their causes repeat. */
function validateTemplate(
  errors: FieldError[],
  spec: StatefulSetSpec | undefined,
  at: Path,
  { rules, skipPodTemplate }: SpecRules,
): void {
  if (!isEmptySelector(spec?.selector)) validateTemplateLabels(errors, spec?.selector, spec?.template, at);
  const template = templateOfPods(spec);
  if (!skipPodTemplate) validatePodTemplateSpec(errors, template, at, rules);
  validatePodTemplateMetadata(errors, template, at, rules);
}

/**
 * The pod template as pods have it: with a volume for each claim template, replacing volumes of the same name, and
 * without hostname and subdomain, which the controller sets itself.
 */
function templateOfPods(spec: StatefulSetSpec | undefined): PodTemplateSpec {
  const template = spec?.template ?? {};
  const { hostname: _hostname, subdomain: _subdomain, ...podSpec } = template.spec ?? { containers: [] };
  const names = new Set<string>();
  const volumes: Volume[] = [];
  for (const claim of spec?.volumeClaimTemplates ?? []) {
    const name = claim.metadata?.name ?? '';
    if (!names.has(name)) volumes.push({ name, persistentVolumeClaim: { claimName: name } });
    names.add(name);
  }
  if (volumes.length === 0) return { ...template, spec: podSpec };
  const others = (podSpec.volumes ?? []).filter((volume) => !names.has(volume.name));
  return { ...template, spec: { ...podSpec, volumes: [...volumes, ...others] } };
}

function onlyUpdatableFieldsChanged(): UpdateCheck<StatefulSet> {
  const names = UPDATABLE.map((name) => `'${name}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const detail = `updates to statefulset spec for fields other than ${list} are forbidden`;
  return (errors, object, old) => {
    const asBefore: Record<string, unknown> = { ...object.spec };
    for (const name of UPDATABLE) asBefore[name] = old.spec?.[name];
    if (!semanticEqual(asBefore, old.spec)) errors.push(forbiddenField(SPEC, detail));
  };
}

const COUNTERS = [
  'replicas',
  'readyReplicas',
  'currentReplicas',
  'updatedReplicas',
  'availableReplicas',
  'observedGeneration',
  'collisionCount',
];

function validateStatefulSetStatus(errors: FieldError[], status: StatefulSetStatus | undefined, at: Path): void {
  const counts = status ?? {};
  validateNonnegativeCounters(errors, counts, COUNTERS, at);
  for (const name of ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas']) {
    validateNotGreater(errors, counts, [name, 'replicas'], { at, detail: OVER_REPLICAS });
  }
  validateNotGreater(errors, counts, ['availableReplicas', 'readyReplicas'], {
    at,
    detail: 'cannot be greater than status.readyReplicas',
  });
}
