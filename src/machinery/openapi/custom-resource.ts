import type { Resource } from '../../api/index.ts';
import { isRecord, type JsonObject, type JsonValue } from '../object.ts';
import { API_VERSION_AND_KIND, refTo, refWith, type Style } from './definitions.ts';
import type { OpenApiResource } from './operations.ts';

/** A version of a custom resource: the resource as it is served, and the definition's schema. */
export interface CustomResourceApi {
  readonly resource: Pick<Resource, 'group' | 'version' | 'kind' | 'plural' | 'namespaced' | 'verbs' | 'subresources' | 'listKind'>;
  /** `spec.versions[].schema.openAPIV3Schema`; absent where anything goes. */
  readonly schema?: JsonObject;
  /** `spec.preserveUnknownFields` of old definitions. */
  readonly preserveUnknownFields?: boolean;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const ANYTHING: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** `com.example.stable.v1.CronTab` */
export const customDefinitionName = ({ group, version }: { group: string; version: string }, kind: string): string =>
  [...group.split('.').reverse(), version, kind].join('.');

export const customOpenApiResource = ({ resource }: CustomResourceApi): OpenApiResource => ({
  ...resource,
  custom: true,
  definition: customDefinitionName(resource, resource.kind),
  listDefinition: customDefinitionName(resource, resource.listKind),
});

/** The definitions of the kind and of its list, by name. */
export function customDefinitions(api: CustomResourceApi, style: Style): [string, JsonObject][] {
  const { group, version, kind, listKind } = api.resource;
  const name = customDefinitionName(api.resource, kind);
  const gvk = (named: string): JsonObject[] => [{ group, kind: named, version }];
  const schema = api.schema === undefined || api.preserveUnknownFields ? ANYTHING : styled(api.schema, style);
  const properties = isRecord(schema['properties']) ? (schema['properties'] as JsonObject) : {};
  const object: JsonObject = {
    ...schema,
    type: 'object',
    properties: { ...properties, ...API_VERSION_AND_KIND, metadata: refWith(`${META}ObjectMeta`, style, { description: 'Standard metadata of the object.' }) },
    'x-kubernetes-group-version-kind': gvk(kind),
  };
  const list: JsonObject = {
    description: `A list of ${kind} objects.`,
    type: 'object',
    required: ['items'],
    properties: {
      ...API_VERSION_AND_KIND,
      metadata: refWith(`${META}ListMeta`, style, { description: 'Standard list metadata.' }),
      items: { description: 'The objects of the list.', type: 'array', items: refTo(name, style) },
    },
    'x-kubernetes-group-version-kind': gvk(listKind),
  };
  return [
    [name, object],
    [customDefinitionName(api.resource, listKind), list],
  ];
}

/** What version 2 of OpenAPI cannot say; clients of it must not refuse what the schema allows. */
const NOT_IN_V2 = ['oneOf', 'anyOf', 'allOf', 'not', 'nullable', 'default'];
const MAX_DEPTH = 100;

function styled(schema: JsonObject, style: Style, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) return {};
  const into: JsonObject = {};
  const below = (value: JsonValue): JsonValue => (isRecord(value) ? styled(value as JsonObject, style, depth + 1) : value);
  for (const [key, value] of Object.entries(schema)) {
    if (style === 'v2' && NOT_IN_V2.includes(key)) continue;
    if (key === 'properties' && isRecord(value)) into[key] = mapValues(value as JsonObject, below);
    else if (key === 'items' || key === 'additionalProperties' || key === 'not') into[key] = below(value);
    else if (['allOf', 'anyOf', 'oneOf'].includes(key) && Array.isArray(value)) into[key] = value.map(below);
    else into[key] = value;
  }
  return style === 'v2' ? lenient(schema, into) : into;
}

/** Where version 3 allows several types or unknown fields, version 2 says no type at all. */
function lenient(schema: JsonObject, into: JsonObject): JsonObject {
  const isOpen = schema['nullable'] === true || schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (!isOpen) return into;
  const { type: _type, properties: _properties, items: _items, additionalProperties: _additional, required: _required, ...rest } = into;
  return rest;
}

const mapValues = (object: JsonObject, map: (value: JsonValue) => JsonValue): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
