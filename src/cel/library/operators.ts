/** The operators: arithmetic, comparison, membership and indexing; and size(). */
import { method, overload, type Library, type Overload } from '../function-table.ts';
import {
  A,
  B,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  STRING,
  TIMESTAMP,
  UINT,
  listOf,
  mapOf,
  optionalOf,
  type CelType,
} from '../types.ts';
import {
  CelError,
  compareValues,
  Duration,
  isEqual,
  Timestamp,
  toKey,
  Uint,
  type CelMap,
  type Value,
} from '../values.ts';
import { int, uint } from './integers.ts';

const divisor = (value: bigint, what: string): bigint => {
  if (value === 0n) throw new CelError(what);
  return value;
};

const MIN_TIMESTAMP = -62135596800n * 1_000_000_000n;
const MAX_TIMESTAMP = 253402300799n * 1_000_000_000n + 999_999_999n;

export function timestamp(nanos: bigint): Timestamp {
  if (nanos < MIN_TIMESTAMP || nanos > MAX_TIMESTAMP) throw new CelError('timestamp overflow');
  return new Timestamp(nanos);
}

export function duration(nanos: bigint): Duration {
  if (nanos < -(2n ** 63n) || nanos >= 2n ** 63n) throw new CelError('duration overflow');
  return new Duration(nanos);
}

const arithmetic: Record<string, Overload[]> = {
  '_+_': [
    overload('add_int64', [INT, INT], INT, (a: bigint, b: bigint) => int(a + b)),
    overload('add_uint64', [UINT, UINT], UINT, (a: Uint, b: Uint) => uint(a.value + b.value)),
    overload('add_double', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a + b),
    overload('add_string', [STRING, STRING], STRING, (a: string, b: string) => a + b),
    overload('add_bytes', [BYTES, BYTES], BYTES, (a: Uint8Array, b: Uint8Array) => Buffer.concat([a, b])),
    overload('add_list', [listOf(A), listOf(A)], listOf(A), (a: readonly Value[], b: readonly Value[]) => [...a, ...b]),
    overload('add_duration_duration', [DURATION, DURATION], DURATION, (a: Duration, b: Duration) =>
      duration(a.nanos + b.nanos),
    ),
    overload('add_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a: Timestamp, b: Duration) =>
      timestamp(a.nanos + b.nanos),
    ),
    overload('add_duration_timestamp', [DURATION, TIMESTAMP], TIMESTAMP, (a: Duration, b: Timestamp) =>
      timestamp(a.nanos + b.nanos),
    ),
  ],
  '_-_': [
    overload('subtract_int64', [INT, INT], INT, (a: bigint, b: bigint) => int(a - b)),
    overload('subtract_uint64', [UINT, UINT], UINT, (a: Uint, b: Uint) => uint(a.value - b.value)),
    overload('subtract_double', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a - b),
    overload('subtract_duration_duration', [DURATION, DURATION], DURATION, (a: Duration, b: Duration) =>
      duration(a.nanos - b.nanos),
    ),
    overload('subtract_timestamp_duration', [TIMESTAMP, DURATION], TIMESTAMP, (a: Timestamp, b: Duration) =>
      timestamp(a.nanos - b.nanos),
    ),
    overload('subtract_timestamp_timestamp', [TIMESTAMP, TIMESTAMP], DURATION, (a: Timestamp, b: Timestamp) =>
      duration(a.nanos - b.nanos),
    ),
  ],
  '_*_': [
    overload('multiply_int64', [INT, INT], INT, (a: bigint, b: bigint) => int(a * b)),
    overload('multiply_uint64', [UINT, UINT], UINT, (a: Uint, b: Uint) => uint(a.value * b.value)),
    overload('multiply_double', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a * b),
  ],
  '_/_': [
    overload('divide_int64', [INT, INT], INT, (a: bigint, b: bigint) => int(a / divisor(b, 'division by zero'))),
    overload('divide_uint64', [UINT, UINT], UINT, (a: Uint, b: Uint) =>
      uint(a.value / divisor(b.value, 'division by zero')),
    ),
    overload('divide_double', [DOUBLE, DOUBLE], DOUBLE, (a: number, b: number) => a / b),
  ],
  '_%_': [
    overload('modulo_int64', [INT, INT], INT, (a: bigint, b: bigint) => int(a % divisor(b, 'modulus by zero'))),
    overload('modulo_uint64', [UINT, UINT], UINT, (a: Uint, b: Uint) =>
      uint(a.value % divisor(b.value, 'modulus by zero')),
    ),
  ],
  '-_': [
    overload('negate_int64', [INT], INT, (a: bigint) => int(-a)),
    overload('negate_double', [DOUBLE], DOUBLE, (a: number) => -a),
  ],
  '!_': [overload('logical_not', [BOOL], BOOL, (a: boolean) => !a)],
};

