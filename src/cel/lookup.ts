/** Field selection and indexing at run time. */
import { CelError, CelObject, toKey, type Value } from './values.ts';

const noSuchKey = (key: unknown): CelError => new CelError(`no such key: ${String(key)}`);

export function fieldOf(target: Value, field: string): Value {
  if (target instanceof CelObject) {
    const value = target.get(field);
    if (value === undefined) throw noSuchKey(field);
    return value;
  }
  if (target instanceof Map) {
    const value = (target as ReadonlyMap<unknown, Value>).get(field);
    if (value === undefined) throw noSuchKey(field);
    return value;
  }
  if (Array.isArray(target)) throw new CelError("unsupported index type 'string' in list");
  throw noSuchKey(field);
}

export function hasField(target: Value, field: string): boolean {
  // has() is false for a null field of an object.
  if (target instanceof CelObject) return (target.get(field) ?? null) !== null;
  if (target instanceof Map) return target.has(field);
  const held = (target as { hasValue?: boolean; value?: Value } | null)?.hasValue;
  if (held === false) return false;
  if (held === true) return hasField((target as { value: Value }).value, field);
  if (Array.isArray(target)) throw new CelError("unsupported index type 'string' in list");
  return false;
}

export function elementAt(target: Value, at: Value): Value {
  if (Array.isArray(target)) {
    const key = toKey(at);
    if (typeof key !== 'bigint') throw new CelError(`unsupported index type '${typeof at}' in list`);
    if (key < 0n || key >= target.length) throw new CelError(`index out of bounds: ${key}`);
    return (target as readonly Value[])[Number(key)]!;
  }
  if (target instanceof Map) {
    const key = toKey(at);
    const value = key === undefined ? undefined : (target as ReadonlyMap<unknown, Value>).get(key);
    if (value === undefined) throw noSuchKey(key ?? at);
    return value;
  }
  if (target instanceof CelObject && typeof at === 'string') return fieldOf(target, at);
  throw noSuchKey(toKey(at) ?? at);
}
