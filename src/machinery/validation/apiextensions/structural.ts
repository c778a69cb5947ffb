/**
 * Structural schemas: the rules that make it possible to prune and default objects by a schema. Every part of an object
 * has its type outside of allOf, anyOf, oneOf and not; inside of these, only values are restricted.
 */
import { append } from '../../../base/index.ts';
import { type FieldError, forbiddenField, invalidValue, path, type Path, required } from '../../errors/index.ts';
import { compareBytes } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import { AT_ONCE, inSteps, type Descend } from './descend.ts';
import { compileGoRegexp, GoRegexpError } from './go-regexp.ts';
import {
  MAX_DEPTH,
  schemaDepth,
  additionalOf,
  hasItems,
  isEmbeddedResource,
  isIntOrString,
  itemListOf,
  itemsOf,
  preservesUnknownFields,
  propertiesOf,
  propertyOf,
  type Schema,
} from './schema-props.ts';

type Level = 'root' | 'item' | 'field';

/** Why a schema has no structural form at all; these reasons overlap with errors that other checks give. */
export function structuralFormProblem(schema: Schema): string | undefined {
  if (knownForm.has(schema)) return undefined;
  const pending = [schema];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const problem = unsupportedField(next);
    if (problem !== undefined) return problem;
    const items = itemsOf(next);
    const additional = additionalOf(next);
    pending.push(
      ...(items ? [items] : []),
      ...Object.values(next.properties ?? {}),
      ...(additional ? [additional] : []),
    );
    pending.push(...(next.allOf ?? []), ...(next.anyOf ?? []), ...(next.oneOf ?? []), ...(next.not ? [next.not] : []));
  }
  return undefined;
}

/** Schemas that `knowStructure` has found right. */
const knownForm = new WeakSet<Schema>();
const knownStructure = new WeakSet<Schema>();

/**
 * The checks of a schema's structure, in steps, so that a large one need not be checked in one go. What they find right is
 * remembered: the schema must not be changed after that. Whether it is right is told.
 */
export function* knowStructure(schema: Schema): Generator<void, boolean> {
  if (schemaDepth(schema) > MAX_DEPTH || structuralFormProblem(schema) !== undefined) return false;
  knownForm.add(schema);
  yield;
  const errors: FieldError[] = [];
  const at = path();
  const right = yield* inSteps(errors, (later) => validateInvariants(errors, schema, { at, level: 'root' }, later));
  if (!right) return false;
  validateCompleteness(errors, schema, schema, { at, shownAt: at });
  if (errors.length > 0) return false;
  knownStructure.add(schema);
  yield;
  return true;
}

