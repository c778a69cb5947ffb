/** Validates a definition's schema node by node, except for its structure. */
import { append } from '../../../base/index.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  path,
  type Path,
  required,
  Verbatim,
} from '../../errors/index.ts';
import { goJson } from '../go-struct.ts';
import { inSteps } from './descend.ts';
import { validateCelRules, type CelSchemaContext } from './schema-cel.ts';
import type { SchemaErrors } from './schema-errors.ts';
import {
  additionalOf,
  hasItems,
  isEmbeddedResource,
  itemListOf,
  itemsOf,
  propertiesOf,
  propertyOf,
  type Schema,
} from './schema-props.ts';

export const SCHEMA_TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const RESOURCE_FIELDS = ['metadata', 'kind', 'apiVersion'];
const ROOT = path();

/** Rules that are relaxed on update if the stored definition violates them already. */
export interface SchemaRules {
  readonly validTypes: boolean;
  readonly atomicSets: boolean;
  readonly mapListKeys: boolean;
}

interface NodeContext {
  readonly rules: SchemaRules;
  readonly isRoot: boolean;
  readonly insideMeta: boolean;
  /** The reason why defaults are forbidden here; absent if they are allowed. */
  readonly noDefaults: string | undefined;
  /** The path of the nearest ancestor whose old and new elements cannot be correlated. */
  readonly uncorrelatable: Path | undefined;
  /** Absent if CEL rules are not compiled. */
  readonly cel: CelSchemaContext | undefined;
}

interface SchemaScope {
  readonly rules: SchemaRules;
  readonly cel: CelSchemaContext | undefined;
}

const rootContext = (scope: SchemaScope): NodeContext => ({
  ...scope,
  isRoot: true,
  insideMeta: false,
  noDefaults: undefined,
  uncorrelatable: undefined,
});

export function validateSchema(schema: Schema, at: Path, scope: SchemaScope): SchemaErrors {
  return validateBelow(schema, at, rootContext(scope));
}

/** Validates a schema in steps; returns false at the first error. */
export function* isValidSchema(schema: Schema, at: Path, scope: SchemaScope): Generator<void, boolean> {
  const errors: FieldError[] = [];
  const found: SchemaErrors = { schema: errors, cel: errors };
  return yield* inSteps(errors, (later) => {
    const visit = (node: Schema, nodeAt: Path, context: NodeContext): void =>
      validateNode(found, node, nodeAt, context, (child, childAt, change) =>
        later(() => visit(child, childAt, { ...context, isRoot: false, ...change })),
      );
    visit(schema, at, rootContext(scope));
  });
}

function validateBelow(schema: Schema, at: Path, context: NodeContext): SchemaErrors {
  const found: SchemaErrors = { schema: [], cel: [] };
  validateNode(found, schema, at, context, (child, childAt, change) => {
    const inner = validateBelow(child, childAt, { ...context, isRoot: false, ...change });
    append(found.schema, inner.schema);
    append(found.cel, inner.cel);
  });
  return found;
}

function validateNode(found: SchemaErrors, schema: Schema, at: Path, context: NodeContext, descend: Descend): void {
  validateSupported(found.schema, schema, at, context);
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    found.schema.push(forbiddenField(at.child('uniqueItems'), detail));
  }
  validateAdditionalProperties(found.schema, schema, at, context, descend);
  validateProperties(schema, at, context, descend);
  const withoutCel = { cel: undefined };
  if (schema.not) descend(schema.not, at.child('not'), withoutCel);
  for (const name of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, nested] of (schema[name] ?? []).entries()) descend(nested, at.child(name).index(i), withoutCel);
  }
  for (const [name, nested] of Object.entries(schema.definitions ?? {}))
    descend(nested, at.child('definitions').key(name), withoutCel);
  validateItems(schema, at, context, descend);
  for (const [name, nested] of Object.entries(schema.dependencies ?? {})) {
    // What is neither a schema nor a list of names was decoded as null.
    if (nested !== null && !Array.isArray(nested)) descend(nested, at.child('dependencies').key(name), withoutCel);
  }
  validateMapAndListTypes(found.schema, schema, at, context.rules);
  validateCelRules(found, schema, at, { context: context.cel, uncorrelatable: context.uncorrelatable });
}

