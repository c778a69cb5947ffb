/** Computes a value on first use: most definitions of a cluster are not in use, and their schemas are expensive to compile. */
export function lazy<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined;
  return () => (computed ??= { value: compute() }).value;
}
