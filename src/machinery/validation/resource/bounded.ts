/** Validates lists and maps with a maximum size; entries beyond it are not checked. */
import { duplicate, type FieldError, type Path, tooMany } from '../../errors/index.ts';
import { compareBytes } from '../../names/index.ts';

type ItemCheck<T> = (errors: FieldError[], item: T, at: Path) => void;

export function validateBoundedList<T>(
  errors: FieldError[],
  list: readonly T[] | undefined | null,
  at: Path,
  { max, item }: { max: number; item: ItemCheck<T> },
): void {
  if (!list) return;
  if (list.length > max) errors.push(tooMany(at, list.length, max));
  else for (const [i, entry] of list.entries()) item(errors, entry, at.index(i));
}

export function validateBoundedSet<T>(
  errors: FieldError[],
  list: readonly T[] | undefined | null,
  at: Path,
  {
    max,
    item,
    key,
    shown = key,
  }: { max: number; item: ItemCheck<T>; key: (entry: T) => string; shown?: (entry: T) => unknown },
): void {
  if (!list) return;
  validateBoundedList(errors, list, at, { max, item });
  if (list.length > max) return;
  const seen = new Set<string>();
  for (const [i, entry] of list.entries()) {
    const name = key(entry);
    if (seen.has(name)) errors.push(duplicate(at.index(i), shown(entry)));
    seen.add(name);
  }
}

export function validateBoundedMap<T>(
  errors: FieldError[],
  map: Readonly<Record<string, T>> | undefined | null,
  at: Path,
  { max, maxKey, key, item }: { max: number; maxKey: number; key: ItemCheck<string>; item: ItemCheck<T> },
): void {
  const entries = Object.entries(map ?? {}).sort(([a], [b]) => compareBytes(a, b));
  if (entries.length > max) {
    errors.push(tooMany(at, entries.length, max));
    return;
  }
  for (const [name, entry] of entries) {
    key(errors, name, at);
    item(errors, entry, at.key(shortened(name, maxKey)));
  }
}

/** Shortens a long key in a path. */
function shortened(text: string, max: number): string {
  const limit = Math.max(16, max);
  if (text.length <= limit) return text;
  const left = limit - 3;
  return `${text.slice(0, Math.floor((left + 1) / 2))}...${text.slice(text.length - Math.floor(left / 2))}`;
}
