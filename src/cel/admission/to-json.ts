/** Converts the result of an expression to JSON. */
import { formatDurationNanos, formatTime } from '../../base/index.ts';
import { CelObject, Duration, type MapKey, Optional, Timestamp, Uint, type Value } from '../index.ts';

/** Throws for values that have no JSON form. */
export function toJson(value: Value): unknown {
  if (typeof value === 'bigint')
    return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly Value[]).map(toJson);
  if (value instanceof Map)
    return Object.fromEntries(
      [...(value as ReadonlyMap<MapKey, Value>)].map(([key, member]) => [String(key), toJson(member)]),
    );
  if (value instanceof CelObject)
    return Object.fromEntries(value.fieldNames().map((name) => [name, toJson(value.get(name) ?? null)]));
  if (value instanceof Uint) return toJson(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Timestamp) return formatTime(Number(value.nanos / 1_000_000n));
  if (value instanceof Duration) return formatDurationNanos(value.nanos);
  if (value instanceof Optional) return value.hasValue ? toJson(value.value) : null;
  throw new Error('the value has no JSON form');
}
