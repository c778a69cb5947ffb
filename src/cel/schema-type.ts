/** Converts a custom resource's schema to a CEL type, with the size limits that cost estimation needs. */
import {
  additionalOf,
  isEmbeddedResource,
  isIntOrString,
  itemsOf,
  type Schema,
} from '../machinery/validation/index.ts';
import { escapeName } from './escape-name.ts';
import { BOOL, DOUBLE, INT, STRING, type CelType, type ObjectField, type ObjectType } from './types.ts';

const MAX_REQUEST_SIZE = 3 * 1024 * 1024;
const MAX_STRING_SIZE = MAX_REQUEST_SIZE - 2;
const DURATION_SIZE = { maxElements: 32, minSize: 3 };
const DATE_SIZE = { maxElements: 12, minSize: 12 };
const DATE_TIME_SIZE = { maxElements: 32, minSize: 21 };
const MIN_STRING_SIZE = 2;

const RESOURCE_PROPERTIES: Readonly<Record<string, Schema>> = {
  kind: { type: 'string' },
  apiVersion: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

/** The rules of a resource can always read its kind, apiVersion and name. */
export const asResource = (schema: Schema): Schema => ({
  ...schema,
  properties: { ...schema.properties, ...RESOURCE_PROPERTIES },
});

/** The maximum number of values of a type in one request. */
export const maxCardinality = (type: CelType): number => Math.floor(MAX_REQUEST_SIZE / ((type.minSize ?? 1) + 1));

/** Undefined for a schema without a type, which rules cannot access. */
export function schemaType(given: Schema, isResource: boolean, name = 'self'): CelType | undefined {
  if (isIntOrString(given))
    return {
      kind: 'dyn',
      minSize: 1,
      maxElements: given.maxLength == null ? MAX_STRING_SIZE : Math.max(0, given.maxLength) * 4,
    };
  const schema = isResource ? asResource(given) : given;
  switch (schema.type) {
    case 'array':
      return listType(schema, name);
    case 'object':
      return additionalOf(schema) ? mapType(schema, name) : objectType(schema, name);
    case 'string':
      return stringType(schema);
    case 'boolean':
      return { ...BOOL, minSize: 4 };
    case 'number':
      return { ...DOUBLE, minSize: 1 };
    case 'integer':
      return { ...INT, minSize: 1 };
    default:
      return undefined;
  }
}

function listType(schema: Schema, name: string): CelType | undefined {
  const items = itemsOf(schema);
  const element = items && schemaType(items, isEmbeddedResource(items), `${name}.@idx`);
  if (!element) return undefined;
  const maxElements =
    schema.maxItems == null
      ? Math.floor((MAX_REQUEST_SIZE - 2) / ((element.minSize ?? 0) + 1))
      : Math.max(0, schema.maxItems);
  return { kind: 'list', element, maxElements, minSize: 2 };
}

function mapType(schema: Schema, name: string): CelType | undefined {
  const additional = additionalOf(schema)!;
  const value = schemaType(additional, isEmbeddedResource(additional), `${name}.@elem`);
  if (!value) return undefined;
  const maxElements =
    schema.maxProperties == null
      ? Math.floor((MAX_REQUEST_SIZE - 2) / ((value.minSize ?? 0) + 6))
      : Math.max(0, schema.maxProperties);
  return {
    kind: 'map',
    // Upstream gives keys no size, whatever the longest may be.
    key: { ...STRING, minSize: MIN_STRING_SIZE, maxElements: 0 },
    value,
    maxElements,
    minSize: 2,
  };
}

function objectType(schema: Schema, name: string): ObjectType {
  const fields = new Map<string, ObjectField>();
  const required = new Set(schema.required);
  let minSize = 2;
  for (const [property, part] of Object.entries(schema.properties ?? {})) {
    const type = schemaType(part, isEmbeddedResource(part), `${name}.${property}`);
    if (!type) continue;
    const escaped = escapeName(property);
    if (escaped !== undefined) fields.set(escaped, { type, name: property });
    if (required.has(property) && part.default == null)
      minSize += Buffer.byteLength(property) + (type.minSize ?? 0) + 4;
  }
  return { kind: 'object', name, fields, minSize };
}

function stringType(schema: Schema): CelType {
  switch (schema.format) {
    case 'byte':
      return {
        kind: 'bytes',
        minSize: MIN_STRING_SIZE,
        maxElements: schema.maxLength == null ? MAX_STRING_SIZE : Math.max(0, schema.maxLength),
      };
    case 'duration':
      return { kind: 'duration', ...DURATION_SIZE };
    case 'date':
      return { kind: 'timestamp', ...DATE_SIZE };
    case 'date-time':
      return { kind: 'timestamp', ...DATE_TIME_SIZE };
  }
  return { kind: 'string', minSize: MIN_STRING_SIZE, maxElements: maxStringSize(schema) };
}

/** In bytes: maxLength counts characters, and one character takes up to four bytes. */
function maxStringSize(schema: Schema): number {
  if (schema.maxLength != null) return Math.max(0, schema.maxLength) * 4;
  const texts = schema.enum ?? [];
  if (texts.length === 0) return MAX_STRING_SIZE;
  return Math.max(0, ...texts.map((text) => (typeof text === 'string' ? Buffer.byteLength(text) : 0)));
}