/** Types with an order. Numbers of different types can also be compared. */
const ORDERED: readonly CelType[] = [BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION];
const NUMBERS: readonly CelType[] = [INT, UINT, DOUBLE];

function comparison(name: string, holds: (order: number) => boolean): Overload[] {
  const compare = (a: Value, b: Value): boolean => {
    const order = compareValues(a, b);
    return order !== undefined && holds(order);
  };
  const pairs = [
    ...ORDERED.map((type) => [type, type] as const),
    ...NUMBERS.flatMap((a) => NUMBERS.filter((b) => b !== a).map((b) => [a, b] as const)),
  ];
  return pairs.map(([a, b]) =>
    overload(a === b ? `${name}_${a.kind}` : `${name}_${a.kind}_${b.kind}`, [a, b], BOOL, compare),
  );
}

const characters = (text: string): bigint => {
  let count = 0n;
  for (const _ of text) count++;
  return count;
};

const sizes = (make: typeof overload): Overload[] => [
  make('size_string', [STRING], INT, (text: string) => characters(text)),
  make('size_bytes', [BYTES], INT, (bytes: Uint8Array) => BigInt(bytes.length)),
  make('size_list', [listOf(A)], INT, (list: readonly Value[]) => BigInt(list.length)),
  make('size_map', [mapOf(A, B)], INT, (map: CelMap) => BigInt(map.size)),
];

const unreachable = (): Value => {
  throw new CelError('the program evaluates indexing itself');
};

export const operators: Library = {
  functions: {
    ...arithmetic,
    '_<_': comparison('less', (order) => order < 0),
    '_<=_': comparison('less_equals', (order) => order <= 0),
    '_>_': comparison('greater', (order) => order > 0),
    '_>=_': comparison('greater_equals', (order) => order >= 0),
    '@in': [
      overload('in_list', [A, listOf(A)], BOOL, (value: Value, list: readonly Value[]) =>
        list.some((item) => isEqual(item, value)),
      ),
      overload('in_map', [A, mapOf(A, B)], BOOL, (value: Value, map: CelMap) => {
        const key = toKey(value);
        return key !== undefined && map.has(key);
      }),
    ],
    '_[_]': [
      overload('index_list', [listOf(A), INT], A, unreachable),
      overload('index_map', [mapOf(A, B), A], B, unreachable),
      overload('optional_list_index_int', [optionalOf(listOf(A)), INT], optionalOf(A), unreachable),
      overload('optional_map_index_value', [optionalOf(mapOf(A, B)), A], optionalOf(B), unreachable),
    ],
    '_[?_]': [
      overload('list_optindex_optional_int', [listOf(A), INT], optionalOf(A), unreachable),
      overload('optional_list_optindex_optional_int', [optionalOf(listOf(A)), INT], optionalOf(A), unreachable),
      overload('map_optindex_optional_value', [mapOf(A, B), A], optionalOf(B), unreachable),
      overload('optional_map_optindex_optional_value', [optionalOf(mapOf(A, B)), A], optionalOf(B), unreachable),
    ],
    size: [...sizes(overload), ...sizes(method)],
  },
};
