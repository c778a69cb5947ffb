/**
 * Type errors of a strategically patched object. Upstream converts the patched map to the typed object without JSON
 * in between, so its messages differ from those for a request body.
 */
import type { Message, ScalarType, Type } from '../../api/index.ts';
import { isRecord, ownValue, setOwn } from '../../base/index.ts';
import { withinDepth } from './within-depth.ts';

/**
 * The error of the first field in declared order; undefined if the types fit. Parts of the live object are not
 * checked.
 */
export function restoreError(message: Message, value: unknown, live: unknown): string | undefined {
  return withinDepth(() => errorIn(message, value, live));
}

/** The value with its 32-bit integers as Go keeps them: without the bits that are too many. `value` itself mostly. */
export function restoredIntegers(type: Type, value: unknown, live: unknown): unknown {
  if (value === null || value === undefined || value === live) return value;
  if (type.kind === 'scalar') return type.scalar === 'int32' && isWide(value) ? wrapped(value) : value;
  if (type.kind === 'list' && Array.isArray(value)) {
    const before = Array.isArray(live) ? live : NO_ITEMS;
    const items = value.map((item, i) => restoredIntegers(type.element, item, before[i]));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (!isRecord(value)) return value;
  const before = isRecord(live) ? live : NOTHING;
  let out: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const inner = type.kind === 'message' ? type.byName.get(name)?.type : type.kind === 'map' ? type.value : undefined;
    if (!inner) continue;
    const kept = restoredIntegers(inner, value[name], ownValue(before, name));
    if (kept === value[name]) continue;
    out ??= { ...value };
    setOwn(out, name, kept);
  }
  return out ?? value;
}

const isWide = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value) && (value | 0) !== value);

const wrapped = (value: number | bigint): number => Number(BigInt.asIntN(32, BigInt(value)));

function errorIn(type: Type, value: unknown, live: unknown): string | undefined {
  if (value === null || value === undefined || value === live) return undefined;
  switch (type.kind) {
    case 'message':
      return isRecord(value)
        ? errorInFields(type, value, isRecord(live) ? live : NOTHING)
        : `cannot restore struct from: ${kindName(value)}`;
    case 'list':
      return Array.isArray(value)
        ? errorInItems(type.element, value, Array.isArray(live) ? live : NO_ITEMS)
        : `cannot restore slice from ${kindName(value)}`;
    case 'map':
      return isRecord(value)
        ? errorInItems(type.value, Object.values(value), NO_ITEMS)
        : `cannot restore map from ${kindName(value)}`;
    case 'scalar':
      return errorInScalar(type, value);
    case 'union':
      return undefined;
  }
}

const NOTHING: Readonly<Record<string, unknown>> = {};
const NO_ITEMS: readonly unknown[] = [];

function errorInFields(
  message: Message,
  value: Record<string, unknown>,
  live: Readonly<Record<string, unknown>>,
): string | undefined {
  let first = Infinity;
  let fault: string | undefined;
  for (const name in value) {
    const field = message.byName.get(name);
    const error = field && errorIn(field.type, value[name], live[name]);
    if (!field || error === undefined) continue;
    const place = message.fields.indexOf(field);
    if (place > first) continue;
    first = place;
    fault = error;
  }
  return fault;
}

function errorInItems(type: Type, items: readonly unknown[], live: readonly unknown[]): string | undefined {
  for (let i = 0; i < items.length; i++) {
    const error = errorIn(type, items[i], live[i]);
    if (error !== undefined) return error;
  }
  return undefined;
}

function errorInScalar(type: ScalarType, value: unknown): string | undefined {
  const kind = kindName(value);
  switch (type.scalar) {
    case 'string':
      if (kind === 'string') return undefined;
      // Go can convert an integer to a string; upstream forbids it here.
      return kind === 'int64' ? `cannot convert int64 to ${type.goType}` : 'unrecognized type: string';
    case 'bool':
      return kind === 'bool' ? undefined : 'unrecognized type: bool';
    case 'int32':
    case 'int64':
      if (kind === 'int64') return undefined;
      return kind === 'float64' ? `cannot convert float64 to ${type.goType}` : `unrecognized type: ${type.scalar}`;
    case 'double':
      return kind === 'int64' || kind === 'float64' ? undefined : 'unrecognized type: float64';
    case 'bytes':
      return kind === 'string' ? undefined : `cannot restore slice from ${kind}`;
    default:
      return undefined;
  }
}

function kindName(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  switch (typeof value) {
    case 'object':
      return 'map';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return typeof value;
  }
}
