/** Validates custom resources: metadata, schema, list types, CEL rules and scale. */
import type { CustomResourceSubresourceScale } from '../../api/generated/apiextensions-v1.ts';
import { apiVersionOf, type GroupVersionKind } from '../../api/index.ts';
import { append } from '../../base/index.ts';
import { Allowance, type SchemaRules } from '../../cel/index.ts';
import { FieldError, invalidValue, path } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { nameIsDnsSubdomain } from '../../machinery/names/index.ts';
import {
  additionalOf,
  isEmbeddedResource,
  itemsOf,
  type KindValidation,
  propertiesOf,
  propertyOf,
  type Schema,
  validateAnyObjectMetaUpdate,
  validateEmbeddedMetadata,
  validateListTypes,
  validateObjectMeta,
  validateValue,
  withCompatibleFormats,
  type ValidationContext,
} from '../../machinery/validation/index.ts';
import { compileValidator } from './compile-validator.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import { lazy } from './lazy.ts';
import { validateScaleSpec, validateScaleStatus } from './scale-paths.ts';

interface CustomKind extends GroupVersionKind {
  readonly namespaced: boolean;
  readonly schema: Schema | undefined;
  readonly hasStatus: boolean;
  readonly scale: CustomResourceSubresourceScale | undefined;
  /** The CEL rules, compiled on first use. */
  rules(): SchemaRules | undefined;
}

const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
const WHOLE = path();

export function customValidation(kind: CustomKind): KindValidation<KubeObject> {
  const validation = new CustomValidation(kind);
  return {
    create: [(errors, object, context) => validation.create(errors, object, context)],
    update: [(errors, object, old, context) => validation.update(errors, object, old, context)],
    status: [(errors, object, old, context) => validation.status(errors, object, old, context)],
    warnings: [
      (warnings, object, old) => {
        append(warnings, validation.ratchetingWarnings(object));
        finalizerWarnings(warnings, object.metadata, old?.metadata);
      },
    ],
    refusalWarnings: (object) => validation.ratchetingWarnings(object),
    statusWarnings: [(warnings, object) => append(warnings, validation.ratchetingWarnings(object))],
  };
}

/** The compiled forms are made on first use. */
interface Validator {
  readonly schema: Schema | undefined;
  readonly statusSchema: Schema | undefined;
  readonly isValid: () => (value: unknown) => boolean;
  readonly isValidStatus: () => (value: unknown) => boolean;
}

function validatorOf(given: Schema | undefined, compatibility: number | undefined): Validator {
  const schema = given && compatibility !== undefined ? withCompatibleFormats(given, compatibility) : given;
  const statusSchema = schema && propertyOf(schema, 'status');
  return {
    schema,
    statusSchema,
    isValid: lazy(() => (schema ? compileValidator(schema) : () => true)),
    isValidStatus: lazy(() => (statusSchema ? compileValidator(statusSchema) : () => true)),
  };
}

class CustomValidation {
  readonly #kind: CustomKind;
  readonly #validatorOf: (compatibility?: number) => Validator;
  readonly #hasListTypes: () => boolean;
  readonly #hasEmbedded: () => boolean;
  /** The warnings of CEL rules, from the validation of an object until they are read. */
  readonly #warnings = new WeakMap<object, string[]>();

  constructor(kind: CustomKind) {
    const { schema } = kind;
    this.#kind = kind;
    let validator: Validator | undefined;
    // A server has one compatibility.
    this.#validatorOf = (compatibility) => (validator ??= validatorOf(schema, compatibility));
    this.#hasListTypes = lazy(() => schema !== undefined && hasListTypes(schema));
    this.#hasEmbedded = lazy(() => schema !== undefined && hasEmbedded(schema));
  }