function unsupportedField(schema: Schema): string | undefined {
  const unsupported = (name: string): string => `OpenAPIV3Schema '${name}' is not supported`;
  if (schema.id) return unsupported('id');
  if (schema.$schema) return unsupported('schema');
  if (schema.$ref) return unsupported('$ref');
  if (Object.keys(schema.patternProperties ?? {}).length > 0) return unsupported('patternProperties');
  if (Object.keys(schema.dependencies ?? {}).length > 0) return unsupported('dependencies');
  if (schema.additionalItems != null) return unsupported('additionalItems');
  if (Object.keys(schema.definitions ?? {}).length > 0) return unsupported('definitions');
  if (itemListOf(schema).length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  return undefined;
}

/** In the order of their texts, since they are found in no order in particular. */
export function validateStructural(errors: FieldError[], schema: Schema, at: Path): void {
  if (knownStructure.has(schema)) return;
  const found: FieldError[] = [];
  validateInvariants(found, schema, { at, level: 'root' }, AT_ONCE);
  validateCompleteness(found, schema, schema, { at, shownAt: at });
  append(
    errors,
    found.sort((a, b) => compareBytes(a.toString(), b.toString())),
  );
}

export function isStructural(schema: Schema, at: Path): boolean {
  const errors: FieldError[] = [];
  if (structuralFormProblem(schema) !== undefined) return false;
  validateStructural(errors, schema, at);
  return errors.length === 0;
}

const TYPE_NEEDED: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

interface LevelAt {
  readonly at: Path;
  readonly level: Level;
}

function validateInvariants(errors: FieldError[], schema: Schema, { at, level }: LevelAt, descend: Descend): void {
  const below = (inner: Schema, place: LevelAt): void =>
    descend(() => validateInvariants(errors, inner, place, descend));
  const type = schema.type ?? '';
  const embedded = isEmbeddedResource(schema);
  const items = itemsOf(schema);
  if (type === 'array' && !hasItems(schema)) errors.push(required(at.child('items'), 'must be specified'));
  if (items) below(items, { at: at.child('items'), level: 'item' });
  for (const [name, property] of propertiesOf(schema))
    below(property, { at: at.child('properties').key(name), level: 'field' });
  if (schema.additionalProperties != null) {
    const additional = additionalOf(schema);
    if (level === 'root') errors.push(forbiddenField(at.child('additionalProperties'), 'must not be used at the root'));
    if (additional) below(additional, { at: at.child('additionalProperties'), level: 'field' });
  }
  validateExtensions(errors, schema, at);
  validateValueRules(errors, schema, at, intOrStringPattern(schema));
  validateType(errors, schema, at, level);
  if (embedded && schema.additionalProperties != null) {
    errors.push(
      forbiddenField(at.child('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set'),
    );
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalidValue(at.child('type'), type, 'must be object at the root'));
  validateMetadata(errors, schema, at, level);
  if (embedded && !preservesUnknownFields(schema) && propertiesOf(schema).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(at.child('properties'), detail));
  }
}

function validateType(errors: FieldError[], schema: Schema, at: Path, level: Level): void {
  const type = schema.type ?? '';
  const typeAt = at.child('type');
  if (isEmbeddedResource(schema) && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(typeAt, detail) : invalidValue(typeAt, type, detail));
  } else if (type === '' && !isIntOrString(schema) && !preservesUnknownFields(schema)) {
    errors.push(required(typeAt, TYPE_NEEDED[level]));
  }
}

function validateExtensions(errors: FieldError[], schema: Schema, at: Path): void {
  if (!isIntOrString(schema)) return;
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[name] === true)
      errors.push(invalidValue(at.child(name), true, 'must be false if x-kubernetes-int-or-string is true'));
  }
}

/** The name of an object may be restricted; the rest of its metadata is the server's. */
function validateMetadata(errors: FieldError[], schema: Schema, at: Path, level: Level): void {
  const isResource = level === 'root' || isEmbeddedResource(schema);
  const propertyAt = (name: string): Path => at.child('properties').key(name);
  for (const name of ['kind', 'apiVersion']) {
    const property = propertyOf(schema, name);
    if (property && isResource && property.type !== 'string') {
      errors.push(invalidValue(propertyAt(name).child('type'), property.type ?? '', 'must be string'));
    }
  }
  const metadata = propertyOf(schema, 'metadata');
  if (!metadata) return;
  if (isResource && metadata.type !== 'object') {
    errors.push(invalidValue(propertyAt('metadata').child('type'), metadata.type ?? '', 'must be object'));
  }
  if (level === 'root' && specifiesMoreThanNames(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbiddenField(propertyAt('metadata'), detail));
  }
}

function specifiesMoreThanNames(metadata: Schema): boolean {
  const { type: _type, default: _default, properties, ...rest } = metadata;
  const names = Object.keys(properties ?? {});
  const onlyNames = names.every((name) => name === 'name' || name === 'generateName');
  return (
    !onlyNames ||
    Object.values(rest).some((value) => value != null && !semanticEqual(value, []) && value !== false && value !== '')
  );
}

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** In which of the two allowed ways a value that is an integer or a string says so. */
function intOrStringPattern(schema: Schema): { anyOf: boolean; firstAllOf: boolean } {
  return {
    anyOf: semanticEqual(schema.anyOf ?? [], INT_OR_STRING),
    firstAllOf: semanticEqual(schema.allOf?.[0]?.anyOf ?? [], INT_OR_STRING),
  };
}

