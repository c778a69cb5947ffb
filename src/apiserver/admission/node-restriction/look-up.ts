import { notFound } from '../../../machinery/errors/index.ts';
import type { KubeObject } from '../../../machinery/index.ts';
import type { Place } from '../../registry/object-store.ts';
import type { Registry } from '../../registry/registry.ts';

export interface LookedUpResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** What the error calls it. */
  readonly singular: string;
}

/** An object that a request depends on; 404 with the kind in the singular, as upstream's listers word it. */
export function lookUp(
  registry: Registry,
  { group, version, plural, singular }: LookedUpResource,
  { namespace, name }: Place,
): KubeObject {
  const found = registry.lookup(group, version, plural, namespace, name);
  if (!found) throw notFound({ group, resource: singular }, name);
  return found;
}
