/** OpenAPI definitions of custom resources. */
import type { Resource } from '../../api/index.ts';
import { isRecord, type JsonObject, type Steps } from '../../base/index.ts';
import { API_VERSION_AND_KIND } from './definitions.ts';
import type { OpenApiResource } from './operations.ts';
import { member, type Member } from './part.ts';
import { refTo, refWith, type Style } from './references.ts';
import { hidesStructure, metadataOf, objectText, propertyMembers, schemaMembers } from './schema-text.ts';

/** A served version of a custom resource with its schema. */
export interface CustomResourceApi {
  readonly resource: Pick<
    Resource,
    'group' | 'version' | 'kind' | 'plural' | 'namespaced' | 'verbs' | 'subresources' | 'listKind'
  > &
    Partial<Pick<Resource, 'selectableFields'>>;
  /** `spec.versions[].schema.openAPIV3Schema`; absent if every field is allowed. */
  readonly schema?: JsonObject;
  /** `spec.preserveUnknownFields`, which old definitions may have. */
  readonly preserveUnknownFields?: boolean;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

/** `com.example.stable.v1.CronTab` */
const customDefinitionName = ({ group, version }: { group: string; version: string }, kind: string): string =>
  [...group.split('.').reverse(), version, kind].join('.');

export const customOpenApiResource = ({ resource }: CustomResourceApi): OpenApiResource => ({
  ...resource,
  custom: true,
  definition: customDefinitionName(resource, resource.kind),
  listDefinition: customDefinitionName(resource, resource.listKind),
});

/**
 * The schema of the kind. With properties, kubectl would refuse all others: a kind that allows every field has none, in
 * version 2 not even the metadata.
 */
function* kindMembers({ schema, preserveUnknownFields }: CustomResourceApi, style: Style): Steps<Map<string, string>> {
  const isOpen = preserveUnknownFields === true || schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema === undefined || (style === 'v2' && isOpen)) return new Map([['type', '"object"']]);
  const { properties: given, ...rest } = schema;
  const object = yield* schemaMembers(rest, style);
  const properties = yield* propertyMembers(
    isRecord(given) && !hidesStructure(schema, style) ? (given as JsonObject) : {},
    style,
  );
  for (const [field, property] of Object.entries({ ...API_VERSION_AND_KIND, metadata: metadataOf(style) }))
    properties.set(field, JSON.stringify(property));
  return object.set('type', '"object"').set('properties', objectText(properties));
}

/** The definitions of the kind and of its list. */
export function* customDefinitions(api: CustomResourceApi, style: Style): Steps<Member[]> {
  const { group, version, kind, listKind } = api.resource;
  const name = customDefinitionName(api.resource, kind);
  const gvk = (named: string): JsonObject[] => [{ group, kind: named, version }];
  const object = yield* kindMembers(api, style);
  object.set('x-kubernetes-group-version-kind', JSON.stringify(gvk(kind)));
  const selectable = Object.values(api.resource.selectableFields ?? {}).map((fieldPath) => ({ fieldPath }));
  const selectableFields: JsonObject = selectable.length > 0 ? { 'x-kubernetes-selectable-fields': selectable } : {};
  for (const [key, value] of Object.entries(selectableFields)) object.set(key, JSON.stringify(value));
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
    ...selectableFields,
  };
  return [member(name, objectText(object)), member(customDefinitionName(api.resource, listKind), JSON.stringify(list))];
}

/** The built-in definitions that every custom resource refers to. */
export const CUSTOM_REFERENCES = [`${META}ObjectMeta`, `${META}ListMeta`];
