/**
 * CEL values at run time. An int is a bigint, a double a number, a list an array, a map a Map. Types that JavaScript
 * does not have are classes here. Objects with a schema convert a field when it is first read.
 */
import type { ObjectType } from './types.ts';

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Value[]
  | CelMap
  | CelObject
  | Uint
  | Timestamp
  | Duration
  | Optional
  | TypeValue
  | LibraryValue;

export type MapKey = boolean | bigint | string;
export type CelMap = ReadonlyMap<MapKey, Value>;

export class Uint {
  constructor(readonly value: bigint) {}
}

/** Nanoseconds since 1970. */
export class Timestamp {
  constructor(readonly nanos: bigint) {}
}

export class Duration {
  constructor(readonly nanos: bigint) {}
}

export class Optional {
  static readonly NONE = new Optional(undefined);

  readonly #held: { readonly value: Value } | undefined;

  private constructor(held: { readonly value: Value } | undefined) {
    this.#held = held;
  }

  static of(value: Value): Optional {
    return new Optional({ value });
  }

  get hasValue(): boolean {
    return this.#held !== undefined;
  }

  get value(): Value {
    if (!this.#held) throw new CelError('optional.none() dereference');
    return this.#held.value;
  }
}

export class TypeValue {
  constructor(readonly name: string) {}
}

/** A value of a library's type. */
export abstract class LibraryValue {
  abstract readonly typeName: string;
  abstract equals(other: Value): boolean;
  /** Its size in cost calculations. */
  get size(): number {
    return 1;
  }
}

/** An object with declared fields. */
export abstract class CelObject {
  abstract readonly type: ObjectType;
  /** The value of a field, by its escaped name; undefined if it is absent. */
  abstract get(field: string): Value | undefined;
  abstract fieldNames(): readonly string[];
}

/** An error of the evaluation. */
export class CelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CelError';
  }
}

export const noSuchOverload = (): CelError => new CelError('no such overload');

/** The evaluation exceeded its cost limit. */
export class CostLimitError extends CelError {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
    this.name = 'CostLimitError';
  }
}

export function typeNameOf(value: Value): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
  }
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'map';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof CelObject) return value.type.name;
  return (value as LibraryValue).typeName;
}

/** The size of a value in cost calculations: bytes, elements or entries; 1 for other values. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) return value.length;
  if (value instanceof Map) return value.size;
  if (value instanceof Uint8Array) return value.length;
  return value instanceof LibraryValue ? value.size : 1;
}

export function isEqual(a: Value, b: Value): boolean {
  if (a === b) return true;
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined || y !== undefined) return x !== undefined && y !== undefined && equalNumbers(x, y);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item: Value, i) => isEqual(item, b[i] as Value));
  if (a instanceof Map || a instanceof CelObject)
    return (b instanceof Map || b instanceof CelObject) && equalEntries(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional)
    return b instanceof Optional && a.hasValue === b.hasValue && (!a.hasValue || isEqual(a.value, b.value));
  return a instanceof LibraryValue && a.equals(b);
}

const numberOf = (value: Value): bigint | number | undefined =>
  typeof value === 'bigint' || typeof value === 'number' ? value : value instanceof Uint ? value.value : undefined;

// JavaScript compares bigints and numbers by their mathematical value, which is what CEL asks for.
const equalNumbers = (a: bigint | number, b: bigint | number): boolean =>
  !(a < b) && !(a > b) && !Number.isNaN(a) && !Number.isNaN(b);

function equalEntries(a: CelMap | CelObject, b: CelMap | CelObject): boolean {
  const keys = keysOf(a);
  if (keys.length !== keysOf(b).length) return false;
  return keys.every((key) => {
    const [left, right] = [entryOf(a, key), entryOf(b, key)];
    return left !== undefined && right !== undefined && isEqual(left, right);
  });
}

const keysOf = (value: CelMap | CelObject): readonly MapKey[] =>
  value instanceof CelObject ? value.fieldNames() : [...value.keys()];
const entryOf = (value: CelMap | CelObject, key: MapKey): Value | undefined =>
  value instanceof CelObject ? (typeof key === 'string' ? value.get(key) : undefined) : value.get(key);

/** The map key of a value: equal numbers of different types are one key. */
export function toKey(value: Value): MapKey | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  return undefined;
}

/** Less than zero, zero, or greater; undefined where there is no order. */
export function compareValues(a: Value, b: Value): number | undefined {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : equalNumbers(x, y) ? 0 : undefined;
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : compareCodePoints(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  if (a instanceof Duration && b instanceof Duration) return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw noSuchOverload();
}

function compareCodePoints(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
