/** Validates the spec of PersistentVolumeClaims and of claim templates. */
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedObjectReference,
} from '../../../../api/generated/core-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../../errors/index.ts';
import { dns1123Subdomain, nameIsDnsLabel, nameIsDnsSubdomain } from '../../../names/index.ts';
import { validateLabelSelector } from '../../label-selector.ts';
import { validateTemplateObjectMeta } from '../../object-meta.ts';
import { isPositiveQuantity } from '../../quantities.ts';
import { validatePositiveQuantity, validateResourceQuantity } from '../resources.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
export const VOLUME_MODES = ['Block', 'Filesystem'];

export interface ClaimRules {
  /** The stored claim has an invalid selector. */
  readonly allowInvalidSelectorValues?: boolean;
  /** The stored claim has an invalid apiGroup in its data source. */
  readonly allowInvalidDataSourceGroup?: boolean;
}

export function validatePersistentVolumeClaimTemplate(
  errors: FieldError[],
  template: PersistentVolumeClaimTemplate,
  at: Path,
  rules: ClaimRules = {},
): void {
  validateTemplateObjectMeta(errors, template.metadata ?? {}, at.child('metadata'));
  validateClaimSpec(errors, template.spec ?? {}, at.child('spec'), rules);
}

export function validateAccessModes(errors: FieldError[], modes: readonly string[], at: Path): void {
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(at, mode, ACCESS_MODES));
  if (
    modes.includes('ReadWriteOncePod') &&
    modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))
  ) {
    errors.push(forbiddenField(at, 'may not use ReadWriteOncePod with other access modes'));
  }
}

export function validateClaimSpec(
  errors: FieldError[],
  spec: PersistentVolumeClaimSpec,
  at: Path,
  rules: ClaimRules,
): void {
  const accessModes = spec.accessModes ?? [];
  if (accessModes.length === 0) errors.push(required(at.child('accessModes'), 'at least 1 access mode is required'));
  validateLabelSelector(errors, spec.selector, at.child('selector'), {
    invalidValues: rules.allowInvalidSelectorValues ?? false,
  });
  validateAccessModes(errors, accessModes, at.child('accessModes'));

  const storage = spec.resources?.requests?.['storage'];
  const storagePath = at.child('resources').key('storage');
  if (storage === undefined) errors.push(required(storagePath));
  else if (!isPositiveQuantity(storage)) validatePositiveQuantity(errors, storage, storagePath);
  else validateResourceQuantity(errors, 'storage', storage, storagePath);

  validateClassName(errors, spec.storageClassName, at.child('storageClassName'));
  if (spec.volumeMode !== undefined && !VOLUME_MODES.includes(spec.volumeMode)) {
    errors.push(notSupported(at.child('volumeMode'), spec.volumeMode, VOLUME_MODES));
  }
  validateDataSources(errors, spec, at, rules.allowInvalidDataSourceGroup ?? false);
  validateClassName(errors, spec.volumeAttributesClassName, at.child('volumeAttributesClassName'));
}

function validateClassName(errors: FieldError[], name: string | undefined, at: Path): void {
  if (name) for (const message of nameIsDnsSubdomain(name)) errors.push(invalidValue(at, name, message));
}

function validateDataSources(
  errors: FieldError[],
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  at: Path,
  allowGroup: boolean,
): void {
  if (dataSource) validateDataSource(errors, dataSource, at.child('dataSource'), allowGroup);
  if (dataSourceRef) {
    validateDataSource(errors, dataSourceRef, at.child('dataSourceRef'), allowGroup);
    const { namespace } = dataSourceRef;
    if (namespace) {
      for (const message of nameIsDnsLabel(namespace))
        errors.push(invalidValue(at.child('dataSourceRef', 'namespace'), namespace, message));
    }
  }
  if (!dataSource || !dataSourceRef) return;
  // Upstream passes a field.Path as the value, which prints as an empty struct.
  if (dataSourceRef.namespace)
    errors.push(invalidValue(at, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  else if (
    (dataSource.apiGroup ?? undefined) !== (dataSourceRef.apiGroup ?? undefined) ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  ) {
    errors.push(invalidValue(at, {}, 'must match dataSourceRef'));
  }
}

type DataSource = Pick<TypedObjectReference, 'name' | 'kind' | 'apiGroup'>;

function validateDataSource(errors: FieldError[], source: DataSource, at: Path, allowGroup: boolean): void {
  const { name, kind = '' } = source;
  const apiGroup = source.apiGroup ?? '';
  if (!name) errors.push(required(at.child('name')));
  if (kind === '') errors.push(required(at.child('kind')));
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(invalidValue(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (apiGroup !== '' && !allowGroup) {
    for (const message of dns1123Subdomain(apiGroup))
      errors.push(invalidValue(at.child('apiGroup'), apiGroup, message));
  }
}
