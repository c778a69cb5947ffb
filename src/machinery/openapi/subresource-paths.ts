/** The OpenAPI paths of a subresource: status and scale, the log, and connections (exec, attach, port-forward, proxy). */
import type { GroupVersionKind } from '../../api/index.ts';
import { ownValue } from '../../base/index.ts';
import type { ResourceNames } from './operation-names.ts';
import {
  article,
  capitalized,
  gvkOf,
  type Method,
  type OpenApiResource,
  type Operation,
  operationOf,
  type PathItem,
  readAndWrite,
  type Subject,
} from './operations.ts';
import { CREATE_PARAMETERS, inPath, optionsParameters, type Parameter, PRETTY } from './parameters.ts';

interface SubresourcePathOptions {
  readonly names: ResourceNames;
  readonly scoped: string;
  readonly namespace: readonly Parameter[];
}

export function subresourcePaths(
  resource: OpenApiResource,
  subresource: string,
  { names, scoped, namespace }: SubresourcePathOptions,
): PathItem[] {
  const { verbs, kind: declaredKind } = ownValue(resource.subresources, subresource)!;
  const suffix = `${names.scoped}${capitalized(subresource)}`;
  const path = `${scoped}/${resource.plural}/{name}/${subresource}`;
  const { gvk, definition } = subresourceKind(resource, declaredKind);
  const name = inPath('name', `Name of the ${gvk.kind}.`);
  if (gvk.kind.endsWith('Options')) {
    const options = optionsParameters(gvk.kind);
    const connect = { verbs, suffix, gvk, of: `${subresource} of ${resource.kind}` };
    const items = [
      { path, parameters: [name, ...namespace, ...options], operations: connectOperations(resource, names, connect) },
    ];
    if (subresource !== 'proxy') return items;
    const tail = inPath('path', 'Path at the other end.');
    const operations = connectOperations(resource, names, { ...connect, suffix: `${suffix}WithPath` });
    return [...items, { path: `${path}/{path}`, parameters: [name, ...namespace, tail, ...options], operations }];
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
    return [
      { path, parameters: [name, ...namespace, PRETTY, ...optionsParameters('PodLogOptions')], operations: [read] },
    ];
  }
  const subject: Subject = {
    suffix,
    of: `${subresource} of the specified ${resource.kind}`,
    definition,
    // Operations on custom resources name the custom kind, also where another kind travels.
    gvk: resource.custom ? gvkOf(resource) : gvk,
  };
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
  return [{ path, parameters: [name, ...namespace, PRETTY], operations }];
}

/** The kind and definition of a subresource, declared as `Kind` or `group/version.Kind`. */
function subresourceKind(
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
