/**
 * Applies strategic merge patches: merge patches that know the schema. Lists with a merge key are merged item by
 * item. Directives in the patch (`$patch`, `$retainKeys`, `$setElementOrder/…`, `$deleteFromPrimitiveList/…`) express
 * what plain merging cannot.
 */
import type { Message, Type } from '../../api/index.ts';
import { getOwn, isRecord, setOwn } from '../../base/index.ts';
import { DELETE_LIST, PATCH, RETAIN_KEYS, SET_ORDER } from './directive-names.ts';
import { withoutDirectives } from './directives.ts';
import { itemKind, orderItems, requireMergeKey } from './element-order.ts';
import {
  badPrimitiveList,
  badRetainKeys,
  noMergeKey,
  patchFailed,
  unknownDirective,
  wrongType,
} from './patch-errors.ts';
import { patchMetaOf, type PatchMeta } from './patch-schema.ts';
import { checkAgainstOrder } from './set-element-order.ts';
import { withinDepth } from './within-depth.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns a new object that shares unchanged parts with `target`. */
export function applyStrategicMergePatch(
  message: Message,
  target: JsonRecord,
  patch: JsonRecord,
): Record<string, unknown> {
  return withinDepth(() => mergeMaps(message, target, patch));
}

function mergeMaps(type: Type, original: JsonRecord, patch: JsonRecord): Record<string, unknown> {
  if (Object.hasOwn(patch, PATCH)) return applyMapDirective(patch);
  const merged: Record<string, unknown> = { ...original };
  applyRetainKeys(merged, patch);
  const ordered = mergeOrderedLists(type, merged, patch);
  for (const key of Object.keys(patch)) {
    if (key === RETAIN_KEYS || key.startsWith(SET_ORDER) || ordered.has(key)) continue;
    mergeField(type, merged, key, patch[key]);
  }
  return merged;
}

function applyMapDirective(patch: JsonRecord): Record<string, unknown> {
  const { [PATCH]: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownDirective(directive, patch);
}

/** Removes all fields that `$retainKeys` does not list. The patch must not set others. */
function applyRetainKeys(merged: Record<string, unknown>, patch: JsonRecord): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const retained = patch[RETAIN_KEYS];
  if (!Array.isArray(retained)) throw badRetainKeys();
  const keep = new Set<unknown>(retained);
  for (const key of Object.keys(patch)) {
    const ignored =
      key === RETAIN_KEYS || patch[key] === null || key.startsWith(DELETE_LIST) || key.startsWith(SET_ORDER);
    if (!ignored && !keep.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(merged)) if (!keep.has(key)) delete merged[key];
}

function mergeField(type: Type, merged: Record<string, unknown>, patchKey: string, change: unknown): void {
  const isDeleteList = patchKey.startsWith(DELETE_LIST);
  const key = isDeleteList ? fieldOfDirective(patchKey, DELETE_LIST) : patchKey;
  if (change === null) {
    delete merged[key];
    return;
  }
  const old = getOwn(merged, key);
  if (old === undefined || kindOf(old) !== kindOf(change)) {
    if (!isDeleteList) setOrDrop(merged, key, withoutDirectives(change));
    return;
  }
  if (isRecord(old) && isRecord(change)) {
    const meta = patchMetaOf(type, key);
    setOwn(merged, key, meta.strategy === 'replace' ? change : mergeMaps(meta.type, old, change));
  } else if (Array.isArray(old) && Array.isArray(change)) {
    const meta = patchMetaOf(type, key);
    setOwn(
      merged,
      key,
      isDeleteList || meta.strategy === 'merge' ? mergeLists(meta, old, change, isDeleteList) : change,
    );
  } else {
    setOwn(merged, key, change);
  }
}

function fieldOfDirective(key: string, directive: typeof DELETE_LIST | typeof SET_ORDER): string {
  const field = key.slice(directive.length + 1);
  if (key[directive.length] !== '/') throw badPrimitiveList();
  return field;
}

function setOrDrop(merged: Record<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) delete merged[key];
  else setOwn(merged, key, value);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return value === null ? 'null' : typeof value;
}

