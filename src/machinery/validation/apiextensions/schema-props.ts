/** How to walk a custom resource's schema: some of its fields hold a schema or something else. */
import type { JSONSchemaProps } from '../../../api/generated/apiextensions-v1.ts';
import { append, isRecord, ownValue } from '../../../base/index.ts';

export type Schema = JSONSchemaProps;

const isSchema = (value: unknown): value is Schema => isRecord(value);

/** The schema of an array's items, where there is one and not a list of them. */
export const itemsOf = (schema: Schema): Schema | undefined => (isSchema(schema.items) ? schema.items : undefined);

export const itemListOf = (schema: Schema): readonly Schema[] => (Array.isArray(schema.items) ? schema.items : []);

export const hasItems = (schema: Schema): boolean => schema.items != null;

/** The schema of the values that have no property of their own. */
export const additionalOf = (schema: Schema): Schema | undefined =>
  isSchema(schema.additionalProperties) ? schema.additionalProperties : undefined;

export const propertiesOf = (schema: Schema): [name: string, schema: Schema][] =>
  Object.entries(schema.properties ?? {}).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** A property by its name, and not what every JavaScript object has. */
export const propertyOf = (schema: Schema, name: string): Schema | undefined =>
  schema.properties && Object.hasOwn(schema.properties, name) ? ownValue(schema.properties, name) : undefined;

export const preservesUnknownFields = (schema: Schema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true;
export const isEmbeddedResource = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true;
export const isIntOrString = (schema: Schema): boolean => schema['x-kubernetes-int-or-string'] === true;

/** Every schema directly inside this one, of whatever kind. */
export function childrenOf(schema: Schema): Schema[] {
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

/** Whether some schema, this one or one inside it, is as asked. */
export function someSchema(schema: Schema | undefined | null, test: (schema: Schema) => boolean): boolean {
  if (!schema) return false;
  const pending = [schema];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (test(next)) return true;
    append(pending, childrenOf(next));
  }
  return false;
}

/** Deeper schemas describe nothing that the server could handle. */
export const MAX_DEPTH = 1000;

/** How many schemas stand inside each other at most. */
export function schemaDepth(schema: Schema): number {
  let level = [schema];
  let depth = 0;
  for (; level.length > 0; depth++) level = level.flatMap(childrenOf);
  return depth;
}
