/** Validates custom resources: metadata, schema, list types, CEL rules and scale. */
import type { CustomResourceSubresourceScale } from '../../api/generated/apiextensions-v1.ts';
import { apiVersionOf, type GroupVersionKind } from '../../api/index.ts';
import { append } from '../../base/index.ts';
import type { SchemaRules } from '../../cel/index.ts';
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
  const { schema, scale } = kind;
  /** The warnings that came up while an object was checked, until somebody asks for them. */
  const ratcheted = new WeakMap<object, string[]>();
  const statusSchema = schema && propertyOf(schema, 'status');
  const [compiled, compiledStatus] = [schema, statusSchema].map((one) =>
    lazy(() => (one ? compileValidator(one) : () => true)),
  );
  const valid = (object: unknown): boolean => compiled!()(object);
  const statusValid = (status: unknown): boolean => compiledStatus!()(status);
  const lists = lazy(() => schema !== undefined && hasListTypes(schema));
  const embedded = lazy(() => schema !== undefined && hasEmbedded(schema));

  const runRules = (errors: FieldError[], object: KubeObject, old: KubeObject | undefined): void => {
    const rules = kind.rules();
    if (!rules) return;
    if (errors.some(({ type }) => BLOCKING.has(type))) {
      errors.push(new FieldError('FieldValueInvalid', '<nil>', null, NOT_CHECKED));
      return;
    }
    const warnings: string[] = [];
    rules.validate(errors, warnings, object, old);
    if (warnings.length > 0) ratcheted.set(object, warnings);
  };

  const listErrors = (object: KubeObject): FieldError[] => {
    const errors: FieldError[] = [];
    if (lists()) validateListTypes(errors, object, schema, WHOLE);
    return errors;
  };

  return {
    create: [
      (errors, object) => {
        if (!isOwnKind(errors, object, kind)) return;
        validateObjectMeta(errors, object.metadata, {
          namespaced: kind.namespaced,
          name: nameIsDnsSubdomain,
          unqualifiedFinalizers: true,
        });
        if (schema && !valid(object)) validateValue(errors, object, schema);
        validateScaleSpec(errors, object, scale);
        validateScaleStatus(errors, object, scale);
        if (embedded()) validateEmbeddedMetadata(errors, object, schema, WHOLE, false);
        append(errors, listErrors(object));
        runRules(errors, object, undefined);
      },
    ],
    update: [
      (errors, object, old) => {
        if (!isOwnKind(errors, object, kind)) return;
        validateAnyObjectMetaUpdate(errors, object.metadata, old.metadata);
        if (schema && !valid(object)) validateValue(errors, object, schema, undefined, old);
        validateScaleSpec(errors, object, scale);
        validateScaleStatus(errors, object, scale);
        if (embedded()) validateEmbeddedMetadata(errors, object, schema, WHOLE, false);
        const found = listErrors(object);
        if (found.length > 0 && listErrors(old).length === 0) append(errors, found);
        runRules(errors, object, old);
      },
    ],
    status: [
      (errors, object, old) => {
        if (!isOwnKind(errors, object, kind)) return;
        validateAnyObjectMetaUpdate(errors, object.metadata, old.metadata);
        if (statusSchema && 'status' in object && !statusValid(object['status'])) {
          validateValue(errors, object['status'], statusSchema, path('status'), old['status']);
        }
        validateScaleStatus(errors, object, scale);
        const found = listErrors(object);
        if (found.length > 0 && listErrors(old).length === 0) append(errors, found);
        runRules(errors, object, old);
      },
    ],
    warnings: [
      (warnings, object, old) => {
        append(warnings, ratcheted.get(object) ?? []);
        finalizerWarnings(warnings, object.metadata, old?.metadata);
      },
    ],
    statusWarnings: [(warnings, object) => append(warnings, ratcheted.get(object) ?? [])],
  };
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
