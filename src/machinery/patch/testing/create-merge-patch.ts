/** The inverse of applying a JSON merge patch, for tests of laws. */
import { deepEqual, getOwn, isRecord, setOwn } from '../../../base/index.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** The patch that makes `to` of `from`. Nulls below `to` cannot be expressed and become absent. */
export function createMergePatch(from: JsonRecord, to: JsonRecord): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(to)) {
    const old = getOwn(from, key);
    const now = to[key];
    if (deepEqual(old, now)) continue;
    setOwn(patch, key, isRecord(old) && isRecord(now) ? createMergePatch(old, now) : now);
  }
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) setOwn(patch, key, null);
  return patch;
}
