/** Creates strategic merge patches from two objects, as kubectl does: the inverse of applying, for tests of laws. */
import type { Message, Type } from '../../../api/index.ts';
import { compareText, deepEqual, getOwn, isRecord, setOwn } from '../../../base/index.ts';
import { DELETE_LIST, PATCH, RETAIN_KEYS, SET_ORDER } from '../directive-names.ts';
import { identityOf, itemKind, requireMergeKey } from '../element-order.ts';
import { valueText } from '../patch-errors.ts';
import { patchMetaOf, type PatchMeta } from '../patch-schema.ts';
import { withinDepth } from '../within-depth.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** The patch that makes `modified` of `original`. */
export function createStrategicMergePatch(
  message: Message,
  original: JsonRecord,
  modified: JsonRecord,
): Record<string, unknown> {
  return withinDepth(() =>
    diffMaps(message, original, modified, { changes: true, deletions: true, retainKeys: false }),
  );
}

interface DiffOptions {
  /** What is added or different. */
  readonly changes: boolean;
  readonly deletions: boolean;
  /** The fields are written into a `$retainKeys`. */
  readonly retainKeys: boolean;
}

function diffMaps(
  type: Type,
  original: JsonRecord,
  modified: JsonRecord,
  options: DiffOptions,
): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(modified)) {
    const old = getOwn(original, key);
    const now = modified[key];
    if (old === now) continue;
    if (isRecord(old) && isRecord(now)) diffMapField(type, key, { patch, old, now, options });
    else if (Array.isArray(old) && Array.isArray(now)) diffListField(type, key, { patch, old, now, options });
    else if (options.changes && !deepEqual(old, now)) setOwn(patch, key, now);
  }
  const gone = Object.keys(original).filter((key) => !Object.hasOwn(modified, key));
  if (options.deletions) for (const key of gone) setOwn(patch, key, null);
  if (options.retainKeys && (Object.keys(patch).length > 0 || gone.some((key) => original[key] !== null))) {
    const retained = Object.keys(modified).filter((key) => modified[key] !== null);
    if (retained.length > 0) patch[RETAIN_KEYS] = retained.sort(compareText);
  }
  return patch;
}

interface FieldDiff<T> {
  readonly patch: Record<string, unknown>;
  readonly old: T;
  readonly now: T;
  readonly options: DiffOptions;
}

function diffMapField(type: Type, key: string, { patch, old, now, options }: FieldDiff<JsonRecord>): void {
  if (deepEqual(old, now)) return;
  const meta = patchMetaOf(type, key);
  if (meta.strategy === 'replace') {
    if (options.changes) setOwn(patch, key, now);
    return;
  }
  const change = diffMaps(meta.type, old, now, { ...options, retainKeys: meta.retainKeys });
  if (Object.keys(change).length > 0) setOwn(patch, key, change);
}

function diffListField(type: Type, key: string, { patch, old, now, options }: FieldDiff<readonly unknown[]>): void {
  if (deepEqual(old, now)) return;
  const meta = patchMetaOf(type, key);
  if (meta.strategy !== 'merge') {
    if (options.changes) setOwn(patch, key, now);
    return;
  }
  if (old.length === 0) {
    if (options.changes) setOwn(patch, key, now);
    return;
  }
  const diff =
    itemKind(old, now) === 'map' ? diffMapItems(meta, old, now, options) : diffScalarItems(old, now, options);
  if (diff.items.length > 0) setOwn(patch, key, diff.items);
  if (diff.deleted.length > 0) patch[`${DELETE_LIST}/${key}`] = diff.deleted;
  if (diff.order.length > 0) patch[`${SET_ORDER}/${key}`] = diff.order;
}

interface ListDiff {
  readonly items: readonly unknown[];
  /** Scalars to delete. */
  readonly deleted: readonly unknown[];
  readonly order: readonly unknown[];
}

function diffMapItems(
  meta: PatchMeta,
  old: readonly unknown[],
  now: readonly unknown[],
  options: DiffOptions,
): ListDiff {
  const { mergeKey } = meta;
  const oldItems = new Map<unknown, JsonRecord>();
  for (const item of old) oldItems.set(identityOf(item, mergeKey), requireMergeKey(item, mergeKey));
  const items: unknown[] = [];
  const order: unknown[] = [];
  const kept = new Set<unknown>();
  for (const item of now) {
    const record = requireMergeKey(item, mergeKey);
    const identity = record[mergeKey];
    kept.add(identity);
    order.push({ [mergeKey]: identity });
    const before = oldItems.get(identity);
    if (!before) {
      if (options.changes) items.push(record);
      continue;
    }
    const change = diffMaps(meta.type, before, record, { ...options, retainKeys: meta.retainKeys });
    if (Object.keys(change).length > 0) items.push({ ...change, [mergeKey]: identity });
  }
  if (options.deletions) {
    const gone = [...oldItems.keys()].filter((identity) => !kept.has(identity));
    gone.sort((a, b) => compareText(valueText(a), valueText(b)));
    for (const identity of gone) items.push({ [PATCH]: 'delete', [mergeKey]: identity });
  }
  const sameOrder =
    old.length === now.length && old.every((item, i) => identityOf(item, mergeKey) === identityOf(now[i], mergeKey));
  const needsOrder = items.length > 0 || (options.changes && !sameOrder);
  return { items, deleted: [], order: needsOrder ? order : [] };
}

function diffScalarItems(old: readonly unknown[], now: readonly unknown[], options: DiffOptions): ListDiff {
  const before = new Set(old);
  const after = new Set(now);
  const items = options.changes ? now.filter((item) => !before.has(item)) : [];
  const deleted = options.deletions ? [...before].filter((item) => !after.has(item)) : [];
  deleted.sort((a, b) => compareText(valueText(a), valueText(b)));
  return { items, deleted, order: deleted.length > 0 || options.changes ? now : [] };
}
