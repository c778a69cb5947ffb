/**
 * The canonical form of a value: what upstream's decoder and encoder would make of it. Compiled once per message into
 * a tree of small functions, so that the common case, a valid object, takes one pass without lookups by type.
 *
 * Only valid values are handled here. For any other value this throws MISMATCH, and the exact decoder finds the
 * error.
 */
import type { Field, Message, Type, UnionType } from '../../api/index.ts';
import { conformScalar, ConformRun, dropsZero, MISMATCH, STRING_TYPE, zeroOf, type Conform } from './conform-scalar.ts';
import { MAX_MESSAGE_DEPTH, TooDeepError } from './type-error.ts';

interface PlanField {
  readonly name: string;
  /** undefined leaves the field out. */
  readonly present: Conform;
  /** The value of an absent field; undefined for most fields. */
  readonly absent: () => unknown;
}

/** A message's fields in declared order, and the indices of those that are written even if they are absent. */
interface Plan {
  readonly fields: PlanField[];
  readonly byName: Map<string, number>;
  readonly always: number[];
  /** `always` as a bitmap of the first 64 fields. */
  alwaysLow: number;
  alwaysHigh: number;
}

const plans = new WeakMap<Message, Plan>();
/** Of messages of which a field's validation distinguishes empty lists from absent ones. */
const distinguishingPlans = new WeakMap<Message, Plan>();

function planOf(message: Message, distinguishesEmpty: boolean): Plan {
  const made = distinguishesEmpty ? distinguishingPlans : plans;
  const known = made.get(message);
  if (known) return known;
  const plan: Plan = { fields: [], byName: new Map(), always: [], alwaysLow: 0, alwaysHigh: 0 };
  made.set(message, plan);
  if (message.object) {
    for (const name of ['kind', 'apiVersion'])
      addField(
        plan,
        {
          name,
          ...planValue(
            { name, type: STRING_TYPE, keep: false, omitZero: false, distinguishesEmpty: false },
            conformScalar('string'),
          ),
        },
        false,
      );
  }
  for (const field of message.fields) {
    const distinguishing = distinguishesEmpty && field.type.kind === 'list';
    addField(plan, planField(distinguishing ? { ...field, distinguishesEmpty: true } : field), isAlwaysWritten(field));
  }
  return plan;
}

function addField(plan: Plan, field: PlanField, always: boolean): void {
  const index = plan.fields.push(field) - 1;
  plan.byName.set(field.name, index);
  if (!always) return;
  plan.always.push(index);
  if (index < 32) plan.alwaysLow |= 1 << index;
  else plan.alwaysHigh |= 1 << (index - 32);
}

/** Throws MISMATCH. */
export function conformMessage(message: Message, value: unknown, run: ConformRun): Record<string, unknown> {
  return applyPlan(planOf(message, false), value, run);
}

/**
 * Most fields of most messages are absent. So this marks the present fields in a bitmap and visits only those, in bit
 * order, which is the declared order.
 */
function applyPlan(plan: Plan, value: unknown, run: ConformRun): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw MISMATCH;
  const from = value as Record<string, unknown>;
  if (plan.fields.length > MAX_BITMAP_FIELDS) return applyLargePlan(plan, from, run);
  const to: Record<string, unknown> = {};
  let low = 0;
  let high = 0;
  for (const key in from) {
    const index = plan.byName.get(key);
    if (index === undefined) throw MISMATCH;
    run.keys++;
    if (index < 32) low |= 1 << index;
    else high |= 1 << (index - 32);
  }
  if (++run.depth > MAX_MESSAGE_DEPTH) throw new TooDeepError();
  const [missingLow, missingHigh] = [plan.alwaysLow & ~low, plan.alwaysHigh & ~high];
  if (!run.stored && (missingLow | missingHigh) !== 0)
    run.growth.add((bitCount(missingLow) + bitCount(missingHigh)) * BYTES_OF_FIELD);
  low |= missingLow;
  high |= missingHigh;
  const { fields } = plan;
  for (; low !== 0; low &= low - 1) conformField(fields[31 - Math.clz32(low & -low)]!, from, to, run);
  for (; high !== 0; high &= high - 1) conformField(fields[63 - Math.clz32(high & -high)]!, from, to, run);
  run.depth--;
  return to;
}

