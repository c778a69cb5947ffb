/** The number of keys in a value, at any depth. Without recursion: values may nest deeply. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  const work: object[] = [value];
  for (let item = work.pop(); item; item = work.pop()) {
    const list = Array.isArray(item);
    for (const key in item) {
      const element = (item as Record<string, unknown>)[key];
      if (!list && element !== undefined) keys++;
      if (typeof element === 'object' && element !== null) work.push(element);
    }
  }
  return keys;
}