interface Skips {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

const NO_SKIPS: Skips = { anyOf: false, firstAllOf: false };

function validateValueRules(errors: FieldError[], schema: Schema, at: Path, skip: Skips): void {
  if (!skip.anyOf)
    for (const [i, nested] of (schema.anyOf ?? []).entries())
      validateNested(errors, nested, at.child('anyOf').index(i), NO_SKIPS);
  for (const [i, nested] of (schema.allOf ?? []).entries()) {
    validateNested(errors, nested, at.child('allOf').index(i), {
      anyOf: skip.firstAllOf && i === 0,
      firstAllOf: false,
    });
  }
  for (const [i, nested] of (schema.oneOf ?? []).entries())
    validateNested(errors, nested, at.child('oneOf').index(i), NO_SKIPS);
  if (schema.not) validateNested(errors, schema.not, at.child('not'), NO_SKIPS);
  if (schema.pattern) validatePattern(errors, schema.pattern, at.child('pattern'));
}

function validatePattern(errors: FieldError[], pattern: string, at: Path): void {
  try {
    compileGoRegexp(pattern);
  } catch (error) {
    if (!(error instanceof GoRegexpError)) throw error;
    errors.push(invalidValue(at, pattern, `must be a valid regular expression, but isn't: ${error.message}`));
  }
}

/** What may not stand where only values are restricted, and how each must be. */
const FORBIDDEN_NESTED = [
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
] as const;

function validateNested(errors: FieldError[], schema: Schema, at: Path, skip: Skips): void {
  validateValueRules(errors, schema, at, skip);
  const items = itemsOf(schema);
  if (items) validateNested(errors, items, at.child('items'), NO_SKIPS);
  for (const [name, property] of propertiesOf(schema))
    validateNested(errors, property, at.child('properties').key(name), NO_SKIPS);
  if (schema.type) errors.push(forbiddenField(at.child('type'), 'must be empty to be structural'));
  if (additionalOf(schema) || schema.additionalProperties === true) {
    errors.push(forbiddenField(at.child('additionalProperties'), 'must be undefined to be structural'));
  }
  for (const [name, detail] of FORBIDDEN_NESTED) {
    const value = schema[name];
    if (value == null || value === false || value === '' || (Array.isArray(value) && value.length === 0)) continue;
    errors.push(forbiddenField(at.child(name), detail));
  }
  if (propertyOf(schema, 'metadata')) {
    errors.push(forbiddenField(at.child('properties').key('metadata'), 'must not be specified in a nested context'));
  }
}

/** Where the part is in the structure, and where it is restricted. */
interface Places {
  readonly at: Path;
  readonly shownAt: Path;
}

/** What is restricted somewhere has to have its place in the structure. */
function validateCompleteness(
  errors: FieldError[],
  rules: Schema,
  structure: Schema | undefined,
  { at, shownAt }: Places,
): void {
  const descend = (nested: Schema, step: Path): void =>
    validateNestedCompleteness(errors, nested, structure, { at, shownAt: step });
  if (rules.not) descend(rules.not, shownAt.child('not'));
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, nested] of (rules[name] ?? []).entries()) descend(nested, shownAt.child(name).index(i));
  }
}

function validateNestedCompleteness(
  errors: FieldError[],
  rules: Schema,
  structure: Schema | undefined,
  { at, shownAt }: Places,
): void {
  if (!structure) {
    errors.push(required(at, `because it is defined in ${shownAt}`));
    return;
  }
  validateCompleteness(errors, rules, structure, { at, shownAt });
  const items = itemsOf(rules);
  if (items) {
    const places = { at: at.child('items'), shownAt: shownAt.child('items') };
    validateNestedCompleteness(errors, items, itemsOf(structure), places);
  }
  for (const [name, property] of propertiesOf(rules)) {
    const places = { at: at.child('properties').key(name), shownAt: shownAt.child('properties').key(name) };
    validateNestedCompleteness(errors, property, propertyOf(structure, name), places);
  }
}