  create(errors: FieldError[], object: KubeObject, context: ValidationContext): void {
    if (!isOwnKind(errors, object, this.#kind)) return;
    validateObjectMeta(errors, object.metadata, {
      namespaced: this.#kind.namespaced,
      name: nameIsDnsSubdomain,
      unqualifiedFinalizers: true,
    });
    this.#validateSchema(errors, object, undefined, context);
    append(errors, this.#listErrors(object));
    this.#validateRules(errors, object, undefined, context);
  }

  update(errors: FieldError[], object: KubeObject, old: KubeObject, context: ValidationContext): void {
    if (!isOwnKind(errors, object, this.#kind)) return;
    validateAnyObjectMetaUpdate(errors, object.metadata, old.metadata);
    this.#validateSchema(errors, object, old, context);
    append(errors, this.#newListErrors(object, old));
    this.#validateRules(errors, object, old, context);
  }

  status(errors: FieldError[], object: KubeObject, old: KubeObject, context: ValidationContext): void {
    if (!isOwnKind(errors, object, this.#kind)) return;
    validateAnyObjectMetaUpdate(errors, object.metadata, old.metadata);
    const { statusSchema, isValidStatus } = this.#validatorOf(context.compatibility);
    if (statusSchema && 'status' in object && !isValidStatus()(object['status']))
      validateValue(errors, object['status'], statusSchema, path('status'), old['status']);
    validateScaleStatus(errors, object, this.#kind.scale);
    append(errors, this.#newListErrors(object, old));
    this.#validateRules(errors, object, old, context);
  }

  ratchetingWarnings(object: KubeObject): readonly string[] {
    return this.#warnings.get(object) ?? [];
  }

  #validateSchema(
    errors: FieldError[],
    object: KubeObject,
    old: KubeObject | undefined,
    { compatibility }: ValidationContext,
  ): void {
    const { scale } = this.#kind;
    const { schema, isValid } = this.#validatorOf(compatibility);
    if (schema && !isValid()(object)) validateValue(errors, object, schema, undefined, old);
    validateScaleSpec(errors, object, scale);
    validateScaleStatus(errors, object, scale);
    if (this.#hasEmbedded()) validateEmbeddedMetadata(errors, object, schema, WHOLE, false);
  }

  #listErrors(object: KubeObject): FieldError[] {
    const errors: FieldError[] = [];
    if (this.#hasListTypes()) validateListTypes(errors, object, this.#kind.schema, WHOLE);
    return errors;
  }

  /** An object that already had list errors may keep them. */
  #newListErrors(object: KubeObject, old: KubeObject): FieldError[] {
    const errors = this.#listErrors(object);
    return errors.length > 0 && this.#listErrors(old).length === 0 ? errors : [];
  }

  #validateRules(
    errors: FieldError[],
    object: KubeObject,
    old: KubeObject | undefined,
    { ruleAllowance }: ValidationContext,
  ): void {
    const rules = this.#kind.rules();
    if (!rules) return;
    if (errors.some(({ type }) => BLOCKING.has(type))) {
      errors.push(new FieldError('FieldValueInvalid', '<nil>', null, NOT_CHECKED));
      return;
    }
    const warnings: string[] = [];
    const allowance = ruleAllowance === undefined ? undefined : new Allowance(ruleAllowance);
    rules.validate(errors, warnings, object, old, allowance);
    if (warnings.length > 0) this.#warnings.set(object, warnings);
  }
}

function isOwnKind(errors: FieldError[], object: KubeObject, kind: GroupVersionKind): boolean {
  const before = errors.length;
  if (object.kind !== kind.kind) errors.push(invalidValue(path('kind'), object.kind, `must be ${kind.kind}`));
  const apiVersion = apiVersionOf(kind);
  if (object.apiVersion !== apiVersion)
    errors.push(invalidValue(path('apiVersion'), object.apiVersion, `must be ${apiVersion}`));
  return errors.length === before;
}

const partsOf = (schema: Schema): Schema[] =>
  [itemsOf(schema), additionalOf(schema), ...propertiesOf(schema).map(([, property]) => property)].filter(
    (part) => part !== undefined,
  );

function some(schema: Schema, test: (schema: Schema) => boolean): boolean {
  const pending = [schema];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (test(next)) return true;
    append(pending, partsOf(next));
  }
  return false;
}

const hasListTypes = (schema: Schema): boolean =>
  some(schema, (one) => one['x-kubernetes-list-type'] === 'set' || one['x-kubernetes-list-type'] === 'map');

const hasEmbedded = (schema: Schema): boolean => partsOf(schema).some((part) => some(part, isEmbeddedResource));
