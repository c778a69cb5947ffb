import { describe, expect, it } from 'vitest';
import { isServedByDefault, schema } from '../../api/index.ts';
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { type JsonObject, type JsonValue, runSteps } from '../../base/index.ts';
import { type CustomResourceApi, OpenApiDocuments } from './index.ts';

/** The value at a path of keys. */
function at(value: JsonValue | undefined, ...keys: string[]): JsonValue | undefined {
  return keys.reduce<JsonValue | undefined>((current, key) => (current as JsonObject | undefined)?.[key], value);
}

const parse = (bytes: Buffer): JsonObject => JSON.parse(bytes.toString('utf8')) as JsonObject;
const builtin = new OpenApiDocuments({ version: KUBERNETES_VERSION });
const apps = parse(runSteps(builtin.v3('apis/apps/v1'))!.bytes);
const core = parse(runSteps(builtin.v3('api/v1'))!.bytes);
const swagger = parse(runSteps(builtin.v2()).bytes);
const schemaOf = (document: JsonObject, name: string, ...keys: string[]) =>
  at(document, 'components', 'schemas', name, ...keys);
const definition = (name: string, ...keys: string[]) => at(swagger, 'definitions', name, ...keys);
const ref3 = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const refsOf = (document: JsonObject): string[] =>
  [...JSON.stringify(document).matchAll(/"\$ref":"#\/(?:definitions|components\/schemas)\/([^"]+)"/g)].map(
    (match) => match[1]!,
  );

it.each(['list of returned', 'List of services', 'Watch for changes to the described resources'])(
  "says %j, which kubectl's command tests look for",
  (words) => expect(JSON.stringify(swagger)).toContain(words),
);

