/**
 * A copy of a JSON value that may be changed. `structuredClone` can do more (cycles, maps, dates) and takes five times as
 * long for it; a write copies its object several times.
 */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) list[i] = cloneJson<unknown>(value[i]);
    return list as T;
  }
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const inner = cloneJson((value as Record<string, unknown>)[key]);
    /** A name like any other in JSON, but not for an assignment. */
    if (key === '__proto__') Object.defineProperty(copy, key, { value: inner, enumerable: true, configurable: true, writable: true });
    else copy[key] = inner;
  }
  return copy as T;
}
