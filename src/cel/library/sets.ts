/** The sets library: lists compared as sets. */
import { overload, type Library } from '../function-table.ts';
import { A, BOOL, listOf } from '../types.ts';
import { isEqual, type Value } from '../values.ts';

type List = readonly Value[];

/** Strings are looked up in a Set, other values compared one by one. */
function membership(list: List): (value: Value) => boolean {
  const plain = new Set(list.filter((item) => typeof item === 'string'));
  const others = list.filter((item) => typeof item !== 'string');
  return (value) => (typeof value === 'string' ? plain.has(value) : others.some((other) => isEqual(other, value)));
}

const contains = (list: List, part: List): boolean => part.every(membership(list));

export const setLibrary: Library = {
  functions: {
    'sets.contains': [overload('list_sets_contains_list', [listOf(A), listOf(A)], BOOL, contains)],
    'sets.equivalent': [
      overload(
        'list_sets_equivalent_list',
        [listOf(A), listOf(A)],
        BOOL,
        (a: List, b: List) => contains(a, b) && contains(b, a),
      ),
    ],
    'sets.intersects': [
      overload('list_sets_intersects_list', [listOf(A), listOf(A)], BOOL, (a: List, b: List) => b.some(membership(a))),
    ],
  },
};
