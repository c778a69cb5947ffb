import type { ServedResource } from '../registry/served-resource.ts';

/** A value that is computed from all objects of a resource, and kept until one of them changes. */
export function derivedFrom<T>(served: ServedResource, compute: () => T): () => T {
  let kept: { readonly value: T } | undefined;
  served.cache.watch({ scope: '', deliver: () => (kept = undefined) });
  return () => (kept ??= { value: compute() }).value;
}
