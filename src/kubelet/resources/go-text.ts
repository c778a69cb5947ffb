/** Values as Go prints them for a checksum: those in lists and maps without their types, and keys in order. */
import { compareText } from '../../base/index.ts';

export const goList = (items: readonly (string | number)[] | null): string =>
  items === null ? '<nil>' : `[${items.join(' ')}]`;

export function goMap<T>(
  map: Readonly<Record<string, T>> | null,
  text: (value: T) => string,
  compare: (a: string, b: string) => number = compareText,
): string {
  if (map === null) return '<nil>';
  const entries = Object.entries(map).toSorted(([a], [b]) => compare(a, b));
  return `map[${entries.map(([key, value]) => `${key}:${text(value)}`).join(' ')}]`;
}
