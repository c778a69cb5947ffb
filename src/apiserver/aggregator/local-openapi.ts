/** The OpenAPI documents of an API that a component of this process serves, from its discovery and its schemas. */
import { createHash } from 'node:crypto';
import type { APIResourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import type { JsonObject } from '../../base/index.ts';
import type { LocalApi } from './local-api.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const JSON_TYPE = 'application/json';

type Dialect = 'v2' | 'v3';

export const localOpenApiV2 = (api: LocalApi): JsonObject => ({
  swagger: '2.0',
  info: infoOf(api),
  paths: pathsOf(api, 'v2'),
  definitions: definitionsOf(api, 'v2'),
});

export const localOpenApiV3 = (api: LocalApi): JsonObject => ({
  openapi: '3.0.0',
  info: infoOf(api),
  paths: pathsOf(api, 'v3'),
  components: { schemas: definitionsOf(api, 'v3') },
});

/** Where the document of version 3 is served; the hash changes with its contents. */
export function localOpenApiUrl(api: LocalApi): string {
  const hash = createHash('sha512')
    .update(JSON.stringify(localOpenApiV3(api)))
    .digest('hex')
    .toUpperCase();
  return `/openapi/v3/apis/${api.group}/${api.version}?hash=${hash}`;
}

const infoOf = ({ group, version }: LocalApi): JsonObject => ({ title: group, version });

const referenceTo = (name: string, dialect: Dialect): JsonObject => ({
  $ref: `#/${dialect === 'v2' ? 'definitions' : 'components/schemas'}/${name}`,
});

/** `glass.k8ts.dev` is `dev.k8ts.glass`, as Go packages are named in definitions. */
const definitionName = ({ group, version }: LocalApi, kind: string): string =>
  `${group.split('.').reverse().join('.')}.${version}.${kind}`;

const kindOf = ({ group, version }: LocalApi, kind: string): JsonObject => ({ group, version, kind });

function definitionsOf(api: LocalApi, dialect: Dialect): JsonObject {
  const definitions: JsonObject = {};
  for (const resource of api.resources) {
    const kind = resource.responseKind?.kind ?? '';
    const schema = api.schemas?.[kind] ?? {};
    const own = (name: string, description: unknown, properties: JsonObject): JsonObject => ({
      ...(typeof description === 'string' ? { description } : {}),
      type: 'object',
      properties: {
        apiVersion: { type: 'string', description: 'The version of the schema of this object.' },
        kind: { type: 'string', description: 'The resource that this object represents.' },
        ...properties,
      },
      'x-kubernetes-group-version-kind': [kindOf(api, name)],
    });
    const metadata = (name: string): JsonObject =>
      dialect === 'v2' ? referenceTo(`${META}.${name}`, dialect) : { allOf: [referenceTo(`${META}.${name}`, dialect)] };
    definitions[definitionName(api, kind)] = own(kind, schema['description'], {
      metadata: metadata('ObjectMeta'),
      ...(schema['properties'] as JsonObject | undefined),
    });
    if (resource.verbs?.includes('list'))
      definitions[definitionName(api, `${kind}List`)] = own(`${kind}List`, `A list of ${kind}.`, {
        metadata: metadata('ListMeta'),
        items: { type: 'array', items: referenceTo(definitionName(api, kind), dialect) },
      });
  }
  // The merged document of version 2 has its own.
  if (dialect === 'v2') return definitions;
  definitions[`${META}.ObjectMeta`] = META_SCHEMA;
  definitions[`${META}.ListMeta`] = LIST_META_SCHEMA;
  return definitions;
}

const TEXT: JsonObject = { type: 'string' };
const META_SCHEMA: JsonObject = {
  description: 'What the object is called.',
  type: 'object',
  properties: { name: TEXT, namespace: TEXT, creationTimestamp: { type: 'string', format: 'date-time' } },
};
const LIST_META_SCHEMA: JsonObject = {
  description: 'The state of the list.',
  type: 'object',
  properties: { resourceVersion: TEXT, continue: TEXT },
};

function pathsOf(api: LocalApi, dialect: Dialect): JsonObject {
  const paths: JsonObject = {};
  for (const resource of api.resources) {
    const root = `/apis/${api.group}/${api.version}`;
    const plural = resource.resource ?? '';
    const places =
      resource.scope === 'Namespaced'
        ? [`${root}/namespaces/{namespace}/${plural}`, `${root}/${plural}`]
        : [`${root}/${plural}`];
    for (const place of places) {
      const isNamespaced = place.includes('{namespace}');
      const collection: JsonObject = {};
      if (resource.verbs?.includes('list'))
        collection['get'] = operation(api, resource, { dialect, verb: 'list', isNamespaced });
      if (resource.verbs?.includes('create'))
        collection['post'] = operation(api, resource, { dialect, verb: 'post', isNamespaced });
      if (Object.keys(collection).length > 0)
        // Clients compare documents with what they write themselves, and they write no empty lists.
        paths[place] = isNamespaced ? { ...collection, parameters: parameters(dialect, ['namespace']) } : collection;
      if (resource.verbs?.includes('get'))
        paths[`${place}/{name}`] = {
          get: operation(api, resource, { dialect, verb: 'get', isNamespaced }),
          parameters: parameters(dialect, isNamespaced ? ['name', 'namespace'] : ['name']),
        };
    }
  }
  return paths;
}

function operation(
  api: LocalApi,
  { responseKind, singularResource = '' }: APIResourceDiscovery,
  {
    dialect,
    verb,
    isNamespaced,
  }: { readonly dialect: Dialect; readonly verb: 'get' | 'list' | 'post'; readonly isNamespaced: boolean },
): JsonObject {
  const kind = responseKind?.kind ?? '';
  const schema = referenceTo(definitionName(api, verb === 'list' ? `${kind}List` : kind), dialect);
  const group = api.group.split('.').map(capitalized).join('');
  const verbName = verb === 'get' ? 'read' : verb === 'post' ? 'create' : 'list';
  const response: JsonObject =
    dialect === 'v2' ? { description: 'OK', schema } : { description: 'OK', content: { [JSON_TYPE]: { schema } } };
  const body = referenceTo(definitionName(api, kind), dialect);
  return {
    description: `${capitalized(verbName)} ${singularResource}`,
    operationId: `${verbName}${group}${capitalized(api.version)}${isNamespaced ? 'Namespaced' : ''}${kind}`,
    tags: [`${api.group.replaceAll('.', '_')}_${api.version}`],
    ...(dialect === 'v2' ? { produces: [JSON_TYPE], schemes: ['https'] } : {}),
    ...(verb !== 'post'
      ? {}
      : dialect === 'v2'
        ? { consumes: [JSON_TYPE], parameters: [{ name: 'body', in: 'body', required: true, schema: body }] }
        : { requestBody: { required: true, content: { [JSON_TYPE]: { schema: body } } } }),
    responses: { [verb === 'post' ? '201' : '200']: response, '401': { description: 'Unauthorized' } },
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': kindOf(api, kind),
  };
}

const parameters = (dialect: Dialect, names: readonly string[]): JsonObject[] =>
  names.map((name) => ({
    name,
    in: 'path',
    required: true,
    description: name === 'name' ? 'The name of the object.' : 'The namespace that is looked at.',
    ...(dialect === 'v2' ? { type: 'string', uniqueItems: true } : { schema: { type: 'string', uniqueItems: true } }),
  }));

const capitalized = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
