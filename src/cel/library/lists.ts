/** The lists libraries: Kubernetes' functions (isSorted, sum, min, indexOf), and cel-go's (slice, flatten, distinct, sort). */
import { method, overload, type Library, type Overload } from '../function-table.ts';
import {
  A,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  STRING,
  TIMESTAMP,
  UINT,
  listOf,
  optionalOf,
  type CelType,
} from '../types.ts';
import { CelError, compareValues, Duration, isEqual, Optional, Uint, type Value } from '../values.ts';
import { int, uint } from './integers.ts';
import { duration } from './operators.ts';

type List = readonly Value[];

const ORDERED: readonly CelType[] = [INT, UINT, DOUBLE, BOOL, STRING, BYTES, TIMESTAMP, DURATION];
const MAX_RANGE = 100_000n;

function isSorted(list: List): boolean {
  for (let i = 1; i < list.length; i++) if ((compareValues(list[i - 1]!, list[i]!) ?? 1) > 0) return false;
  return true;
}

const extreme =
  (name: string, sign: number) =>
  (list: List): Value => {
    let best = list[0];
    if (best === undefined) throw new CelError(`${name} called on empty list`);
    for (const item of list) if ((compareValues(item, best) ?? 0) * sign > 0) best = item;
    return best;
  };

const perType = (name: string, result: CelType | undefined, evaluate: (list: List) => Value): Overload[] =>
  ORDERED.map((type) =>
    method(`list_${type.kind}_${name}_${(result ?? type).kind}`, [listOf(type)], result ?? type, evaluate),
  );

const sums: Overload[] = [
  method('list_int_sum_int', [listOf(INT)], INT, (list: readonly bigint[]) =>
    int(list.reduce((sum, item) => sum + item, 0n)),
  ),
  method('list_uint_sum_uint', [listOf(UINT)], UINT, (list: readonly Uint[]) =>
    uint(list.reduce((sum, item) => sum + item.value, 0n)),
  ),
  method('list_double_sum_double', [listOf(DOUBLE)], DOUBLE, (list: readonly number[]) =>
    list.reduce((sum, item) => sum + item, 0),
  ),
  method('list_duration_sum_duration', [listOf(DURATION)], DURATION, (list: readonly Duration[]) =>
    duration(list.reduce((sum, item) => sum + item.nanos, 0n)),
  ),
];

function slice(list: List, start: bigint, end: bigint): Value {
  if (start < 0n || end < 0n) throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > list.length) throw new CelError(`cannot slice(${start}, ${end}), list is length ${list.length}`);
  return list.slice(Number(start), Number(end));
}

function flatten(list: List, depth = 1n): Value {
  if (depth < 0n) throw new CelError('level must be non-negative');
  const flat = (items: List, left: bigint): Value[] =>
    items.flatMap((item) => (Array.isArray(item) && left > 0n ? flat(item as List, left - 1n) : [item]));
  return flat(list, depth < 100n ? depth : 100n);
}

function distinct(list: List): Value {
  const found: Value[] = [];
  const plain = new Set<Value>();
  for (const item of list) {
    // A Set finds repeated strings and booleans in linear time.
    if (typeof item === 'string' || typeof item === 'boolean') {
      if (plain.has(item)) continue;
      plain.add(item);
    } else if (found.some((other) => isEqual(other, item))) continue;
    found.push(item);
  }
  return found;
}

function range(size: bigint): Value {
  if (size > MAX_RANGE) throw new CelError(`lists.range(${size}) is too long`);
  return Array.from({ length: Math.max(0, Number(size)) }, (_, i) => BigInt(i));
}

function sort(list: List): Value {
  return [...list].sort((a, b) => compareValues(a, b) ?? 0);
}

export const listLibrary: Library = {
  functions: {
    isSorted: perType('is_sorted', BOOL, isSorted),
    sum: sums,
    min: perType('min', undefined, extreme('min', -1)),
    max: perType('max', undefined, extreme('max', 1)),
    indexOf: [
      method('list_a_index_of_int', [listOf(A), A], INT, (list: List, value: Value) =>
        BigInt(list.findIndex((item) => isEqual(item, value))),
      ),
    ],
    lastIndexOf: [
      method('list_a_last_index_of_int', [listOf(A), A], INT, (list: List, value: Value) =>
        BigInt(list.findLastIndex((item) => isEqual(item, value))),
      ),
    ],
  },
};

/** Its macro, sortBy, is in `macros.ts`. */
export const celGoListLibrary: Library = {
  introduced: 34,
  functions: {
    slice: [method('list_slice', [listOf(A), INT, INT], listOf(A), slice)],
    flatten: [
      method('list_flatten', [listOf(listOf(A))], listOf(A), flatten),
      method('list_flatten_int', [listOf(A), INT], listOf(A), flatten),
    ],
    distinct: [method('list_distinct', [listOf(A)], listOf(A), distinct)],
    reverse: [method('list_reverse', [listOf(A)], listOf(A), (list: List) => [...list].reverse())],
    sort: ORDERED.map((type) => method(`list_${type.kind}_sort`, [listOf(type)], listOf(type), sort)),
    first: [
      method('list_first', [listOf(A)], optionalOf(A), (list: List) =>
        list.length > 0 ? Optional.of(list[0]!) : Optional.NONE,
      ),
    ],
    last: [
      method('list_last', [listOf(A)], optionalOf(A), (list: List) =>
        list.length > 0 ? Optional.of(list.at(-1)!) : Optional.NONE,
      ),
    ],
    'lists.range': [overload('lists_range', [INT], listOf(INT), range)],
  },
};
