/** Validation of StorageClasses and VolumeAttributesClasses. */
import type { TopologySelectorTerm } from '../../../api/generated/core-v1.ts';
import type { StorageClass, VolumeAttributesClass } from '../../../api/generated/storage-v1.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  notSupported,
  path,
  type Path,
  required,
} from '../../errors/index.ts';
import { compareBytes, nameIsDnsSubdomain } from '../../names/index.ts';
import { deprecatedNodeLabel } from '../core/node/node-labels.ts';
import { semanticEqual } from '../equality.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabelName } from '../label-selector.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';
import { validateImmutable } from '../object-meta.ts';
import { validateParameters, validateProvisioner } from './parameters.ts';

const META_RULES = { namespaced: false, name: nameIsDnsSubdomain } as const;
const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

export const storageClass: KindValidation<StorageClass> = {
  warnings: [
    (warnings, { allowedTopologies = [] }) => {
      for (const [i, { matchLabelExpressions = [] }] of allowedTopologies.entries()) {
        for (const [j, { key }] of matchLabelExpressions.entries()) {
          const message = deprecatedNodeLabel(key);
          if (message) warnings.push(`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${message}`);
        }
      }
    },
  ],
  create: [metadata(META_RULES), (errors, object) => validateStorageClass(errors, object)],
  update: [
    metadataAgain(META_RULES),
    (errors, object) => validateStorageClass(errors, object),
    metadataUpdate,
    (errors, object, old) => {
      validateImmutable(errors, object.parameters, old.parameters, path('parameters'));
      validateImmutable(errors, object.provisioner ?? '', old.provisioner ?? '', path('provisioner'));
      validateImmutable(errors, object.reclaimPolicy, old.reclaimPolicy, path('reclaimPolicy'));
      validateImmutable(errors, object.volumeBindingMode, old.volumeBindingMode, path('volumeBindingMode'));
    },
  ],
};

function validateStorageClass(errors: FieldError[], object: StorageClass): void {
  validateProvisioner(errors, object.provisioner ?? '', path('provisioner'));
  validateParameters(errors, object.parameters, path('parameters'), { needed: false });
  validateReclaimPolicy(errors, object.reclaimPolicy ?? '');
  validateBindingMode(errors, object.volumeBindingMode);
  validateAllowedTopologies(errors, object.allowedTopologies ?? [], path('allowedTopologies'));
}

function validateReclaimPolicy(errors: FieldError[], policy: string): void {
  if (policy !== '' && !RECLAIM_POLICIES.includes(policy))
    errors.push(notSupported(path('reclaimPolicy'), policy, RECLAIM_POLICIES));
}

function validateBindingMode(errors: FieldError[], mode: string | undefined): void {
  if (mode == null) errors.push(required(path('volumeBindingMode')));
  else if (!BINDING_MODES.includes(mode)) errors.push(notSupported(path('volumeBindingMode'), mode, BINDING_MODES));
}

/** The maximum number of reported duplicates; upstream's number grows with the square of the number of terms. */
const MOST_DUPLICATES = 1000;

/**
 * A term is reported once for every equal term before it. As upstream, an empty term is reported as often as there are
 * terms.
 */
function validateAllowedTopologies(errors: FieldError[], terms: readonly TopologySelectorTerm[], at: Path): void {
  const seen = new Map([[JSON.stringify({}), terms.length]]);
  let left = MOST_DUPLICATES;
  for (const [i, term] of terms.entries()) {
    const said = JSON.stringify(validateTopologyTerm(errors, term, at.index(i)));
    const before = seen.get(said) ?? 0;
    for (let k = 0; k < before && left > 0; k++, left--)
      errors.push(duplicate(at.index(i).child('matchLabelExpressions'), ''));
    seen.set(said, before + 1);
  }
}

function validateTopologyTerm(errors: FieldError[], term: TopologySelectorTerm, at: Path): Record<string, string[]> {
  const byKey = new Map<string, string[]>();
  for (const [i, { key = '', values }] of (term.matchLabelExpressions ?? []).entries()) {
    const expressionAt = at.child('matchLabelExpressions').index(i);
    const seen = new Set<string>();
    if (!values || values.length === 0) errors.push(required(expressionAt.child('values')));
    for (const [j, value] of (values ?? []).entries()) {
      if (seen.has(value)) errors.push(duplicate(expressionAt.child('values').index(j), value));
      seen.add(value);
    }
    validateLabelName(errors, key, expressionAt.child('key'));
    if (byKey.has(key)) errors.push(duplicate(expressionAt.child('key'), key));
    byKey.set(key, [...seen].sort());
  }
  return Object.fromEntries([...byKey].sort(([a], [b]) => compareBytes(a, b)));
}

export const volumeAttributesClass: KindValidation<VolumeAttributesClass> = {
  create: [metadata(META_RULES), (errors, object) => validateAttributes(errors, object)],
  update: [
    metadataUpdate,
    (errors, object, old) => {
      if (object.driverName !== old.driverName)
        errors.push(forbiddenField(path('driverName'), 'updates to driverName are forbidden.'));
      if (!semanticEqual(object.parameters, old.parameters)) {
        errors.push(forbiddenField(path('parameters'), 'updates to parameters are forbidden.'));
      }
    },
    metadataAgain(META_RULES),
    (errors, object) => validateAttributes(errors, object),
  ],
};

function validateAttributes(errors: FieldError[], object: VolumeAttributesClass): void {
  validateProvisioner(errors, object.driverName ?? '', path('driverName'));
  validateParameters(errors, object.parameters, path('parameters'), { needed: true });
}
