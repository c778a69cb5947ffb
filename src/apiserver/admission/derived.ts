/** Values computed from the watch cache, such as the default StorageClass. */
import type { ServedResource } from '../registry/served-resource.ts';

/** Returns a getter that computes the value once and again after an object of the resource changes. */
export function derivedFrom<T>(served: ServedResource, compute: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  served.cache.watch({ scope: '', deliver: () => (cached = undefined) });
  return () => (cached ??= { value: compute() }).value;
}