const MAX_BITMAP_FIELDS = 64;

/** The length of a field with an empty value, on average. */
const BYTES_OF_FIELD = 12;

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Only custom resources have messages with more than 64 fields. */
function applyLargePlan(plan: Plan, from: Record<string, unknown>, run: ConformRun): Record<string, unknown> {
  const indices = new Set(plan.always);
  for (const key in from) {
    const index = plan.byName.get(key);
    if (index === undefined) throw MISMATCH;
    run.keys++;
    indices.add(index);
  }
  if (++run.depth > MAX_MESSAGE_DEPTH) throw new TooDeepError();
  const to: Record<string, unknown> = {};
  for (const index of [...indices].sort((a, b) => a - b)) conformField(plan.fields[index]!, from, to, run);
  run.depth--;
  return to;
}

function conformField(
  field: PlanField,
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  run: ConformRun,
): void {
  const { name } = field;
  const given = from[name];
  const result = given === undefined ? field.absent() : field.present(given, run);
  if (result !== undefined) to[name] = result;
}

function isAlwaysWritten(field: Field): boolean {
  if (field.pointer) return field.keep;
  const { type } = field;
  return (
    type.kind === 'message' ||
    field.keep ||
    !(type.kind === 'list' || type.kind === 'map' || (type.kind === 'scalar' && dropsZero(type)))
  );
}

function planField(field: Field): PlanField {
  const element = conformType(field.type, field.distinguishesEmpty);
  const { name } = field;
  if (field.pointer) {
    const nil = field.keep ? null : undefined;
    return {
      name,
      absent: () => nil,
      present: (value, run) => {
        if (value === null) return nil;
        const result = element(value, run) ?? nil;
        // A pointer to the zero time is set, and written as null; the store has no such time.
        return result === undefined && !run.stored && isTime(field.type) ? null : result;
      },
    };
  }
  return { name, ...planValue(field, element) };
}

function isTime(type: Type): boolean {
  return type.kind === 'scalar' && (type.scalar === 'Time' || type.scalar === 'MicroTime');
}

/** A field that is not a pointer: zero and absent are the same, and the type decides what is written. */
function planValue(
  field: Pick<Field, 'name' | 'type' | 'keep' | 'omitZero' | 'distinguishesEmpty'>,
  element: Conform,
): Omit<PlanField, 'name'> {
  const { name, type, keep, omitZero, distinguishesEmpty } = field;
  if (type.kind === 'message') return { present: element, absent: () => element(null, new ConformRun()) };
  if (type.kind === 'list' || type.kind === 'map') {
    // The empty items of a list object are kept; other empty lists do not survive upstream's storage.
    const isItems =
      keep && name === 'items' && type.kind === 'list' && type.element.kind === 'message' && type.element.object;
    const absent = (): unknown => (isItems ? [] : keep ? null : undefined);
    return {
      absent,
      present: (value, run) => {
        if (value === null) return absent();
        const result = element(value, run);
        return isEmpty(result) && (run.stored || !distinguishesEmpty) ? absent() : result;
      },
    };
  }
  if (type.kind === 'scalar' && dropsZero(type)) {
    const zero = zeroOf(type);
    const left = keep ? zero : undefined;
    // Go writes a nil slice of bytes as null, and an empty one as "".
    const absent = keep && type.scalar === 'bytes' ? null : left;
    return {
      absent: () => absent,
      present: (value, run) => {
        if (value === null) return absent;
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

function conformType(type: Type, distinguishesEmpty = false): Conform {
  switch (type.kind) {
    case 'message': {
      let plan: Plan | undefined;
      return (value, run) => applyPlan((plan ??= planOf(type, distinguishesEmpty)), value ?? EMPTY, run);
    }
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
      return conformScalar(type.scalar);
  }
}

/** Keys are sorted, so that equal maps encode to equal bytes. */
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
  const strings = conformType({
    kind: 'list',
    element: STRING_TYPE,
    listType: 'atomic',
    keys: [],
    wrapped: false,
    goType: '[]string',
  });
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

const EMPTY = Object.freeze({});
