/** Validation of PersistentVolumeClaims. Once bound, only the storage request may grow. */
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../../../api/generated/core-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
} from '../../../errors/index.ts';
import { IMMUTABLE_MESSAGE, nameIsDnsSubdomain, qualifiedName } from '../../../names/index.ts';
import { semanticEqual } from '../../equality.ts';
import { goStructObject } from '../../go-struct.ts';
import type { KindValidation } from '../../kind-validation.ts';
import { validateLabelSelector } from '../../label-selector.ts';
import { metadata, metadataAgain, metadataUpdate } from '../../metadata-checks.ts';
import { validateImmutable } from '../../object-meta.ts';
import { compareQuantities } from '../../quantities.ts';
import { unifiedDiff } from '../../unified-diff.ts';
import { pretty } from '../pod/internal-pod-spec.ts';
import { isNativeResource } from '../resource-names.ts';
import { validateBasicResource, validateResourceQuantity } from '../resources.ts';
import { validateClaimSpec, type ClaimRules } from './claim-spec.ts';
import { claimWarnings, STORAGE_CLASS_ANNOTATION } from './claim-warnings.ts';

const SPEC = path('spec');
const STATUS = path('status');
const STORAGE = SPEC.child('resources', 'requests', 'storage');
const RULES = { namespaced: true, name: nameIsDnsSubdomain };

const RESIZE_STATUSES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

function claimRules(old?: PersistentVolumeClaim): ClaimRules {
  if (!old?.spec) return {};
  const problems: FieldError[] = [];
  validateLabelSelector(problems, old.spec.selector, path());
  const { dataSource, dataSourceRef } = old.spec;
  return {
    allowInvalidSelectorValues: problems.length > 0,
    allowInvalidDataSourceGroup: (dataSource?.apiGroup ?? dataSourceRef?.apiGroup ?? undefined) !== undefined,
  };
}

function spec(errors: FieldError[], object: PersistentVolumeClaim): void {
  validateClaimSpec(errors, object.spec ?? {}, SPEC, claimRules());
}

function specUpdate(errors: FieldError[], object: PersistentVolumeClaim, old: PersistentVolumeClaim): void {
  validateClaimSpec(errors, object.spec ?? {}, SPEC, claimRules(old));
}

const storageOf = (claim: PersistentVolumeClaim): string | undefined => claim.spec?.resources?.requests?.['storage'];

/** With the mutable fields reset to their old values, the specs must be equal. */
function immutableUpdate(errors: FieldError[], object: PersistentVolumeClaim, old: PersistentVolumeClaim): void {
  let before: PersistentVolumeClaimSpec = { ...old.spec };
  let after: PersistentVolumeClaimSpec = { ...object.spec };
  // volumeName may be set once.
  if (!before.volumeName && after.volumeName) before = { ...before, volumeName: after.volumeName };
  after = withStorageClassOf(errors, { ...object, spec: after }, old);
  if (object.status?.phase === 'Bound') after = withResourcesOf(after, before);
  if (!semanticEqual(after, before)) {
    const diff = unifiedDiff(pretty(goSpec(before)), pretty(goSpec(after)));
    const allowed =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbiddenField(SPEC, `${allowed}\n${diff}`));
  }
  const size = storageOf(object);
  if (compareQuantities(size, storageOf(old)) < 0 && compareQuantities(size, old.status?.capacity?.['storage']) <= 0) {
    errors.push(forbiddenField(STORAGE, 'field can not be less than status.capacity'));
  }
  validateImmutable(errors, object.spec?.volumeMode, old.spec?.volumeMode, path('volumeMode'));
  if (old.status?.currentVolumeAttributesClassName !== undefined)
    attributesClass(errors, object.spec?.volumeAttributesClassName, old.spec?.volumeAttributesClassName);
}

const goSpec = (claim: PersistentVolumeClaimSpec): unknown =>
  goStructObject('io.k8s.api.core.v1.PersistentVolumeClaimSpec', claim);

