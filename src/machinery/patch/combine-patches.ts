/** Two strategic merge patches in one: first the deletions, then the changes, both still in the form of a patch. */
import type { Type } from '../../api/index.ts';
import { deepEqual, getOwn, isRecord, setOwn } from '../../base/index.ts';
import { DELETE_LIST, PATCH, RETAIN_KEYS, SET_ORDER } from './directive-names.ts';
import { identityOf } from './element-order.ts';
import { badElementOrder } from './patch-errors.ts';
import { patchMetaOf, type PatchMeta } from './patch-schema.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

export function combinePatches(type: Type, deletions: JsonRecord, changes: JsonRecord): Record<string, unknown> {
  const combined: Record<string, unknown> = { ...deletions };
  for (const key of Object.keys(changes)) {
    const change = changes[key];
    const deletion = getOwn(deletions, key);
    if (key.startsWith(SET_ORDER) || key === RETAIN_KEYS) {
      if (deletion !== undefined && !deepEqual(deletion, change)) throw badElementOrder();
      combined[key] = change;
    } else if (isRecord(deletion) && isRecord(change)) {
      setOwn(combined, key, combinePatches(patchMetaOf(type, key).type, deletion, change));
    } else if (Array.isArray(deletion) && Array.isArray(change) && !key.startsWith(DELETE_LIST)) {
      setOwn(combined, key, combineItems(patchMetaOf(type, key), deletion, change));
    } else {
      setOwn(combined, key, change);
    }
  }
  return combined;
}

/** Changed items first, in their order; then those to delete. */
function combineItems(meta: PatchMeta, deletions: readonly unknown[], changes: readonly unknown[]): unknown[] {
  const { mergeKey } = meta;
  if (mergeKey === '') return [...new Set([...deletions, ...changes])];
  const open = new Map(deletions.map((item) => [identityOf(item, mergeKey), item]));
  const items: unknown[] = [];
  for (const change of changes) {
    const identity = identityOf(change, mergeKey);
    const deletion = open.get(identity);
    open.delete(identity);
    items.push(
      isRecord(deletion) && isRecord(change) && !Object.hasOwn(deletion, PATCH)
        ? combinePatches(meta.type, deletion, change)
        : change,
    );
  }
  return [...items, ...open.values()];
}
