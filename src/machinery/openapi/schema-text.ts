/** Renders the schema of a custom resource as JSON for either version of OpenAPI, one step per nested schema. */
import { isRecord, type JsonObject, type JsonValue, type Steps } from '../../base/index.ts';
import { refWith, type Style } from './references.ts';

/** Keys that version 2 does not have. They are dropped, so that its clients accept what the schema allows. */
const NOT_IN_V2 = new Set(['oneOf', 'anyOf', 'allOf', 'not', 'nullable', 'default']);
const STRUCTURE = new Set(['type', 'properties', 'items', 'additionalProperties', 'required']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf']);
const SCHEMAS = new Set(['items', 'additionalProperties', 'not']);
const MAX_DEPTH = 100;

/** Version 2 omits the type where version 3 allows several types or unknown fields. */
export const hidesStructure = (schema: JsonObject, style: Style): boolean =>
  style === 'v2' &&
  (schema['nullable'] === true ||
    schema['x-kubernetes-int-or-string'] === true ||
    schema['x-kubernetes-preserve-unknown-fields'] === true);

const INT_OR_STRING: JsonObject[] = [{ type: 'integer' }, { type: 'string' }];

const isIntOrString = (anyOf: JsonValue | undefined): boolean =>
  JSON.stringify(anyOf) === JSON.stringify(INT_OR_STRING);

/** Version 3 spells out what x-kubernetes-int-or-string means, unless the schema does. */
function spelledOut(schema: JsonObject): JsonObject {
  if (schema['x-kubernetes-int-or-string'] !== true) return schema;
  const { anyOf, allOf } = schema;
  const all = Array.isArray(allOf) ? allOf : [];
  if (isIntOrString(anyOf) || isIntOrString((all[0] as JsonObject | undefined)?.['anyOf'])) return schema;
  if (anyOf === undefined) return { ...schema, anyOf: INT_OR_STRING };
  return { ...schema, allOf: [{ anyOf: INT_OR_STRING }, ...all] };
}

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

export const metadataOf = (style: Style): JsonObject =>
  refWith(OBJECT_META, style, { description: "Standard object's metadata." });

/** The fields that an x-kubernetes-embedded-resource has without its schema saying so. */
function embedded(schema: JsonObject, style: Style): JsonObject {
  if (schema['x-kubernetes-embedded-resource'] !== true || hidesStructure(schema, style)) return schema;
  const properties = isRecord(schema['properties']) ? (schema['properties'] as JsonObject) : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    ...schema,
    properties: {
      ...properties,
      apiVersion: { description: 'apiVersion defines the group and version of the embedded object.', type: 'string' },
      kind: { description: 'kind is a string value that names what the embedded object is.', type: 'string' },
      metadata: metadataOf(style),
    },
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  };
}

/** The rendered keys of a schema with their values as JSON. */
export function* schemaMembers(given: JsonObject, style: Style, depth = 0): Steps<Map<string, string>> {
  const schema = embedded(style === 'v3' ? spelledOut(given) : given, style);
  const members = new Map<string, string>();
  const hidden = hidesStructure(schema, style);
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || (style === 'v2' && NOT_IN_V2.has(key)) || (hidden && STRUCTURE.has(key))) continue;
    if (key === 'properties' && isRecord(value))
      members.set(key, objectText(yield* propertyMembers(value as JsonObject, style, depth)));
    else if (SCHEMAS.has(key)) members.set(key, yield* textBelow(value, style, depth));
    else if (LISTS.has(key) && Array.isArray(value)) {
      const texts: string[] = [];
      for (const one of value) texts.push(yield* textBelow(one, style, depth));
      members.set(key, `[${texts.join(',')}]`);
    } else members.set(key, JSON.stringify(value));
  }
  yield;
  return members;
}

export function* propertyMembers(properties: JsonObject, style: Style, depth = 0): Steps<Map<string, string>> {
  const members = new Map<string, string>();
  for (const [name, property] of Object.entries(properties))
    members.set(name, yield* textBelow(property, style, depth));
  return members;
}

function* textBelow(value: JsonValue, style: Style, depth: number): Steps<string> {
  if (!isRecord(value)) return JSON.stringify(value);
  return depth + 1 > MAX_DEPTH ? '{}' : objectText(yield* schemaMembers(value as JsonObject, style, depth + 1));
}

export function objectText(members: ReadonlyMap<string, string>): string {
  const texts: string[] = [];
  for (const [name, text] of members) texts.push(`${JSON.stringify(name)}:${text}`);
  return `{${texts.join(',')}}`;
}
