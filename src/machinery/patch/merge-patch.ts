/** JSON merge patch (RFC 7386). */
import { getOwn, isRecord, setOwn } from '../../base/index.ts';
import { withinDepth } from './within-depth.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

export function applyMergePatch(target: JsonRecord, patch: JsonRecord): Record<string, unknown> {
  return withinDepth(() => mergeRecords(target, patch));
}

function mergeRecords(target: JsonRecord, patch: JsonRecord): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...target };
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === null) {
      delete merged[key];
      continue;
    }
    const old = getOwn(target, key);
    if (!isRecord(old)) setOwn(merged, key, withoutNulls(change));
    else setOwn(merged, key, isRecord(change) ? mergeRecords(old, change) : change);
  }
  return merged;
}

/** Nulls mean removal, also in new objects. In lists they are values. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwn(kept, key, withoutNulls(value[key]));
  return kept;
}