/** A claim without a storage class may get one, and a class in the annotation may move to the field. */
function withStorageClassOf(
  errors: FieldError[],
  object: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): PersistentVolumeClaimSpec {
  const after = object.spec ?? {};
  const annotation = object.metadata?.annotations?.[STORAGE_CLASS_ANNOTATION];
  const before = old.metadata?.annotations?.[STORAGE_CLASS_ANNOTATION];
  const { storageClassName: name, ...others } = after;
  const wasUnset = old.spec?.storageClassName === undefined;
  if (before !== undefined && wasUnset && name === before && (annotation === undefined || annotation === before))
    return others;
  if ((annotation ?? '') !== (before ?? '')) {
    errors.push(
      invalidValue(path('metadata', 'annotations', STORAGE_CLASS_ANNOTATION), annotation ?? '', IMMUTABLE_MESSAGE),
    );
  }
  return name !== undefined && wasUnset && (before === undefined || name === before) ? others : after;
}

function withResourcesOf(
  after: PersistentVolumeClaimSpec,
  before: PersistentVolumeClaimSpec,
): PersistentVolumeClaimSpec {
  let restored = after;
  if (restored.resources?.requests) {
    const { storage: _, ...requests } = restored.resources.requests;
    const storage = before.resources?.requests?.['storage'] ?? '0';
    restored = { ...restored, resources: { ...restored.resources, requests: { ...requests, storage } } };
  }
  if (restored.volumeAttributesClassName !== undefined) {
    const { volumeAttributesClassName: _, ...others } = restored;
    const name = before.volumeAttributesClassName;
    restored = name === undefined ? others : { ...others, volumeAttributesClassName: name };
  }
  return restored;
}

/** A class that the driver has applied can be replaced, not removed. */
function attributesClass(errors: FieldError[], name: string | undefined, before: string | undefined): void {
  if (name === before || name) return;
  const to = name === undefined ? 'nil' : 'empty string';
  const message = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  errors.push(forbiddenField(SPEC.child('volumeAttributesClassName'), message));
}

function statusUpdate(errors: FieldError[], object: PersistentVolumeClaim): void {
  const { capacity = {}, allocatedResourceStatuses = {}, allocatedResources = {} } = object.status ?? {};
  if (!object.metadata?.resourceVersion) errors.push(required(path('resourceVersion')));
  if (!object.spec?.accessModes?.length) errors.push(required(path('Spec', 'accessModes')));
  for (const name in capacity) validateBasicResource(errors, capacity[name]!, STATUS.child('capacity').key(name));
  const statuses = STATUS.child('allocatedResourceStatuses');
  for (const name in allocatedResourceStatuses) {
    validateResourceKey(errors, name, statuses);
    if (!RESIZE_STATUSES.includes(allocatedResourceStatuses[name]!))
      errors.push(notSupported(statuses, name, RESIZE_STATUSES));
  }
  const allocated = STATUS.child('allocatedResources');
  for (const name in allocatedResources) {
    const count = errors.length;
    validateResourceKey(errors, name, allocated);
    if (errors.length > count) continue;
    validateBasicResource(errors, allocatedResources[name]!, allocated.key(name));
    if (errors.length === count)
      validateResourceQuantity(errors, 'storage', allocatedResources[name]!, allocated.key(name));
  }
}

function validateResourceKey(errors: FieldError[], name: string, at: Path): void {
  const messages = qualifiedName(name);
  for (const message of messages) errors.push(invalidValue(at, name, message));
  if (messages.length === 0 && isNativeResource(name) && name !== 'storage')
    errors.push(notSupported(at, name, ['storage']));
}

export const persistentVolumeClaim: KindValidation<PersistentVolumeClaim> = {
  create: [metadata(RULES), spec],
  update: [metadataUpdate, metadataAgain(RULES), specUpdate, immutableUpdate],
  status: [metadataUpdate, statusUpdate],
  warnings: [(warnings, object) => claimWarnings(warnings, object)],
};
