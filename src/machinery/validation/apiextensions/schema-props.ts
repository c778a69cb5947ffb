/** Accessors of JSONSchemaProps, some of whose fields are unions. */
import type { JSONSchemaProps } from '../../../api/generated/apiextensions-v1.ts';
import { append, isRecord, ownValue } from '../../../base/index.ts';

export type Schema = JSONSchemaProps;

const isSchema = (value: unknown): value is Schema => isRecord(value);

/** The schema of an array's items, if it is a single schema. */
export const itemsOf = (schema: Schema): Schema | undefined => (isSchema(schema.items) ? schema.items : undefined);

export const itemListOf = (schema: Schema): readonly Schema[] => (Array.isArray(schema.items) ? schema.items : []);

export const hasItems = (schema: Schema): boolean => schema.items != null;

/** The schema of additionalProperties. */
export const additionalOf = (schema: Schema): Schema | undefined =>
  isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined;

export const propertiesOf = (schema: Schema): [name: string, schema: Schema][] =>
  Object.entries(schema.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** An own property of the schema, never an inherited JavaScript member. */
export const propertyOf = (schema: Schema, name: string): Schema | undefined =>
  schema.properties && Object.hasOwn(schema.properties, name) ? ownValue(schema.properties, name) : undefined;

export const preservesUnknownFields = (schema: Schema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true;
export const isEmbeddedResource = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true;
export const isIntOrString = (schema: Schema): boolean => schema['x-kubernetes-int-or-string'] === true;

/** All direct child schemas. */
function childrenOf(schema: Schema): Schema[] {
  const children: Schema[] = [];
  const add = (value: unknown): void => {
    if (isSchema(value)) children.push(value);
  };
  add(schema.items);
  itemListOf(schema).forEach(add);
  for (const name of ['allOf', 'anyOf', 'oneOf'] as const) (schema[name] ?? []).forEach(add);
  add(schema.not);
  Object.values(schema.properties ?? {}).forEach(add);
  add(schema.additionalProperties);
  Object.values(schema.patternProperties ?? {}).forEach(add);
  add(schema.additionalItems);
  Object.values(schema.definitions ?? {}).forEach(add);
  Object.values(schema.dependencies ?? {}).forEach(add);
  return children;
}

/** Whether the schema or a nested one passes the test. */
export function someSchema(schema: Schema | undefined | null, test: (schema: Schema) => boolean): boolean {
  if (!schema) return false;
  const pending = [schema];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (test(next)) return true;
    append(pending, childrenOf(next));
  }
  return false;
}

/** Deeper schemas are refused. */
export const MAX_DEPTH = 1000;

/** The nesting depth of a schema. */
export function schemaDepth(schema: Schema): number {
  let level = [schema];
  let depth = 0;
  for (; level.length > 0; depth++) level = level.flatMap(childrenOf);
  return depth;
}
