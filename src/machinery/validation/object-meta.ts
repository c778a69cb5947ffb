/** Validates ObjectMeta on create and update, and the metav1.Condition of many kinds. */
import type { Condition, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '../../api/generated/meta-v1.ts';
import { ownValue, quote } from '../../base/index.ts';
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
  tooLong,
} from '../errors/index.ts';
import {
  IMMUTABLE_MESSAGE,
  type NameCheck,
  nameIsDnsLabel,
  NEGATIVE_MESSAGE,
  qualifiedName,
  regexMessage,
  utf8Length,
  utf8Longer,
} from '../names/index.ts';
import { semanticEqual } from './equality.ts';
import { validateLabelName, validateLabels } from './label-selector.ts';

const METADATA = path('metadata');
const ANNOTATIONS_MAX_BYTES = 256 * 1024;
const FIELD_MANAGER_MAX_BYTES = 128;
const SUBRESOURCE_MAX_BYTES = 256;

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly name: NameCheck;
  /** The generated name is checked, but not the generateName. */
  readonly uncheckedGenerateName?: true;
  /** Finalizers of custom resources, and of kinds outside the core API server, need not be qualified. */
  readonly unqualifiedFinalizers?: true;
}

export function validateObjectMeta(
  errors: FieldError[],
  meta: ObjectMeta,
  rules: ObjectMetaRules,
  at: Path = METADATA,
): void {
  const name = meta.name ?? '';
  if (meta.generateName && !rules.uncheckedGenerateName) {
    for (const message of rules.name(meta.generateName, true))
      errors.push(invalidValue(at.child('generateName'), meta.generateName, message));
  }
  if (name === '') errors.push(required(at.child('name'), 'name or generateName is required'));
  else for (const message of rules.name(name)) errors.push(invalidValue(at.child('name'), name, message));

  const namespace = meta.namespace ?? '';
  if (!rules.namespaced) {
    if (namespace !== '') errors.push(forbiddenField(at.child('namespace'), 'not allowed on this type'));
  } else if (namespace === '') errors.push(required(at.child('namespace')));
  else
    for (const message of nameIsDnsLabel(namespace))
      errors.push(invalidValue(at.child('namespace'), namespace, message));

  if ((meta.generation ?? 0) < 0) errors.push(invalidValue(at.child('generation'), meta.generation, NEGATIVE_MESSAGE));
  if (meta.labels) validateLabels(errors, meta.labels, at.child('labels'));
  if (meta.annotations) validateAnnotations(errors, meta.annotations, at.child('annotations'));
  if (meta.ownerReferences) validateOwnerReferences(errors, meta.ownerReferences, at.child('ownerReferences'));
  if (meta.finalizers) validateFinalizers(errors, meta.finalizers, at.child('finalizers'));
  if (meta.managedFields) validateManagedFields(errors, meta.managedFields, at.child('managedFields'));
  if (meta.finalizers && !rules.unqualifiedFinalizers)
    validateStandardFinalizers(errors, meta.finalizers, at.child('finalizers'));
}

const IMMUTABLE_FIELDS = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

export function validateObjectMetaUpdate(
  errors: FieldError[],
  meta: ObjectMeta,
  old: ObjectMeta,
  at: Path = METADATA,
): void {
  validateAnyObjectMetaUpdate(errors, meta, old, at);
  if (meta.finalizers) validateStandardFinalizers(errors, meta.finalizers, at.child('finalizers'));
}

/** The checks that also hold for custom resources, whose finalizers need not be qualified. */
export function validateAnyObjectMetaUpdate(
  errors: FieldError[],
  meta: ObjectMeta,
  old: ObjectMeta,
  at: Path = METADATA,
): void {
  if (old.deletionTimestamp)
    validateNoNewFinalizers(errors, meta.finalizers ?? [], old.finalizers ?? [], at.child('finalizers'));
  if (!meta.resourceVersion)
    errors.push(invalidValue(at.child('resourceVersion'), '', 'must be specified for an update'));
  if ((meta.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalidValue(at.child('generation'), meta.generation ?? 0, 'must not be decremented'));
  }
  for (const name of IMMUTABLE_FIELDS) {
    // The zero time marks an object as being deleted, too; it is decoded as null.
    if (name === 'deletionTimestamp' && (meta[name] as unknown) === null && old[name] === undefined) {
      errors.push(invalidValue(at.child(name), null, IMMUTABLE_MESSAGE));
      continue;
    }
    const text = name === 'name' || name === 'namespace' || name === 'uid';
    validateImmutable(
      errors,
      text ? (meta[name] ?? '') : meta[name],
      text ? (old[name] ?? '') : old[name],
      at.child(name),
    );
  }
  if (meta.labels) validateLabels(errors, meta.labels, at.child('labels'));
  if (meta.annotations) validateAnnotations(errors, meta.annotations, at.child('annotations'));
  if (meta.ownerReferences) validateOwnerReferences(errors, meta.ownerReferences, at.child('ownerReferences'));
  if (meta.managedFields) validateManagedFields(errors, meta.managedFields, at.child('managedFields'));
}

