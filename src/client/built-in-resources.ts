import { resources, type ResourceTypes } from '../api/generated/resources.ts';
import type { ApiObject, Resource } from './resource.ts';

/** The built-in resources, as `v1/pods` or `apps/v1/deployments`. */
export type BuiltInResource = keyof ResourceTypes;

/** The type of a built-in resource's objects. */
export type ObjectOf<K extends BuiltInResource> = ResourceTypes[K] extends ApiObject ? ResourceTypes[K] : never;

/** A built-in resource with the type of its objects. */
export function builtIn<K extends BuiltInResource>(key: K): Resource<ObjectOf<K>> {
  return resources[key];
}

export const isBuiltIn = (name: string): name is BuiltInResource => Object.hasOwn(resources, name);
