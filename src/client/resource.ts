import type { ObjectMeta } from '../api/generated/meta-v1.ts';

/** What every API object has. */
export interface ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
}

/** An object as a program writes it down: any fields, without a type of its own. */
export type UntypedObject = ApiObject & Readonly<Record<string, unknown>>;

/** A custom resource by name, such as `example.com/v1/widgets`: its group has a dot. */
export type CustomResourceName = `${string}.${string}/v${string}/${string}`;

/** A resource of the API (group, version, plural), with the TypeScript type of its objects. */
export interface Resource<T extends ApiObject = ApiObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Carries the type only; never set. */
  readonly objectType?: T;
}

export interface ObjectReference {
  namespace?: string;
  name: string;
}

export function defineResource<T extends ApiObject>(resource: Omit<Resource, 'objectType'>): Resource<T> {
  return resource;
}

/** `apps/v1`, or `v1` in the core group. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

interface PathParts {
  namespace?: string;
  name?: string;
  subresource?: string;
}

export function resourcePath(resource: Resource, { namespace, name, subresource }: PathParts = {}): string {
  let path = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  if (resource.namespaced && namespace !== undefined && namespace !== '')
    path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${resource.plural}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  if (subresource !== undefined) path += `/${subresource}`;
  return path;
}

/** From its name. Objects say their kind themselves, and a path has a namespace where a reference has one. */
export function customResource<T extends ApiObject>(name: string): Resource<T> {
  const [group = '', version = '', plural = '', ...rest] = name.split('/');
  if (!group.includes('.') || version === '' || plural === '' || rest.length > 0)
    throw new Error(
      `${JSON.stringify(name)} is neither a built-in resource nor a custom one such as example.com/v1/widgets`,
    );
  return { group, version, plural, kind: '', namespaced: true };
}

/** `namespace/name`, or the name alone for cluster-scoped objects: the key of caches and work queues. */
export function keyOf(object: ApiObject): string {
  const { namespace, name = '' } = object.metadata;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function splitKey(key: string): ObjectReference {
  const slash = key.indexOf('/');
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
