/**
 * Freezes a JSON value with everything in it. A frozen value is assumed to be frozen completely, so shared objects
 * cost nothing. Does not recurse, because another API server may have stored deeply nested objects.
 */
export function deepFreeze<T>(value: T): T {
  if (!isThawed(value)) return value;
  const work: object[] = [Object.freeze(value)];
  for (let item = work.pop(); item; item = work.pop()) {
    if (Array.isArray(item)) {
      for (let i = 0; i < item.length; i++) freezeInto(work, item[i]);
    } else {
      for (const key in item) freezeInto(work, (item as Record<string, unknown>)[key]);
    }
  }
  return value;
}

function freezeInto(work: object[], value: unknown): void {
  if (isThawed(value)) work.push(Object.freeze(value));
}

const isThawed = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Object.isFrozen(value);