/** Merges the lists that have a `$setElementOrder`; returns their names. */
function mergeOrderedLists(type: Type, merged: Record<string, unknown>, patch: JsonRecord): ReadonlySet<string> {
  const done = new Set<string>();
  for (const directive of Object.keys(patch)) {
    if (!directive.startsWith(SET_ORDER)) continue;
    const order = patch[directive];
    if (!Array.isArray(order)) throw wrongType('list', order);
    const key = fieldOfDirective(directive, SET_ORDER);
    const old = getOwn(merged, key);
    const change = getOwn(patch, key);
    if (old !== undefined && !Array.isArray(old)) throw wrongType('list', old);
    if (change !== undefined && !Array.isArray(change)) throw wrongType('list', change);
    const meta = patchMetaOf(type, key);
    checkAgainstOrder(change ?? [], order, meta.mergeKey);
    let items: readonly unknown[];
    if (!change) {
      if (!old) continue;
      items = old;
    } else if (!old) {
      items = withoutDirectives(change) as unknown[];
    } else {
      items = meta.strategy === 'merge' ? mergeLists(meta, old, change, false) : change;
    }
    itemKind(old ?? [], change ?? []);
    setOwn(merged, key, orderItems({ items, patchOrder: order, serverOrder: old ?? [], mergeKey: meta.mergeKey }));
    done.add(key);
  }
  return done;
}

function mergeLists(
  meta: PatchMeta,
  original: readonly unknown[],
  patch: readonly unknown[],
  isDeleteList: boolean,
): unknown[] {
  if (original.length === 0 && patch.length === 0) return [];
  if (itemKind(original, patch) === 'scalar') {
    if (isDeleteList) {
      const unwanted = new Set(patch);
      return original.filter((item) => !unwanted.has(item));
    }
    const items = deduplicate([...original, ...patch]);
    return orderItems({ items, patchOrder: patch, serverOrder: original, mergeKey: '' });
  }
  const { mergeKey } = meta;
  if (mergeKey === '')
    throw patchFailed(`cannot merge lists without merge key for ${meta.type.kind === 'message' ? meta.type.name : ''}`);
  const { remaining, changes } = applyItemDirectives(original, patch, mergeKey);
  const items = [...remaining];
  const positions = new Map<unknown, number>();
  for (let i = items.length - 1; i >= 0; i--)
    if (isRecord(items[i])) positions.set(getOwn(items[i] as JsonRecord, mergeKey), i);
  for (const change of changes) {
    if (!Object.hasOwn(change, mergeKey)) throw noMergeKey(change, mergeKey);
    const at = positions.get(change[mergeKey]);
    if (at === undefined) positions.set(change[mergeKey], items.push(change) - 1);
    else items[at] = mergeMaps(meta.type, requireMergeKey(items[at], mergeKey), change);
  }
  return orderItems({ items, patchOrder: changes, serverOrder: remaining, mergeKey });
}

interface ItemChanges {
  readonly remaining: readonly unknown[];
  readonly changes: readonly JsonRecord[];
}

/**
 * `$patch: delete` removes the item with the same key. `$patch: replace` replaces the list with the patch's other
 * items.
 */
function applyItemDirectives(original: readonly unknown[], patch: readonly unknown[], mergeKey: string): ItemChanges {
  const deleted = new Set<unknown>();
  const changes: JsonRecord[] = [];
  let replaces = false;
  for (const item of patch) {
    if (!isRecord(item)) throw wrongType('map', item);
    if (!Object.hasOwn(item, PATCH)) changes.push(item);
    else if (item[PATCH] === 'replace') replaces = true;
    else if (item[PATCH] === 'merge') throw patchFailed('merging lists cannot yet be specified in the patch');
    else if (item[PATCH] !== 'delete') throw unknownDirective(item[PATCH], item);
    else if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
    else deleted.add(item[mergeKey]);
  }
  if (replaces) return { remaining: changes, changes: [] };
  return {
    remaining:
      deleted.size === 0
        ? original
        : original.filter((other) => !isRecord(other) || !deleted.has(getOwn(other, mergeKey))),
    changes,
  };
}

/** As upstream, moves the last item to the position of a duplicate. */
export function deduplicate(items: unknown[]): unknown[] {
  const positions = new Map<unknown, Set<number>>();
  const positionsOf = (item: unknown): Set<number> => {
    let found = positions.get(item);
    if (!found) positions.set(item, (found = new Set()));
    return found;
  };
  for (const [i, item] of items.entries()) positionsOf(item).add(i);
  for (let i = 0; i < items.length - 1; i++) {
    const item = items[i];
    const duplicates = [...positionsOf(item)].filter((position) => position > i).sort((a, b) => a - b);
    for (const position of duplicates) {
      while (position < items.length && items[position] === item) {
        const last = items.pop();
        positionsOf(last).delete(items.length);
        if (position >= items.length) break;
        positionsOf(item).delete(position);
        items[position] = last;
        positionsOf(last).add(position);
      }
    }
  }
  return items;
}
