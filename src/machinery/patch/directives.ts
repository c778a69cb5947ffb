/** Removes directives from patch values that have nothing in the object to merge with. */
import { isRecord, setOwn } from '../../base/index.ts';
import { PATCH } from './directive-names.ts';

/** The value without nulls and without objects that have a `$patch`; undefined if it has one itself. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (value[key] === null) continue;
    const member = withoutDirectives(value[key]);
    if (member !== undefined) setOwn(kept, key, member);
  }
  return kept;
}
