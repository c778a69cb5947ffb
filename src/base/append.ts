/** Adds items to the end of a list. `list.push(...items)` would put each of them on the stack, which has no room for a hundred thousand. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
