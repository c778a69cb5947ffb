/**
 * Appends items to a list. `list.push(...items)` passes them on the stack, which overflows for a hundred thousand
 * items.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
