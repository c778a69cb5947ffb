import type { GroupVersionKind, Resource } from '../../api/index.ts';
import { ownValue } from '../../base/index.ts';
import { resourceNames, type ResourceNames } from './operation-names.ts';
import {
  CREATE_PARAMETERS,
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  inPath,
  LIST_PARAMETERS,
  NAMESPACE,
  optionsParameters,
  PATCH_PARAMETERS,
  PRETTY,
  READ_PARAMETERS_OF_CUSTOM_RESOURCES,
  UPDATE_PARAMETERS,
  type Parameter,
} from './parameters.ts';

/** What OpenAPI has to know of a resource that is served. */
export interface OpenApiResource extends Pick<
  Resource,
  'group' | 'version' | 'kind' | 'plural' | 'namespaced' | 'verbs' | 'subresources' | 'listKind'
> {
  readonly custom?: boolean;
  /** The names of the definitions. */
  readonly definition: string;
  readonly listDefinition: string;
}

export type Method = 'get' | 'put' | 'post' | 'patch' | 'delete' | 'head' | 'options';

/** An operation, whatever the version of OpenAPI that it is written in. */
export interface Operation {
  readonly method: Method;
  readonly action?:
    | 'list'
    | 'get'
    | 'post'
    | 'put'
    | 'patch'
    | 'delete'
    | 'deletecollection'
    | 'connect'
    | 'watch'
    | 'watchlist';
  readonly operationId: string;
  readonly description: string;
  readonly tag: string;
  readonly gvk?: GroupVersionKind;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly definition: string; readonly required: boolean };
  /** Answers by code: the name of a definition, or undefined for text. */
  readonly responses: Readonly<Record<string, string | undefined>>;
  readonly produces: 'objects' | 'objects and events' | 'text' | 'anything';
  readonly deprecated?: string;
  readonly custom: boolean;
}

