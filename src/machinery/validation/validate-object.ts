/** Runs the checks of a kind on a create, an update, a status update or a write to another subresource. */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { schema } from '../../api/index.ts';
import { ownValue } from '../../base/index.ts';
import type { FieldError } from '../errors/index.ts';
import { nameIsPathSegment } from '../names/index.ts';
import { compilerOf } from './cel-compiler.ts';
import { collectErrors } from './collect-errors.ts';
import type { CreateCheck, KindValidation, UpdateCheck, ValidationContext, WarningCheck } from './kind-validation.ts';
import { validateAnyObjectMetaUpdate, validateObjectMeta, type ObjectMetaRules } from './object-meta.ts';
import { bodyValidations, validations } from './registry.ts';

/** Identifies a resource. */
export interface ValidatedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** By default as declared. */
  readonly namespaced?: boolean;
  /** The checks of a custom resource. */
  readonly validation?: KindValidation;
}

const NO_CHECKS: readonly never[] = [];

/** The minimum rules for the metadata of any object. */
const ANY_NAMESPACED: ObjectMetaRules = { namespaced: true, name: nameIsPathSegment, unqualifiedFinalizers: true };
const ANY_CLUSTER_SCOPED: ObjectMetaRules = { ...ANY_NAMESPACED, namespaced: false };
const anyObject = (namespaced: boolean): ObjectMetaRules => (namespaced ? ANY_NAMESPACED : ANY_CLUSTER_SCOPED);

export function validateCreate(resource: ValidatedResource, object: object, context: ValidationContext): FieldError[] {
  const { create, unstored } = validationOf(resource);
  const errors = runCreate(create, object, context);
  if (errors.length > 0 || unstored) return errors;
  // Kinds without metadata checks get the minimum rules.
  return collectErrors((found) =>
    validateObjectMeta(found, metadataOf(object), isNamespaced(resource) ? ANY_NAMESPACED : ANY_CLUSTER_SCOPED),
  );
}

export function validateUpdate(
  resource: ValidatedResource,
  object: object,
  old: object,
  context: ValidationContext,
): FieldError[] {
  return runUpdate(resource, validationOf(resource).update, { object, old, context });
}

export function validateStatusUpdate(
  resource: ValidatedResource,
  object: object,
  old: object,
  context: ValidationContext,
): FieldError[] {
  const validation = validationOf(resource);
  return runUpdate(resource, validation.status ?? validation.update, { object, old, context });
}

interface SubresourceUpdate {
  readonly object: object;
  readonly old: object;
  readonly context: ValidationContext;
}

/** A write of the kind itself through a subresource (pods/ephemeralcontainers, pods/resize, namespaces/finalize). */
export function validateSubresourceUpdate(
  resource: ValidatedResource,
  subresource: string,
  update: SubresourceUpdate,
): FieldError[] {
  const checks = ownValue(validationOf(resource).subresources, subresource);
  if (!checks) throw new Error(`${resource.plural}/${subresource} has no validation of its own`);
  return runUpdate(resource, checks, update);
}

/**
 * The checks of every update, before those of the kind. Most kinds check the metadata again, so some errors are
 * reported several times, as upstream.
 */
function validateCommonUpdate(errors: FieldError[], namespaced: boolean, meta: ObjectMeta, old: ObjectMeta): void {
  validateObjectMeta(errors, meta, anyObject(namespaced));
  validateAnyObjectMetaUpdate(errors, meta, old);
}

/** Validates a body of another kind that is posted to a subresource (Binding, Eviction, Scale, TokenRequest). */
export function validateBody(kind: string, object: object, context: ValidationContext): FieldError[] {
  return runCreate(bodyValidations[kind]?.create ?? NO_CHECKS, object, context);
}

export function warningsOnCreate(resource: ValidatedResource, object: object, context: ValidationContext): string[] {
  return runWarnings(validationOf(resource).warnings, { object, old: undefined, context });
}

export function warningsOnUpdate(
  resource: ValidatedResource,
  object: object,
  old: object,
  context: ValidationContext,
): string[] {
  return runWarnings(validationOf(resource).warnings, { object, old, context });
}

export function warningsOnStatusUpdate(
  resource: ValidatedResource,
  object: object,
  old: object,
  context: ValidationContext,
): string[] {
  return runWarnings(validationOf(resource).statusWarnings, { object, old, context });
}

/** Throws for a built-in kind without an entry in the registry. */
export function validationOf({ group, version, plural, validation: own }: ValidatedResource): KindValidation {
  const validation = own ?? validations[`${group}/${version}/${plural}`] ?? validations[`${group}/${plural}`];
  if (!validation) throw new Error(`${group}/${version} ${plural} has no validation`);
  return validation;
}

function runCreate(checks: readonly CreateCheck<object>[], object: object, context: ValidationContext): FieldError[] {
  const compatible = compatibleContext(context, undefined);
  return collectErrors((errors) => {
    for (const check of checks) check(errors, object, compatible);
  });
}

const isNamespaced = ({ group, version, plural, namespaced }: ValidatedResource): boolean =>
  namespaced ?? schema.resource(group, version, plural)?.namespaced ?? true;

interface WithMetadata {
  readonly metadata?: ObjectMeta;
}

const metadataOf = ({ metadata = {} }: WithMetadata): ObjectMeta => metadata;

function runUpdate(
  resource: ValidatedResource,
  checks: readonly UpdateCheck<object>[],
  { object, old, context }: SubresourceUpdate,
): FieldError[] {
  const compatible = compatibleContext(context, old);
  return collectErrors((errors) => {
    validateCommonUpdate(errors, isNamespaced(resource), metadataOf(object), metadataOf(old));
    for (const check of checks) check(errors, object, old, compatible);
  });
}

function compatibleContext(context: ValidationContext, old: object | undefined): ValidationContext {
  const cel = compilerOf(context, old);
  return cel === context.cel ? context : { ...context, cel };
}

interface WarningRun {
  readonly object: object;
  readonly old: object | undefined;
  readonly context: ValidationContext;
}

function runWarnings(
  checks: readonly WarningCheck<object>[] | undefined,
  { object, old, context }: WarningRun,
): string[] {
  const warnings: string[] = [];
  for (const check of checks ?? NO_CHECKS) check(warnings, object, old, context);
  return warnings;
}
