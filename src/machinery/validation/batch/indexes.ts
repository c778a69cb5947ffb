/** Sets of indexes of an Indexed Job, written as `1,3-5,7`. */
import { quote } from '../../../base/index.ts';

interface IndexSet {
  readonly total: number;
}

/** The set of indexes, or an error message. */
export function parseIndexes(text: string, completions: number): IndexSet | string {
  if (text === '') return { total: 0 };
  let last: number | undefined;
  let total = 0;
  for (const fragment of text.split(',')) {
    const interval = parseInterval(fragment, completions);
    if (typeof interval === 'string') return interval;
    const [from, to] = interval;
    if (last !== undefined && last >= from) return `non-increasing order, previous: ${last}, current: ${from}`;
    total += to - from + 1;
    last = to;
  }
  return { total };
}

/** The first index in both sets. Invalid intervals are ignored; `parseIndexes` reports them. */
export function overlappingIndex(a: string, b: string, completions: number): number | undefined {
  if (a === '' || b === '') return undefined;
  const readable = (text: string): [number, number][] =>
    text
      .split(',')
      .map((fragment) => parseInterval(fragment, completions))
      .filter((interval) => typeof interval !== 'string');
  const [left, right] = [readable(a), readable(b)];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    const [x, y] = [left[i]!, right[j]!];
    if (x[0] <= y[1] && y[0] <= x[1]) return Math.max(x[0], y[0]);
    if (x[0] <= y[0]) i++;
    else j++;
  }
  return undefined;
}

function parseInterval(fragment: string, completions: number): [number, number] | string {
  const limits = fragment.split('-');
  if (limits.length > 2) {
    return `the fragment ${quote(fragment)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^[+-]?\d+$/.test(limit)) return `cannot convert string to integer for index: ${quote(limit)}`;
    const value = Number(limit);
    if (value >= completions) return `too large index: ${quote(limit)}`;
    numbers.push(value);
  }
  const [from = 0, to] = numbers;
  if (to === undefined) return [from, from];
  return from >= to ? `non-increasing order, previous: ${from}, current: ${to}` : [from, to];
}
