/** The number of keys in a value, at any depth. Without recursion: values may nest deeply. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  const work: object[] = [value];
  for (let item = work.pop(); item; item = work.pop()) {
    if (Array.isArray(item)) {
      for (const element of item as unknown[]) if (typeof element === 'object' && element !== null) work.push(element);
      continue;
    }
    for (const key in item) {
      const element = (item as Record<string, unknown>)[key];
      if (element !== undefined) keys++;
      if (typeof element === 'object' && element !== null) work.push(element);
    }
  }
  return keys;
}