describe('version 3', () => {
  it('has every schema that it refers to, in every document', () => {
    for (const name of new OpenApiDocuments({ version: 'v1.36.4' }).v3Names()) {
      const document = parse(runSteps(new OpenApiDocuments({ version: 'v1.36.4' }).v3(name))!.bytes);
      const known = Object.keys((at(document, 'components', 'schemas') ?? {}) as JsonObject);
      expect(refsOf(document).filter((ref) => !known.includes(ref))).toEqual([]);
    }
  });

  it('has siblings of a reference in allOf, and defaults', () => {
    expect(schemaOf(apps, 'io.k8s.api.apps.v1.Deployment', 'properties', 'spec')).toEqual({
      allOf: [ref3('io.k8s.api.apps.v1.DeploymentSpec')],
      description: expect.any(String),
      default: {},
    });
    expect(schemaOf(apps, 'io.k8s.api.apps.v1.ControllerRevision', 'properties', 'revision')).toMatchObject({
      type: 'integer',
      format: 'int64',
      default: 0,
    });
    expect(schemaOf(apps, 'io.k8s.api.apps.v1.ControllerRevision', 'properties', 'data')).not.toHaveProperty('default');
    expect(schemaOf(core, 'io.k8s.api.core.v1.ContainerPort', 'properties', 'protocol')).toMatchObject({
      default: 'TCP',
      enum: ['SCTP', 'TCP', 'UDP'],
    });
  });

  it('describes lists and maps with their elements', () => {
    expect(schemaOf(core, 'io.k8s.api.core.v1.PodSpec', 'properties', 'containers')).toMatchObject({
      type: 'array',
      items: { allOf: [ref3('io.k8s.api.core.v1.Container')], default: {} },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    });
    expect(schemaOf(core, 'io.k8s.api.core.v1.ResourceRequirements', 'properties', 'limits')).toMatchObject({
      type: 'object',
      additionalProperties: ref3('io.k8s.apimachinery.pkg.api.resource.Quantity'),
    });
    expect(schemaOf(core, 'io.k8s.api.core.v1.PodSpec', 'properties', 'nodeSelector')).toMatchObject({
      additionalProperties: { type: 'string', default: '' },
      'x-kubernetes-map-type': 'atomic',
    });
  });

  it('names the kinds', () => {
    expect(schemaOf(apps, 'io.k8s.api.apps.v1.Deployment', 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'apps', kind: 'Deployment', version: 'v1' },
    ]);
    expect(schemaOf(apps, 'io.k8s.api.apps.v1.DeploymentSpec')).not.toHaveProperty('x-kubernetes-group-version-kind');
    expect(
      schemaOf(apps, 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions', 'x-kubernetes-group-version-kind'),
    ).toContainEqual({
      group: 'apps',
      kind: 'DeleteOptions',
      version: 'v1',
    });
  });

  it('allows numbers or strings where both are valid', () => {
    expect(schemaOf(core, 'io.k8s.apimachinery.pkg.api.resource.Quantity', 'oneOf')).toEqual([
      { type: 'string' },
      { type: 'number' },
    ]);
    expect(schemaOf(core, 'io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'oneOf')).toEqual([
      { type: 'integer' },
      { type: 'string' },
    ]);
  });

  it('lists the documents with the hash of their content', () => {
    const documents = new OpenApiDocuments({ version: 'v1.36.4' });
    const root = parse(runSteps(documents.v3Root()).bytes);
    const { hash } = runSteps(documents.v3('apis/apps/v1'))!;
    expect(hash).toMatch(/^[0-9A-F]{128}$/);
    expect(at(root, 'paths', 'apis/apps/v1')).toEqual({ serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=${hash}` });
    expect(runSteps(documents.v3('apis/nope/v1'))).toBeUndefined();
  });
});

const operations: {
  name: string;
  path: string;
  method: string;
  operationId: string;
  action: string;
  kind: string;
  parameters: string[];
}[] = [
  {
    name: 'list',
    path: '/apis/apps/v1/namespaces/{namespace}/deployments',
    method: 'get',
    operationId: 'listAppsV1NamespacedDeployment',
    action: 'list',
    kind: 'Deployment',
    parameters: [
      'allowWatchBookmarks',
      'continue',
      'fieldSelector',
      'labelSelector',
      'limit',
      'resourceVersion',
      'resourceVersionMatch',
      'sendInitialEvents',
      'timeoutSeconds',
      'watch',
    ],
  },
  {
    name: 'deletecollection',
    path: '/apis/apps/v1/namespaces/{namespace}/deployments',
    method: 'delete',
    operationId: 'deleteAppsV1CollectionNamespacedDeployment',
    action: 'deletecollection',
    kind: 'Deployment',
    parameters: ['dryRun', 'gracePeriodSeconds', 'propagationPolicy', 'labelSelector'],
  },
  {
    name: 'patch',
    path: '/apis/apps/v1/namespaces/{namespace}/deployments/{name}',
    method: 'patch',
    operationId: 'patchAppsV1NamespacedDeployment',
    action: 'patch',
    kind: 'Deployment',
    parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
  },
  {
    name: 'a subresource of another kind',
    path: '/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale',
    method: 'put',
    operationId: 'replaceAppsV1NamespacedDeploymentScale',
    action: 'put',
    kind: 'Scale',
    parameters: ['dryRun', 'fieldManager', 'fieldValidation'],
  },
  {
    name: 'the old way to watch',
    path: '/apis/apps/v1/watch/deployments',
    method: 'get',
    operationId: 'watchAppsV1DeploymentListForAllNamespaces',
    action: 'watchlist',
    kind: 'Deployment',
    parameters: [],
  },
];

describe('paths', () => {
  it.each(operations)('$name', ({ path, method, operationId, action, kind, parameters }) => {
    const operation = at(apps, 'paths', path, method) as JsonObject;
    expect(operation).toMatchObject({
      operationId,
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { kind },
      tags: ['apps_v1'],
    });
    const names = ((operation['parameters'] ?? []) as JsonObject[]).map((parameter) => parameter['name']);
    expect(names).toEqual(expect.arrayContaining(parameters));
  });

  it('connect to pods and their containers', () => {
    expect(at(core, 'paths', '/api/v1/namespaces/{namespace}/pods/{name}/exec', 'post')).toMatchObject({
      operationId: 'connectCoreV1PostNamespacedPodExec',
      'x-kubernetes-action': 'connect',
      'x-kubernetes-group-version-kind': { group: '', kind: 'PodExecOptions', version: 'v1' },
    });
    const proxy = at(core, 'paths', '/api/v1/nodes/{name}/proxy/{path}') as JsonObject;
    expect(Object.keys(proxy).sort()).toEqual([
      'delete',
      'get',
      'head',
      'options',
      'parameters',
      'patch',
      'post',
      'put',
    ]);
    expect(at(proxy, 'head', 'operationId')).toBe('connectCoreV1HeadNodeProxyWithPath');
  });

  it('have a unique name for each operation', () => {
    const ids = Object.values(swagger['paths'] as JsonObject).flatMap((item) =>
      Object.entries(item as JsonObject).flatMap(([method, operation]) =>
        method === 'parameters' ? [] : [at(operation, 'operationId')],
      ),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('exist for every resource that can be listed', () => {
    const missing = schema.resources
      .filter(({ verbs, version }) => verbs.includes('list') && isServedByDefault(version))
      .map(({ group, version, plural }) => `${group === '' ? '/api' : `/apis/${group}`}/${version}/${plural}`)
      .filter((path) => at(swagger, 'paths', path, 'get') === undefined);
    expect(missing).toEqual([]);
  });
});

describe('version 2', () => {
  it('has every definition and parameter that it refers to', () => {
    const known = Object.keys(swagger['definitions'] as JsonObject);
    expect(refsOf(swagger).filter((ref) => !known.includes(ref))).toEqual([]);
    const parameters = [...JSON.stringify(swagger).matchAll(/"#\/parameters\/([^"]+)"/g)].map((match) => match[1]!);
    expect(parameters.length).toBeGreaterThan(1000);
    expect(parameters.filter((name) => at(swagger, 'parameters', name) === undefined)).toEqual([]);
  });

  it('have dryRun and fieldValidation in the operation itself, where old clients look for them', () => {
    const path = '/api/v1/namespaces/{namespace}/configmaps/{name}';
    const parameters = at(swagger, 'paths', path, 'patch', 'parameters') as JsonObject[];
    expect(parameters.map(({ name }) => name).filter((name) => name !== undefined && name !== 'body')).toEqual([
      'dryRun',
      'fieldValidation',
    ]);
  });

  it('has siblings of a reference beside it, and no defaults', () => {
    expect(definition('io.k8s.api.apps.v1.Deployment', 'properties', 'spec')).toEqual({
      description: expect.any(String),
      $ref: '#/definitions/io.k8s.api.apps.v1.DeploymentSpec',
    });
    expect(definition('io.k8s.apimachinery.pkg.util.intstr.IntOrString')).toMatchObject({
      type: 'string',
      format: 'int-or-string',
    });
  });

  it('describes authentication', () => {
    expect(swagger).toMatchObject({
      swagger: '2.0',
      info: { title: 'Kubernetes', version: 'v1.36.4' },
      security: [{ BearerToken: [] }],
    });
  });
});

const widgets: CustomResourceApi = {
  resource: {
    group: 'stable.example.com',
    version: 'v1',
    kind: 'Widget',
    listKind: 'WidgetList',
    plural: 'widgets',
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: { scale: { verbs: ['get', 'patch', 'update'], kind: 'autoscaling/v1.Scale' } },
  },
  schema: {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer', nullable: true, default: 1 },
          port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
          color: { type: 'string', enum: ['red', 'blue'] },
        },
      },
    },
  },
};

describe('custom resources', () => {
  const documents = new OpenApiDocuments({ version: 'v1.36.4', custom: [widgets] });
  const name = 'com.example.stable.v1.Widget';

  it('have their own document of version 3', () => {
    const document = parse(runSteps(documents.v3('apis/stable.example.com/v1'))!.bytes);
    expect(document).toMatchObject({ openapi: '3.0.0', info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' } });
    expect(schemaOf(document, name, 'properties', 'spec', 'properties')).toEqual(
      at(widgets.schema, 'properties', 'spec', 'properties'),
    );
    expect(schemaOf(document, name, 'properties', 'metadata', 'allOf')).toEqual([
      ref3('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    ]);
    expect(schemaOf(document, name, 'x-kubernetes-group-version-kind')).toEqual([
      { group: 'stable.example.com', kind: 'Widget', version: 'v1' },
    ]);
    expect(
      at(
        document,
        'paths',
        '/apis/stable.example.com/v1/namespaces/{namespace}/widgets/{name}',
        'patch',
        'operationId',
      ),
    ).toBe('patchStableExampleComV1NamespacedWidget');
    expect(refsOf(document)).toContain('io.k8s.api.autoscaling.v1.Scale');
    expect(documents.v3Names()).toContain('apis/stable.example.com/v1');
  });

  it('are documented as upstream documents them', () => {
    const path = '/apis/stable.example.com/v1/namespaces/{namespace}/widgets';
    const port = { 'x-kubernetes-int-or-string': true } as const;
    const either = [{ type: 'integer' }, { type: 'string' }];
    const bounded = { ...port, anyOf: [{ maximum: 5 }] };
    const api: CustomResourceApi = {
      resource: { ...widgets.resource, selectableFields: { 'spec.port': 'spec.port' } },
      schema: { type: 'object', properties: { port, bounded } },
    };
    const custom = new OpenApiDocuments({ version: '1.36', custom: [api] });
    const document = parse(runSteps(custom.v3('apis/stable.example.com/v1'))!.bytes);
    const names = at(document, 'paths', path, 'delete', 'parameters') as JsonObject[];
    expect(names.map((one) => one['name'])).toEqual(expect.arrayContaining(['watch', 'shardSelector']));
    expect(names.map((one) => one['name'])).not.toContain('dryRun');
    expect(at(document, 'paths', path, 'delete')).not.toHaveProperty('requestBody');
    expect(at(document, 'paths', `${path}/{name}`, 'delete')).toHaveProperty('requestBody');
    expect(Object.keys(at(document, 'paths', `${path}/{name}`, 'patch', 'responses') as JsonObject)).toEqual([
      '200',
      '401',
    ]);
    expect(at(document, 'paths', `${path}/{name}/scale`, 'get', 'x-kubernetes-group-version-kind', 'kind')).toBe(
      'Widget',
    );
    expect(schemaOf(document, name, 'properties', 'port')).toEqual({ ...port, anyOf: either });
    expect(schemaOf(document, name, 'properties', 'bounded')).toEqual({ ...bounded, allOf: [{ anyOf: either }] });
    for (const one of [name, `${name}List`])
      expect(schemaOf(document, one, 'x-kubernetes-selectable-fields')).toEqual([{ fieldPath: 'spec.port' }]);
    expect(document['components']).not.toHaveProperty('securitySchemes');
    const kinds = schemaOf(
      document,
      'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
      'x-kubernetes-group-version-kind',
    ) as JsonObject[];
    const groups = kinds.map((one) => one['group']);
    expect(groups).toEqual(expect.arrayContaining(['', 'apps', 'extensions']));
    expect(groups).not.toContain('apiextensions.k8s.io');
  });

  it('are part of version 2, without constructs that it lacks', () => {
    const document = parse(runSteps(documents.v2()).bytes);
    expect(at(document, 'definitions', name, 'properties', 'spec', 'properties')).toEqual({
      size: {},
      port: { 'x-kubernetes-int-or-string': true },
      color: { type: 'string', enum: ['red', 'blue'] },
    });
    expect(at(document, 'paths', '/apis/stable.example.com/v1/widgets', 'get', 'operationId')).toBe(
      'listStableExampleComV1WidgetForAllNamespaces',
    );
    expect(definition(name)).toBeUndefined();
  });

  it.each([
    ['without a schema', {}],
    ['that preserves unknown fields', { schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }],
    ['of an old definition', { schema: { type: 'object' }, preserveUnknownFields: true }],
  ])('a kind %s has its type and its name in version 2, and nothing else', (_name, more) => {
    const open = new OpenApiDocuments({ version: 'v1', custom: [{ resource: widgets.resource, ...more }] });
    const gvk = { group: 'stable.example.com', kind: 'Widget', version: 'v1' };
    const bare = { type: 'object', 'x-kubernetes-group-version-kind': [gvk] };
    expect(at(parse(runSteps(open.v2()).bytes), 'definitions', name)).toEqual(bare);
    const inV3 = schemaOf(parse(runSteps(open.v3('apis/stable.example.com/v1'))!.bytes), name) as JsonObject;
    if ('schema' in more) expect(Object.keys(inV3['properties'] as JsonObject)).toContain('metadata');
    else expect(inV3).toEqual(bare);
  });

  it.each(['v2', 'v3'] as const)('an embedded resource has its own kind and metadata in %s', (style) => {
    const template = { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind', 'spec'] };
    const open = { ...template, 'x-kubernetes-preserve-unknown-fields': true };
    const schema = { type: 'object', properties: { template, open } };
    const custom = new OpenApiDocuments({ version: 'v1', custom: [{ resource: widgets.resource, schema }] });
    const bytes =
      style === 'v2' ? runSteps(custom.v2()).bytes : runSteps(custom.v3('apis/stable.example.com/v1'))!.bytes;
    const definitions = at(
      parse(bytes),
      ...(style === 'v2' ? ['definitions'] : ['components', 'schemas']),
    ) as JsonObject;
    const { properties, required } = at(definitions, name, 'properties', 'template') as Record<string, JsonObject>;
    expect(Object.keys(properties!).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
    expect(required).toEqual(['kind', 'spec', 'apiVersion']);
    const hasProperties = 'properties' in (at(definitions, name, 'properties', 'open') as JsonObject);
    expect(hasProperties).toBe(style === 'v3');
  });

  it('begin their descriptions as clients expect', () => {
    const document = parse(runSteps(documents.v3('apis/stable.example.com/v1'))!.bytes);
    const text = (definition: string, field: string): unknown =>
      schemaOf(document, definition, 'properties', field, 'description');
    const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
    expect(text(name, 'apiVersion')).toMatch(/^APIVersion defines /);
    expect(text(name, 'kind')).toMatch(/^Kind is a string value /);
    expect(text(name, 'metadata')).toMatch(/^Standard object's metadata/);
    expect(text(meta, 'creationTimestamp')).toMatch(/^CreationTimestamp is a timestamp /);
    expect(text(meta, 'deletionTimestamp')).toMatch(/^DeletionTimestamp is RFC 3339 date and time /);
  });

  it('change the hash of their document, and of no other', () => {
    const plain = new OpenApiDocuments({ version: 'v1.36.4' });
    expect(runSteps(documents.v3('apis/apps/v1'))!.hash).toBe(runSteps(plain.v3('apis/apps/v1'))!.hash);
    expect(runSteps(documents.v3Root()).hash).not.toBe(runSteps(plain.v3Root()).hash);
    expect(runSteps(documents.v2()).hash).not.toBe(runSteps(plain.v2()).hash);
  });
});