/** The error shows the new value. */
export function validateImmutable(errors: FieldError[], value: unknown, old: unknown, at: Path): void {
  if (!semanticEqual(value, old)) errors.push(invalidValue(at, value, IMMUTABLE_MESSAGE));
}

export function validateNonnegative(errors: FieldError[], value: number | undefined, at: Path): void {
  if (value !== undefined && value < 0) errors.push(invalidValue(at, value, NEGATIVE_MESSAGE));
}

/** Metadata of a template of claims: only labels and annotations are copied to the claim, so others are refused. */
export function validateTemplateObjectMeta(errors: FieldError[], metadata: ObjectMeta, at: Path): void {
  if (metadata.annotations) validateAnnotations(errors, metadata.annotations, at.child('annotations'));
  if (metadata.labels) validateLabels(errors, metadata.labels, at.child('labels'));
  for (const [name, value] of Object.entries(metadata)) {
    if (name === 'annotations' || name === 'labels' || value === null || value === undefined) continue;
    // Upstream makes the name from that of the Go field.
    errors.push(forbiddenField(at.child(name === 'uid' ? 'uID' : name), 'cannot be set'));
  }
}

export function validateAnnotations(
  errors: FieldError[],
  annotations: Readonly<Record<string, string>>,
  at: Path,
): void {
  let units = 0;
  for (const key in annotations) {
    for (const message of qualifiedName(key.toLowerCase())) errors.push(invalidValue(at, key, message));
    units += key.length + ownValue(annotations, key)!.length;
  }
  if (units * 3 > ANNOTATIONS_MAX_BYTES && annotationBytes(annotations) > ANNOTATIONS_MAX_BYTES) {
    errors.push(tooLong(at, ANNOTATIONS_MAX_BYTES));
  }
}

function annotationBytes(annotations: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const key in annotations) bytes += utf8Length(key) + utf8Length(ownValue(annotations, key)!);
  return bytes;
}

function validateOwnerReferences(errors: FieldError[], references: readonly OwnerReference[], at: Path): void {
  let controller = '';
  for (const reference of references) {
    validateOwnerReference(errors, reference, at);
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') controller = name;
    else {
      const found = `Found "true" in references for ${controller} and ${name}`;
      errors.push(invalidValue(at, references, `Only one reference can have Controller set to true. ${found}`));
    }
  }
}

