import type { Field, Message, ScalarType, Type, UnionType } from '../../api/schema.ts';
import { canonicalQuantity } from '../quantity/index.ts';
import { canonicalDuration, canonicalMicroTime, canonicalTime } from '../time/index.ts';
import { canonicalBase64 } from './base64.ts';
import { countKeys } from './count-keys.ts';

/**
 * The canonical form of a value: what upstream's decoding and encoding would make of it. Compiled per message into a
 * tree of small functions, so that the common case, a correct object, takes one pass and no lookups by type.
 *
 * It only answers for correct values. Whatever is out of the ordinary makes it throw MISMATCH, and the exact decoder
 * says what is wrong.
 */
export const MISMATCH = Symbol('mismatch');

/** What a pass over a value gathers. */
export interface ConformRun {
  /** Keys of the value that belong to its type, at any depth. */
  keys: number;
}

type Conform = (value: unknown, run: ConformRun) => unknown;

interface PlanField {
  readonly name: string;
  /** undefined leaves the field out. */
  readonly present: Conform;
  /** What stands in the object when the field is not given; undefined for most. */
  readonly absent: () => unknown;
}

interface Plan {
  readonly object: boolean;
  readonly fields: readonly PlanField[];
}

const plans = new WeakMap<Message, Plan>();

/** Throws MISMATCH. */
export function conformMessage(message: Message, value: unknown, run: ConformRun): Record<string, unknown> {
  let plan = plans.get(message);
  if (!plan) {
    const fields: PlanField[] = [];
    plan = { object: message.object, fields };
    plans.set(message, plan);
    for (const field of message.fields) fields.push(planField(field));
  }
  return applyPlan(plan, value, run);
}

function applyPlan(plan: Plan, value: unknown, run: ConformRun): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw MISMATCH;
  const from = value as Record<string, unknown>;
  const to: Record<string, unknown> = {};
  let keys = 0;
  if (plan.object) {
    keys += copyTypeMeta(from, to, 'kind');
    keys += copyTypeMeta(from, to, 'apiVersion');
  }
  const { fields } = plan;
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i]!;
    const given = from[field.name];
    let result: unknown;
    if (given === undefined) {
      result = field.absent();
    } else {
      keys++;
      result = field.present(given, run);
    }
    if (result !== undefined) to[field.name] = result;
  }
  run.keys += keys;
  return to;
}

function copyTypeMeta(from: Record<string, unknown>, to: Record<string, unknown>, name: 'kind' | 'apiVersion'): number {
  const value = from[name];
  if (value === undefined) return 0;
  if (typeof value === 'string') {
    if (value !== '') to[name] = value;
  } else if (value !== null) {
    throw MISMATCH;
  }
  return 1;
}

function planField(field: Field): PlanField {
  const element = conformType(field.type);
  const { name } = field;
  if (field.pointer) {
    const nil = field.keep ? null : undefined;
    return { name, absent: () => nil, present: (value, run) => (value === null ? nil : (element(value, run) ?? nil)) };
  }
  return { name, ...planValue(field, element) };
}

/** A field without a pointer: zero and absent are one, and what is written then depends on the type. */
function planValue(field: Field, element: Conform): Omit<PlanField, 'name'> {
  const { type, keep, omitZero } = field;
  if (type.kind === 'message') return { present: element, absent: () => element(null, { keys: 0 }) };
  if (type.kind === 'list' || type.kind === 'map') {
    const nil = keep ? null : undefined;
    return {
      absent: () => nil,
      present: (value, run) => {
        if (value === null) return nil;
        const result = element(value, run);
        return isEmpty(result) ? nil : result;
      },
    };
  }
  if (type.kind === 'scalar' && dropsZero(type)) {
    const zero = zeroOf(type);
    const left = keep ? zero : undefined;
    return {
      absent: () => left,
      present: (value, run) => {
        const result = element(value, run);
        return result === zero ? left : result;
      },
    };
  }
  // A Go struct: written even when it is zero.
  const zero = type.kind === 'scalar' ? zeroOf(type) : null;
  const left = omitZero ? undefined : zero;
  return {
    absent: () => left,
    present: (value, run) => {
      const result = element(value, run);
      return result === null ? left : result;
    },
  };
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value as object) return false;
  return true;
}

const dropsZero = (type: ScalarType): boolean => ['string', 'bool', 'int32', 'int64', 'double', 'bytes'].includes(type.scalar);

function zeroOf(type: ScalarType): unknown {
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

function conformType(type: Type): Conform {
  switch (type.kind) {
    case 'message':
      return (value, run) => conformMessage(type, value ?? {}, run);
    case 'list': {
      const element = conformType(type.element);
      return (value, run) => {
        if (value === null) return null;
        if (!Array.isArray(value)) throw MISMATCH;
        const list = new Array<unknown>(value.length);
        for (let i = 0; i < value.length; i++) list[i] = element(value[i], run);
        return list;
      };
    }
    case 'map':
      return conformMap(conformType(type.value));
    case 'union':
      return conformUnion(type);
    case 'scalar':
      return SCALARS[type.scalar];
  }
}

/** Keys in order, so that equal maps have equal bytes. */
function conformMap(element: Conform): Conform {
  return (value, run) => {
    if (value === null) return null;
    if (typeof value !== 'object' || Array.isArray(value)) throw MISMATCH;
    const from = value as Record<string, unknown>;
    let keys = 0;
    let sorted = true;
    let changed = false;
    let last = '';
    const results: unknown[] = [];
    for (const key in from) {
      if (key < last && keys > 0) sorted = false;
      last = key;
      keys++;
      const given = from[key];
      const result = element(given, run);
      if (result !== given) changed = true;
      results.push(result);
    }
    run.keys += keys;
    if (sorted && !changed) return from;
    const entries = Object.keys(from).map((key, i): [string, unknown] => [key, results[i]]);
    if (!sorted) entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return Object.fromEntries(entries);
  };
}

function conformUnion(type: UnionType): Conform {
  const strings = conformType({ kind: 'list', element: STRING_TYPE, listType: 'atomic', keys: [], wrapped: false, goType: '[]string' });
  return (value, run) => {
    if (Array.isArray(value)) {
      if (type.union === 'JSONSchemaPropsOrBool') throw MISMATCH;
      if (value.length === 0) return null;
      if (type.union === 'JSONSchemaPropsOrStringArray') return strings(value, run);
      return value.map((element) => conformMessage(type.schema, element ?? {}, run));
    }
    if (typeof value === 'object' && value !== null) return conformMessage(type.schema, value, run);
    if (type.union !== 'JSONSchemaPropsOrBool') return null;
    if (typeof value !== 'boolean') throw MISMATCH;
    return value;
  };
}

const STRING_TYPE: ScalarType = { kind: 'scalar', scalar: 'string', goType: 'string', values: [] };

/** The largest double within 64 bits: an int64 that a double cannot hold exactly is at least written as a valid one. */
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
    if (typeof value !== 'number' || !Number.isInteger(value) || value > MAX_INT32 || value < -MAX_INT32 - 1) throw MISMATCH;
    return value;
  },
  Time: ofText(time, null),
  MicroTime: ofText(microTime, null),
  Duration: ofText(duration, '0s'),
  RawExtension: raw,
  JSON: raw,
  FieldsV1: raw,
};
