/** What is made when it is first asked for: most of a cluster's definitions describe kinds that nobody writes to just now. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
