/**
 * A copy of a JSON value that may be changed. `structuredClone` can do more (cycles, maps, dates) and takes five times as
 * long for it; a write copies its object several times.
 */
export function cloneJson<T>(value: T): T {
  return typeof value === 'object' && value !== null ? (copyOf(value) as T) : value;
}

function copyOf(value: object): object {
  if (Array.isArray(value)) {
    const list: unknown[] = new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      list[i] = typeof item === 'object' && item !== null ? copyOf(item) : item;
    }
    return list;
  }
  const from = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key in from) {
    const item = from[key];
    const inner = typeof item === 'object' && item !== null ? copyOf(item) : item;
    /** A name like any other in JSON, but not for an assignment. */
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
    else copy[key] = inner;
  }
  return copy;
}
