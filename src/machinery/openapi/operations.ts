/** Operations on resources, independent of the version of OpenAPI. */
import type { GroupVersionKind, Resource } from '../../api/index.ts';
import type { ResourceNames } from './operation-names.ts';
import {
  LIST_PARAMETERS,
  PATCH_PARAMETERS,
  READ_PARAMETERS_OF_CUSTOM_RESOURCES,
  UPDATE_PARAMETERS,
  type Parameter,
} from './parameters.ts';

/** A served resource. */
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

/** An operation, independent of the version of OpenAPI. */
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
  /** Responses by code: the name of a definition, or undefined for text. */
  readonly responses: Readonly<Record<string, string | undefined>>;
  readonly produces: 'objects' | 'objects and events' | 'text' | 'anything' | 'key set';
  readonly deprecated?: string;
  readonly custom: boolean;
}

export interface PathItem {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
}

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

export const rootOf = ({ group, version }: { group: string; version: string }): string =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`;

export const gvkOf = ({ group, version, kind }: GroupVersionKind): GroupVersionKind => ({ group, version, kind });

export function operationOf(resource: OpenApiResource, names: ResourceNames) {
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

export function listOperation(resource: OpenApiResource, names: ResourceNames, operationId: string): Operation {
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

export interface Subject {
  /** The end of the operation IDs: `NamespacedPodStatus`. */
  readonly suffix: string;
  readonly of: string;
  readonly definition: string;
  readonly gvk: GroupVersionKind;
}

/** get, update and patch, of an object or a subresource. */
export function readAndWrite(
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
        responses: resource.custom ? { 200: definition } : { 200: definition, 201: definition },
      }),
    );
  }
  return operations;
}

export const article = (kind: string): string => (/^[AEIOU]/.test(kind) ? 'an' : 'a');
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