function validateOwnerReference(errors: FieldError[], reference: OwnerReference, at: Path): void {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  // An apiVersion with more than one slash has no group and version.
  const slash = apiVersion.indexOf('/');
  const version = slash >= 0 && apiVersion.includes('/', slash + 1) ? '' : apiVersion.slice(slash + 1);
  if (version === '') errors.push(invalidValue(at.child('apiVersion'), apiVersion, 'version must not be empty'));
  if (kind === '') errors.push(invalidValue(at.child('kind'), kind, 'must not be empty'));
  if (name === '') errors.push(invalidValue(at.child('name'), name, 'must not be empty'));
  if (uid === '') errors.push(invalidValue(at.child('uid'), uid, 'must not be empty'));
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(invalidValue(at, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
}

function validateFinalizers(errors: FieldError[], finalizers: readonly string[], at: Path): void {
  for (const finalizer of finalizers) validateFinalizerName(errors, finalizer, at);
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalidValue(at, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
}

export function validateFinalizerName(errors: FieldError[], finalizer: string, at: Path): void {
  for (const message of qualifiedName(finalizer)) errors.push(invalidValue(at, finalizer, message));
}

const STANDARD_FINALIZERS = ['kubernetes', 'orphan', 'foregroundDeletion'];

function validateStandardFinalizers(errors: FieldError[], finalizers: readonly string[], at: Path): void {
  for (const [i, finalizer] of finalizers.entries()) validateStandardFinalizer(errors, finalizer, at.index(i));
}

/** A finalizer without a domain must be a standard finalizer of Kubernetes. */
export function validateStandardFinalizer(errors: FieldError[], finalizer: string, at: Path): void {
  if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return;
  errors.push(invalidValue(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
}

function validateNoNewFinalizers(
  errors: FieldError[],
  finalizers: readonly string[],
  old: readonly string[],
  at: Path,
): void {
  const extra = [...new Set(finalizers)].filter((finalizer) => !old.includes(finalizer)).sort();
  if (extra.length === 0) return;
  const found = `[]string{${extra.map(quote).join(', ')}}`;
  errors.push(
    forbiddenField(at, `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`),
  );
}

function validateManagedFields(errors: FieldError[], entries: readonly ManagedFieldsEntry[], at: Path): void {
  for (let i = 0; i < entries.length; i++) {
    const { operation = '', fieldsType = '', manager = '', subresource = '' } = entries[i]!;
    if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(invalidValue(at.index(i).child('operation'), operation, 'must be `Apply` or `Update`'));
    }
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(invalidValue(at.index(i).child('fieldsType'), fieldsType, 'must be `FieldsV1`'));
    }
    if (!PLAIN_MANAGER.test(manager)) validateFieldManager(errors, manager, at.index(i).child('manager'));
    if (utf8Longer(subresource, SUBRESOURCE_MAX_BYTES))
      errors.push(tooLong(at.index(i).child('subresource'), SUBRESOURCE_MAX_BYTES));
  }
}

/** Names of managers that need no further check. */
const PLAIN_MANAGER = /^[\w.-]{0,128}$/;
const NOT_PRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

export function validateFieldManager(errors: FieldError[], manager: string, at: Path): void {
  if (PLAIN_MANAGER.test(manager)) return;
  if (utf8Longer(manager, FIELD_MANAGER_MAX_BYTES)) errors.push(tooLong(at, FIELD_MANAGER_MAX_BYTES));
  for (const found of manager.matchAll(NOT_PRINTABLE)) {
    const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    const position = utf8Length(manager.slice(0, found.index));
    errors.push(invalidValue(at, manager, `invalid character U+${code} (at position ${position})`));
  }
}

const CONDITION_REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const CONDITION_REASON_RE = new RegExp(`^${CONDITION_REASON}$`);
const CONDITION_STATUSES = ['False', 'True', 'Unknown'];

export function validateConditions(errors: FieldError[], conditions: readonly Condition[], at: Path): void {
  const seen = new Set<string>();
  for (const [i, condition] of conditions.entries()) {
    if (seen.has(condition.type)) errors.push(duplicate(at.index(i).child('type'), condition.type));
    seen.add(condition.type);
    validateCondition(errors, condition, at.index(i));
  }
}

function validateCondition(errors: FieldError[], condition: Condition, at: Path): void {
  const { type = '', status = '', reason = '', message = '', observedGeneration = 0 } = condition;
  validateLabelName(errors, type, at.child('type'));
  if (!CONDITION_STATUSES.includes(status)) errors.push(notSupported(at.child('status'), status, CONDITION_STATUSES));
  if (observedGeneration < 0) {
    errors.push(
      invalidValue(at.child('observedGeneration'), observedGeneration, 'must be greater than or equal to zero'),
    );
  }
  if (!condition.lastTransitionTime) errors.push(required(at.child('lastTransitionTime')));
  if (reason === '') errors.push(required(at.child('reason')));
  else {
    if (!CONDITION_REASON_RE.test(reason))
      errors.push(invalidValue(at.child('reason'), reason, CONDITION_REASON_MESSAGE));
    if (utf8Longer(reason, 1024)) errors.push(tooLong(at.child('reason'), 1024));
  }
  if (utf8Longer(message, 32 * 1024)) errors.push(tooLong(at.child('message'), 32 * 1024));
}

const CONDITION_REASON_MESSAGE = regexMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  CONDITION_REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);
