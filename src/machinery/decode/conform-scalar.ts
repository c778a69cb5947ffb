/** Canonical forms of scalars: what upstream encodes after decoding a value of the type. */
import type { ScalarType } from '../../api/index.ts';
import { canonicalDuration, canonicalMicroTime, canonicalQuantity, canonicalTime } from '../../base/index.ts';
import { canonicalBase64 } from './base64.ts';
import { countKeys } from './count-keys.ts';
import { Growth } from './growth.ts';

/** Thrown for a value that does not fit its type. One instance for all, because its stack is never used. */
export const MISMATCH = new Error('the value does not fit its type');

/** State of one pass over a value. */
export class ConformRun {
  /** Keys that the type declares, at any depth. */
  keys = 0;
  /** Nesting depth of the current message. */
  depth = 0;
  readonly growth = new Growth();

  /** `stored`: the value goes to the store, where every empty list becomes absent. */
  constructor(readonly stored = false) {}
}

/** Returns the canonical form of a value. The field decides what undefined and null mean. */
export type Conform = (value: unknown, run: ConformRun) => unknown;

export const STRING_TYPE: ScalarType = { kind: 'scalar', scalar: 'string', goType: 'string', values: [] };

/** Plain Go values with omitempty: zero and absent are the same in JSON. */
export const dropsZero = (type: ScalarType): boolean =>
  ['string', 'bool', 'int32', 'int64', 'double', 'bytes'].includes(type.scalar);

/** The zero value of a field that is not a pointer. */
export function zeroOf(type: ScalarType): unknown {
  switch (type.scalar) {
    case 'string':
    case 'bytes':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'IntOrString':
      return 0;
    case 'Quantity':
      return '0';
    case 'Duration':
      return '0s';
    default:
      return null;
  }
}

/** The largest double that is a valid int64: larger values are clamped to it. */
const LARGEST_INT64 = 9_223_372_036_854_774_784;
const MAX_INT32 = 0x7fff_ffff;

function int32(value: unknown): number {
  if (value === null) return 0;
  if (typeof value !== 'number' || (value | 0) !== value) throw MISMATCH;
  return value;
}

function int64(value: unknown): number {
  if (value === null) return 0;
  if (typeof value === 'bigint') return int64(Number(value));
  if (typeof value !== 'number' || !Number.isInteger(value) || value > 2 ** 63 || value < -(2 ** 63)) throw MISMATCH;
  return Math.min(Math.max(value, -LARGEST_INT64), LARGEST_INT64);
}

function rethrowAsMismatch<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch {
      throw MISMATCH;
    }
  };
}

const quantity = rethrowAsMismatch(canonicalQuantity);
const time = rethrowAsMismatch(canonicalTime);
const microTime = rethrowAsMismatch(canonicalMicroTime);
const duration = rethrowAsMismatch(canonicalDuration);

function ofText(read: (text: string) => unknown, zero: unknown): Conform {
  return (value) => {
    if (typeof value === 'string') return read(value);
    if (value === null) return zero;
    throw MISMATCH;
  };
}

const raw: Conform = (value, run) => {
  run.keys += countKeys(value);
  return value;
};

const SCALARS: Record<ScalarType['scalar'], Conform> = {
  string: (value) => {
    if (typeof value === 'string') return value;
    if (value === null) return '';
    throw MISMATCH;
  },
  bool: (value) => {
    if (typeof value === 'boolean') return value;
    if (value === null) return false;
    throw MISMATCH;
  },
  int32,
  int64,
  double: (value) => {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (value === null) return 0;
    throw MISMATCH;
  },
  bytes: ofText((text) => {
    const result = canonicalBase64(text);
    if ('error' in result) throw MISMATCH;
    return result.text;
  }, ''),
  Quantity: (value) => {
    if (typeof value === 'string') return quantity(value);
    if (typeof value === 'number') return quantity(String(value));
    if (value === null) return '0';
    throw MISMATCH;
  },
  IntOrString: (value) => {
    if (typeof value === 'string') return value;
    if (value === null) return 0;
    if (typeof value !== 'number' || !Number.isInteger(value) || value > MAX_INT32 || value < -MAX_INT32 - 1)
      throw MISMATCH;
    return value;
  },
  Time: ofText(time, null),
  MicroTime: ofText(microTime, null),
  Duration: ofText(duration, '0s'),
  RawExtension: raw,
  JSON: raw,
  FieldsV1: raw,
};

export const conformScalar = (scalar: ScalarType['scalar']): Conform => SCALARS[scalar];