type Descend = (child: Schema, at: Path, change: Partial<NodeContext>) => void;

/** Refuses parts of JSON schema that OpenAPI v3 does not have or that definitions must not use. */
function validateSupported(
  errors: FieldError[],
  schema: Schema,
  at: Path,
  { rules, noDefaults, insideMeta }: NodeContext,
): void {
  const unsupported = (name: string): void => {
    errors.push(forbiddenField(at.child(name), `${name} is not supported`));
  };
  if (rules.validTypes && schema.type && !SCHEMA_TYPES.includes(schema.type)) {
    errors.push(notSupported(at.child('type'), schema.type, SCHEMA_TYPES));
  }
  if (schema.default != null && noDefaults !== undefined)
    errors.push(forbiddenField(at.child('default'), `must not be set ${noDefaults}`));
  if (schema.id) unsupported('id');
  if (schema.additionalItems != null) unsupported('additionalItems');
  if (Object.keys(schema.patternProperties ?? {}).length > 0) unsupported('patternProperties');
  if (Object.keys(schema.definitions ?? {}).length > 0) unsupported('definitions');
  if (schema.dependencies != null) unsupported('dependencies');
  if (schema.$ref != null) unsupported('$ref');
  if (schema.type === 'null')
    errors.push(forbiddenField(at.child('type'), 'type cannot be set to null, use nullable as an alternative'));
  if (itemListOf(schema).length > 0)
    errors.push(forbiddenField(at.child('items'), 'items must be a schema object and not an array'));
  if (insideMeta && isEmbeddedResource(schema)) {
    errors.push(forbiddenField(at.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta'));
  }
}

function validateAdditionalProperties(
  errors: FieldError[],
  schema: Schema,
  at: Path,
  context: NodeContext,
  descend: Descend,
): void {
  if (schema.additionalProperties == null) return;
  const additional = additionalOf(schema);
  if (propertiesOf(schema).length > 0 && schema.additionalProperties !== true) {
    errors.push(
      forbiddenField(at.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive'),
    );
  }
  if (!additional) return;
  const noDefaults = context.insideMeta
    ? 'inside additionalProperties applying to object metadata'
    : context.noDefaults;
  descend(additional, at.child('additionalProperties'), { noDefaults, cel: context.cel?.child(schema) });
}

const CORRELATABLE_MAP_TYPES: readonly string[] = ['granular', 'atomic'];

function validateProperties(schema: Schema, at: Path, context: NodeContext, descend: Descend): void {
  // Rules also see the old value of a property of an atomic map; properties of an unknown map type have no old value.
  const correlatable = CORRELATABLE_MAP_TYPES.includes(schema['x-kubernetes-map-type'] ?? 'granular');
  for (const [name, property] of propertiesOf(schema)) {
    const meta = (context.isRoot || isEmbeddedResource(schema)) && RESOURCE_FIELDS.includes(name);
    descend(property, at.child('properties').key(name), {
      uncorrelatable: context.uncorrelatable ?? (correlatable ? undefined : at),
      insideMeta: context.insideMeta || meta,
      noDefaults: meta && context.isRoot ? `in top-level ${name}` : context.noDefaults,
      cel: context.cel?.child(schema),
    });
  }
}

function validateItems(schema: Schema, at: Path, context: NodeContext, descend: Descend): void {
  const uncorrelatable = context.uncorrelatable ?? (schema['x-kubernetes-list-type'] === 'map' ? undefined : at);
  const items = itemsOf(schema);
  if (items) descend(items, at.child('items'), { uncorrelatable, cel: context.cel?.child(schema) });
  for (const [i, item] of itemListOf(schema).entries()) {
    descend(item, at.child('items').index(i), { uncorrelatable, cel: context.cel?.child(schema) });
  }
}

function validateMapAndListTypes(errors: FieldError[], schema: Schema, at: Path, rules: SchemaRules): void {
  const { 'x-kubernetes-map-type': mapType, 'x-kubernetes-list-type': listType } = schema;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.push(invalidValue(at.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined'));
  }
  if (mapType != null) validateTypeIs(errors, schema, at, ['object', 'x-kubernetes-map-type']);
  if (mapType != null && mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(at.child('x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
  if (listType != null && schema.type !== 'array')
    validateTypeIs(errors, schema, at, ['array', 'x-kubernetes-list-type']);
  else if (rules.atomicSets && listType === 'set') validateSetItems(errors, schema, at);
  if (listType != null && !['atomic', 'set', 'map'].includes(listType)) {
    errors.push(notSupported(at.child('x-kubernetes-list-type'), listType, ['atomic', 'set', 'map']));
  }
  if (schema['x-kubernetes-list-map-keys']?.length) {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    if (listType == null) errors.push(required(at.child('x-kubernetes-list-type'), detail));
    else if (listType !== 'map') errors.push(invalidValue(at.child('x-kubernetes-list-type'), listType, detail));
  }
  if (listType === 'map') validateMapList(errors, schema, at);
  if (rules.mapListKeys) validateMapListKeys(errors, schema, at);
}

function validateTypeIs(
  errors: FieldError[],
  schema: Schema,
  at: Path,
  [type, because]: readonly [type: string, because: string],
): void {
  if (schema.type === type) return;
  const detail = `must be ${type} if ${because} is specified`;
  errors.push(schema.type ? invalidValue(at.child('type'), schema.type, detail) : required(at.child('type'), detail));
}

/** Elements of a set are compared as a whole, so they must be atomic. */
export function hasMergeableSetItems(schema: Schema): boolean {
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-list-type'] === 'set') validateSetItems(errors, schema, ROOT);
  return errors.length > 0;
}

function validateSetItems(errors: FieldError[], schema: Schema, at: Path): void {
  const items = itemsOf(schema);
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = items?.['x-kubernetes-list-type'];
  const mapType = items?.['x-kubernetes-map-type'];
  if (items?.type === 'array' && listType != null && listType !== 'atomic') {
    errors.push(invalidValue(at.child('items', 'x-kubernetes-list-type'), listType, detail));
  }
  if (items?.type === 'object' && mapType !== 'atomic') {
    errors.push(invalidValue(at.child('items', 'x-kubernetes-map-type'), listType ?? null, detail));
  }
}

function validateMapList(errors: FieldError[], schema: Schema, at: Path): void {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keysAt = at.child('x-kubernetes-list-map-keys');
  const items = itemsOf(schema);
  if (keys.length === 0) errors.push(required(keysAt, 'must not be empty if x-kubernetes-list-type is map'));
  if (!hasItems(schema))
    errors.push(required(at.child('items'), 'must have a schema if x-kubernetes-list-type is map'));
  else if (!items) {
    const shown = new Verbatim(goJson(schema.items));
    errors.push(
      invalidValue(at.child('items'), shown, 'must only have a single schema if x-kubernetes-list-type is map'),
    );
  } else if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalidValue(at.child('items', 'type'), items.type ?? '', detail));
  } else {
    const seen = new Set<string>();
    for (const key of keys) {
      const property = propertyOf(items, key);
      if (!property) errors.push(invalidValue(keysAt, keys, 'entries must all be names of item properties'));
      else if (property.type === 'array' || property.type === 'object') {
        const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
        errors.push(invalidValue(at.child('items', 'properties').key(key).child('type'), items.type, detail));
      }
      if (seen.has(key)) errors.push(invalidValue(keysAt, keys, 'must not contain duplicate entries'));
      seen.add(key);
    }
  }
}

/** Keys of a map list must be required or have a default, and must not be nullable. */
export function validateMapListKeys(errors: FieldError[], schema: Schema, at: Path): void {
  const items = itemsOf(schema);
  const listType = schema['x-kubernetes-list-type'];
  if (!items || (listType !== 'set' && listType !== 'map')) return;
  const itemsAt = at.child('items');
  if (items.nullable)
    errors.push(
      forbiddenField(itemsAt.child('nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  if (listType !== 'map') return;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = propertyOf(items, key);
    if (!property) continue;
    const because = 'this property is in x-kubernetes-list-map-keys, so it';
    const propertyAt = itemsAt.child('properties').key(key);
    if (!items.required?.includes(key) && property.default == null) {
      errors.push(required(propertyAt.child('default'), `${because} must have a default or be a required property`));
    }
    if (property.nullable) errors.push(forbiddenField(propertyAt.child('nullable'), `${because} cannot be nullable`));
  }
}
