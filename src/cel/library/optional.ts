/** The optional types: optional.of(), orValue() and so on. */
import { method, overload, type Library } from '../function-table.ts';
import { A, BOOL, listOf, optionalOf, opaque, DYN } from '../types.ts';
import { Optional, Uint, type Value } from '../values.ts';

const OPTIONAL = optionalOf(A);

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  return value instanceof Uint ? value.value === 0n : value instanceof Uint8Array && value.length === 0;
}

const unwrap = (list: readonly Optional[]): Value => list.filter(({ hasValue }) => hasValue).map(({ value }) => value);

export const optionalLibrary: Library = {
  types: { optional_type: opaque('optional_type', DYN) },
  functions: {
    'optional.of': [overload('optional_of', [A], OPTIONAL, (value: Value) => Optional.of(value))],
    'optional.ofNonZeroValue': [
      overload('optional_ofNonZeroValue', [A], OPTIONAL, (value: Value) =>
        isZero(value) ? Optional.NONE : Optional.of(value),
      ),
    ],
    'optional.none': [overload('optional_none', [], OPTIONAL, () => Optional.NONE)],
    'optional.unwrap': [overload('optional_unwrap', [listOf(OPTIONAL)], listOf(A), unwrap)],
    unwrapOpt: [method('optional_unwrapOpt', [listOf(OPTIONAL)], listOf(A), unwrap)],
    value: [method('optional_value', [OPTIONAL], A, (optional: Optional) => optional.value)],
    hasValue: [method('optional_hasValue', [OPTIONAL], BOOL, (optional: Optional) => optional.hasValue)],
    or: [
      method('optional_or_optional', [OPTIONAL, OPTIONAL], OPTIONAL, (a: Optional, b: Optional) =>
        a.hasValue ? a : b,
      ),
    ],
    orValue: [
      method('optional_orValue_value', [OPTIONAL, A], A, (optional: Optional, value: Value) =>
        optional.hasValue ? optional.value : value,
      ),
    ],
  },
};
