/** The OpenAPI paths of a resource. */
import { resourceNames, type ResourceNames } from './operation-names.ts';
import {
  article,
  gvkOf,
  listOperation,
  META,
  type OpenApiResource,
  type Operation,
  operationOf,
  type PathItem,
  readAndWrite,
  rootOf,
  type Subject,
} from './operations.ts';
import {
  CREATE_PARAMETERS,
  DELETE_COLLECTION_PARAMETERS,
  DELETE_PARAMETERS,
  inPath,
  LIST_PARAMETERS,
  NAMESPACE,
  type Parameter,
  PRETTY,
} from './parameters.ts';
import { subresourcePaths } from './subresource-paths.ts';

const STATUS = `${META}Status`;
const DELETE_OPTIONS = `${META}DeleteOptions`;

/** Resources whose delete returns the deleted object instead of a Status. */
const DELETE_RETURNS_OBJECT = new Set([
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

/** Every path of a resource, its subresources and its watches. */
export function resourcePaths(resource: OpenApiResource): PathItem[] {
  const names = resourceNames(resource);
  const root = rootOf(resource);
  const scoped = resource.namespaced ? `${root}/namespaces/{namespace}` : root;
  const namespace = resource.namespaced ? [NAMESPACE] : [];
  const name = inPath('name', `Name of the ${resource.kind}.`);
  const paths: PathItem[] = [
    {
      path: `${scoped}/${resource.plural}`,
      parameters: [...namespace, PRETTY],
      operations: collectionOperations(resource, names),
    },
    {
      path: `${scoped}/${resource.plural}/{name}`,
      parameters: [name, ...namespace, PRETTY],
      operations: objectOperations(resource, names),
    },
    ...Object.keys(resource.subresources).flatMap((subresource) =>
      subresourcePaths(resource, subresource, { names, scoped, namespace }),
    ),
  ];
  if (resource.namespaced && resource.verbs.includes('list')) {
    paths.push({
      path: `${root}/${resource.plural}`,
      parameters: [PRETTY],
      operations: [listOperation(resource, names, `list${names.group}${resource.kind}ForAllNamespaces`)],
    });
  }
  if (resource.verbs.includes('watch') && !resource.custom)
    paths.push(...watchPaths(resource, names, { root, name, namespace }));
  return paths.filter(({ operations }) => operations.length > 0).map(sharingParameters);
}

const byName = (a: Parameter, b: Parameter): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Parameters that every operation of a path has stand on the path; each list is in the order of names. */
function sharingParameters({ path, parameters, operations }: PathItem): PathItem {
  const [first, ...others] = operations;
  const shared = first!.parameters.filter((one) => others.every((operation) => operation.parameters.includes(one)));
  return {
    path,
    parameters: [...parameters, ...shared].sort(byName),
    operations: operations.map((operation) => ({
      ...operation,
      parameters: operation.parameters.filter((one) => !shared.includes(one)).sort(byName),
    })),
  };
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
        // Of custom resources upstream documents what is deleted, and not how.
        parameters: resource.custom ? LIST_PARAMETERS : DELETE_COLLECTION_PARAMETERS,
        ...(resource.custom ? {} : { body: { definition: DELETE_OPTIONS, required: false } }),
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
  const answer = DELETE_RETURNS_OBJECT.has(qualified) ? definition : STATUS;
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

interface WatchPathOptions {
  readonly root: string;
  readonly name: Parameter;
  readonly namespace: readonly Parameter[];
}

/** The deprecated watch paths, `/api/v1/watch/…`. */
function watchPaths(
  resource: OpenApiResource,
  names: ResourceNames,
  { root, name, namespace }: WatchPathOptions,
): PathItem[] {
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
  const parameters = [...LIST_PARAMETERS, ...namespace, PRETTY];
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
