import { notFound } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Place } from '../../registry/object-store.ts';
import type { Registry } from '../../registry/registry.ts';

interface ReferencedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** The name in the NotFound error. */
  readonly singular: string;
}

/** An object that a node's request refers to. Throws a 404 that names the singular resource, as upstream's listers do. */
export function getObject(
  registry: Registry,
  { group, version, plural, singular }: ReferencedResource,
  { namespace, name }: Place,
): KubeObject {
  const found = registry.lookup(group, version, plural, namespace, name);
  if (!found) throw notFound({ group, resource: singular }, name);
  return found;
}