export interface PathItem {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const STATUS = `${META}Status`;
const DELETE_OPTIONS = `${META}DeleteOptions`;

/** Kinds that are answered with the deleted object instead of a Status. */
const ANSWERED_WITH_OBJECT = new Set([
  ...[
    'pods',
    'podtemplates',
    'services',
    'serviceaccounts',
    'persistentvolumes',
    'persistentvolumeclaims',
    'resourcequotas',
  ],
  ...[
    'csidrivers.storage.k8s.io',
    'csinodes.storage.k8s.io',
    'storageclasses.storage.k8s.io',
    'volumeattachments.storage.k8s.io',
  ],
  ...['volumeattributesclasses.storage.k8s.io', 'deviceclasses.resource.k8s.io', 'resourceclaims.resource.k8s.io'],
  ...['resourceclaimtemplates.resource.k8s.io', 'resourceslices.resource.k8s.io'],
]);

export const rootOf = ({ group, version }: { group: string; version: string }): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

/** Every path of a resource, its subresources and its watches. */
export function resourcePaths(resource: OpenApiResource): PathItem[] {
  const names = resourceNames(resource);
  const root = rootOf(resource);
  const scoped = resource.namespaced ? `${root}/namespaces/{namespace}` : root;
  const place = resource.namespaced ? [NAMESPACE] : [];
  const name = inPath('name', `Name of the ${resource.kind}.`);
  const paths: PathItem[] = [
    {
      path: `${scoped}/${resource.plural}`,
      parameters: [...place, PRETTY],
      operations: collectionOperations(resource, names),
    },
    {
      path: `${scoped}/${resource.plural}/{name}`,
      parameters: [name, ...place, PRETTY],
      operations: objectOperations(resource, names),
    },
    ...Object.keys(resource.subresources).flatMap((subresource) =>
      subresourcePaths(resource, subresource, { names, scoped, place }),
    ),
  ];
  if (resource.namespaced && resource.verbs.includes('list')) {
    const list = listOperation(resource, names, `list${names.group}${resource.kind}ForAllNamespaces`);
    paths.push({
      path: `${root}/${resource.plural}`,
      parameters: [...LIST_PARAMETERS, PRETTY],
      operations: [{ ...list, parameters: [] }],
    });
  }
  if (resource.verbs.includes('watch') && !resource.custom)
    paths.push(...watchPaths(resource, names, { root, name, place }));
  return paths.filter(({ operations }) => operations.length > 0);
}

const gvkOf = ({ group, version, kind }: GroupVersionKind): GroupVersionKind => ({ group, version, kind });

function operationOf(resource: OpenApiResource, names: ResourceNames) {
  const shared = {
    tag: names.tag,
    gvk: gvkOf(resource),
    produces: 'objects' as const,
    custom: resource.custom ?? false,
  };
  return (
    operation: Pick<Operation, 'method' | 'operationId' | 'description' | 'responses'> & Partial<Operation>,
  ): Operation => ({
    ...shared,
    parameters: [],
    ...operation,
  });
}

function listOperation(resource: OpenApiResource, names: ResourceNames, operationId: string): Operation {
  return operationOf(
    resource,
    names,
  )({
    method: 'get',
    action: 'list',
    operationId,
    description: `list or watch objects of kind ${resource.kind}`,
    parameters: LIST_PARAMETERS,
    responses: { 200: resource.listDefinition },
    produces: 'objects and events',
  });
}

function collectionOperations(resource: OpenApiResource, names: ResourceNames): Operation[] {
  const { kind, definition, verbs } = resource;
  const { group, scoped } = names;
  const make = operationOf(resource, names);
  const operations: Operation[] = [];
  if (verbs.includes('list')) operations.push(listOperation(resource, names, `list${group}${scoped}`));
  if (verbs.includes('create')) {
    operations.push(
      make({
        method: 'post',
        action: 'post',
        operationId: `create${group}${scoped}`,
        description: `create ${article(kind)} ${kind}`,
        parameters: CREATE_PARAMETERS,
        body: { definition, required: true },
        responses: { 200: definition, 201: definition, 202: definition },
      }),
    );
  }
  if (verbs.includes('deletecollection')) {
    operations.push(
      make({
        method: 'delete',
        action: 'deletecollection',
        operationId: `delete${group}Collection${scoped}`,
        description: `delete collection of ${kind}`,
        parameters: DELETE_COLLECTION_PARAMETERS,
        body: { definition: DELETE_OPTIONS, required: false },
        responses: { 200: STATUS },
      }),
    );
  }
  return operations;
}

function objectOperations(resource: OpenApiResource, names: ResourceNames): Operation[] {
  const { kind, definition, verbs } = resource;
  const subject: Subject = { suffix: names.scoped, of: `the specified ${kind}`, definition, gvk: gvkOf(resource) };
  const operations = readAndWrite(resource, names, { verbs, subject });
  if (!verbs.includes('delete')) return operations;
  const qualified = resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
  const answer = ANSWERED_WITH_OBJECT.has(qualified) ? definition : STATUS;
  const remove = operationOf(
    resource,
    names,
  )({
    method: 'delete',
    action: 'delete',
    operationId: `delete${names.group}${names.scoped}`,
    description: `delete ${article(kind)} ${kind}`,
    parameters: DELETE_PARAMETERS,
    body: { definition: DELETE_OPTIONS, required: false },
    responses: { 200: answer, 202: answer },
  });
  return [...operations, remove];
}

interface Subject {
  /** The end of the operations' names: `NamespacedPodStatus`. */
  readonly suffix: string;
  readonly of: string;
  readonly definition: string;
  readonly gvk: GroupVersionKind;
}

/** get, update and patch, of an object or a subresource. */
function readAndWrite(
  resource: OpenApiResource,
  names: ResourceNames,
  { verbs, subject }: { verbs: readonly string[]; subject: Subject },
): Operation[] {
  const { suffix, of, definition, gvk } = subject;
  const make = operationOf(resource, names);
  const operations: Operation[] = [];
  if (verbs.includes('get')) {
    const parameters = resource.custom ? READ_PARAMETERS_OF_CUSTOM_RESOURCES : [];
    operations.push(
      make({
        method: 'get',
        action: 'get',
        operationId: `read${names.group}${suffix}`,
        description: `read ${of}`,
        gvk,
        parameters,
        responses: { 200: definition },
      }),
    );
  }
  if (verbs.includes('update')) {
    operations.push(
      make({
        method: 'put',
        action: 'put',
        operationId: `replace${names.group}${suffix}`,
        description: `replace ${of}`,
        gvk,
        parameters: UPDATE_PARAMETERS,
        body: { definition, required: true },
        responses: { 200: definition, 201: definition },
      }),
    );
  }
  if (verbs.includes('patch')) {
    operations.push(
      make({
        method: 'patch',
        action: 'patch',
        operationId: `patch${names.group}${suffix}`,
        description: `partially update ${of}`,
        gvk,
        parameters: PATCH_PARAMETERS,
        body: { definition: `${META}Patch`, required: true },
        responses: { 200: definition, 201: definition },
      }),
    );
  }
  return operations;
}

interface SubresourcePlace {
  readonly names: ResourceNames;
  readonly scoped: string;
  readonly place: readonly Parameter[];
}

function subresourcePaths(
  resource: OpenApiResource,
  subresource: string,
  { names, scoped, place }: SubresourcePlace,
): PathItem[] {
  const { verbs, kind: declaredKind } = ownValue(resource.subresources, subresource)!;
  const suffix = `${names.scoped}${capitalized(subresource)}`;
  const path = `${scoped}/${resource.plural}/{name}/${subresource}`;
  const { gvk, definition } = travelling(resource, declaredKind);
  const name = inPath('name', `Name of the ${gvk.kind}.`);
  if (gvk.kind.endsWith('Options')) {
    const options = optionsParameters(gvk.kind);
    const connect = { verbs, suffix, gvk, of: `${subresource} of ${resource.kind}` };
    const items = [
      { path, parameters: [name, ...place, ...options], operations: connectOperations(resource, names, connect) },
    ];
    if (subresource !== 'proxy') return items;
    const tail = inPath('path', 'Path at the other end.');
    const operations = connectOperations(resource, names, { ...connect, suffix: `${suffix}WithPath` });
    return [...items, { path: `${path}/{path}`, parameters: [name, ...place, tail, ...options], operations }];
  }
  if (subresource === 'log') {
    const read = operationOf(
      resource,
      names,
    )({
      method: 'get',
      action: 'get',
      operationId: `read${names.group}${suffix}`,
      description: `read log of the specified ${resource.kind}`,
      responses: { 200: undefined },
      produces: 'text',
    });
    return [{ path, parameters: [name, ...place, PRETTY, ...optionsParameters('PodLogOptions')], operations: [read] }];
  }
  const subject: Subject = { suffix, of: `${subresource} of the specified ${resource.kind}`, definition, gvk };
  const operations = readAndWrite(resource, names, { verbs, subject });
  if (verbs.includes('create')) {
    const create = operationOf(
      resource,
      names,
    )({
      method: 'post',
      action: 'post',
      operationId: `create${names.group}${suffix}`,
      description: `create ${subresource} of ${article(resource.kind)} ${resource.kind}`,
      gvk,
      parameters: CREATE_PARAMETERS,
      body: { definition, required: true },
      responses: { 200: definition, 201: definition, 202: definition },
    });
    operations.push(create);
  }
  return [{ path, parameters: [name, ...place, PRETTY], operations }];
}

/** The kind and definition of what travels over a subresource, declared as `Kind` or `group/version.Kind`. */
function travelling(
  resource: OpenApiResource,
  declared: string | undefined,
): { gvk: GroupVersionKind; definition: string } {
  if (declared === undefined) return { gvk: gvkOf(resource), definition: resource.definition };
  const slash = declared.indexOf('/');
  if (slash < 0) {
    const definition = resource.definition.replace(/(?<![^.])[^.]+$/, declared);
    return { gvk: { group: resource.group, version: resource.version, kind: declared }, definition };
  }
  const dot = declared.indexOf('.', slash);
  const gvk = {
    group: declared.slice(0, slash),
    version: declared.slice(slash + 1, dot),
    kind: declared.slice(dot + 1),
  };
  return { gvk, definition: `io.k8s.api.${gvk.group.split('.')[0]}.${gvk.version}.${gvk.kind}` };
}

const CONNECT_METHODS: ReadonlyMap<string, readonly Method[]> = new Map(
  Object.entries<readonly Method[]>({
    create: ['post'],
    delete: ['delete'],
    get: ['get'],
    patch: ['patch'],
    update: ['put'],
  }),
);

interface Connect {
  readonly verbs: readonly string[];
  readonly suffix: string;
  readonly gvk: GroupVersionKind;
  readonly of: string;
}

function connectOperations(
  resource: OpenApiResource,
  names: ResourceNames,
  { verbs, suffix, gvk, of }: Connect,
): Operation[] {
  const methods = verbs.flatMap((verb) => CONNECT_METHODS.get(verb) ?? []);
  if (verbs.includes('update')) methods.push('head', 'options');
  return methods.map((method) =>
    operationOf(
      resource,
      names,
    )({
      method,
      action: 'connect',
      operationId: `connect${names.group}${capitalized(method)}${suffix}`,
      description: `connect ${method.toUpperCase()} requests to ${of}`,
      gvk,
      responses: { 200: undefined },
      produces: 'anything',
    }),
  );
}

interface WatchPlace {
  readonly root: string;
  readonly name: Parameter;
  readonly place: readonly Parameter[];
}

/** The older way of watching, by paths of its own. */
function watchPaths(resource: OpenApiResource, names: ResourceNames, { root, name, place }: WatchPlace): PathItem[] {
  const { kind, plural, namespaced } = resource;
  const watch = (action: 'watch' | 'watchlist', operationId: string): Operation =>
    operationOf(
      resource,
      names,
    )({
      method: 'get',
      action,
      operationId,
      description: `watch changes to ${action === 'watch' ? 'an object' : 'the objects'} of kind ${kind}`,
      responses: { 200: `${META}WatchEvent` },
      produces: 'objects and events',
      deprecated: 'use the watch parameter of a list operation instead',
    });
  const parameters = [...LIST_PARAMETERS, ...place, PRETTY];
  const scoped = namespaced ? `${root}/watch/namespaces/{namespace}` : `${root}/watch`;
  const paths: PathItem[] = [
    {
      path: `${scoped}/${plural}`,
      parameters,
      operations: [watch('watchlist', `watch${names.group}${names.scoped}List`)],
    },
    {
      path: `${scoped}/${plural}/{name}`,
      parameters: [...parameters, name],
      operations: [watch('watch', `watch${names.group}${names.scoped}`)],
    },
  ];
  if (namespaced) {
    const operations = [watch('watchlist', `watch${names.group}${kind}ListForAllNamespaces`)];
    paths.push({ path: `${root}/watch/${plural}`, parameters: [...LIST_PARAMETERS, PRETTY], operations });
  }
  return paths;
}

const article = (kind: string): string => (/^[AEIOU]/.test(kind) ? 'an' : 'a');
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
