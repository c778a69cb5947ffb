/**
 * Merges an applied configuration into the live object. Nothing is removed. If both have a leaf, the applied one
 * wins.
 */
import { getOwn, isRecord, setOwn } from '../../base/index.ts';
import { DEDUCED, type ApplyType, type ListApplyType } from './apply-type.ts';
import { identifyItems } from './list-items.ts';

/** Returns `live` itself if nothing changes. */
export function mergeTyped(type: ApplyType, live: unknown, applied: unknown): unknown {
  if (applied === undefined || live === applied) return live;
  if (live === undefined) return applied;
  switch (type.kind) {
    case 'scalar':
    case 'atomic':
      return applied;
    case 'struct':
      return mergeMaps((name) => type.byName.get(name)?.type ?? DEDUCED, live, applied);
    case 'map':
      return mergeMaps(() => type.value, live, applied);
    case 'deduced':
      return isRecord(live) && isRecord(applied) ? mergeMaps(() => DEDUCED, live, applied) : applied;
    case 'list':
      return mergeLists(type, live, applied);
  }
}

function mergeMaps(typeOf: (name: string) => ApplyType, live: unknown, applied: unknown): unknown {
  const mine = isRecord(live) ? live : undefined;
  const theirs = isRecord(applied) ? applied : undefined;
  // A null does not clear the live value.
  if (!theirs || isEmpty(theirs)) return mine && !isEmpty(mine) ? live : applied;
  if (!mine) return applied;
  let merged: Record<string, unknown> | undefined;
  for (const name in theirs) {
    const old = getOwn(mine, name);
    const value = mergeTyped(typeOf(name), old, theirs[name]);
    if (value === old) continue;
    merged ??= { ...mine };
    setOwn(merged, name, value);
  }
  return merged ?? live;
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}

/** Merges the items of both lists, in the order of the applied list. Other live items keep their relative positions. */
function mergeLists(type: ListApplyType, live: unknown, applied: unknown): unknown {
  const mine = Array.isArray(live) ? live : [];
  const theirs = Array.isArray(applied) ? applied : [];
  if (theirs.length === 0) return mine.length > 0 ? live : applied;
  if (mine.length === 0) return applied;
  const liveItems = identifyItems(type, mine);
  const appliedItems = identifyItems(type, theirs);
  const liveByElement = new Map<string, unknown>();
  for (const { element, item } of liveItems) {
    // Duplicate items are not merged but replaced.
    liveByElement.set(element, liveByElement.has(element) ? undefined : item);
  }
  const appliedElements = new Map(appliedItems.map(({ element, item }) => [element, item]));
  const shared = appliedItems.filter(({ element }) => liveByElement.has(element)).map(({ element }) => element);
  let nextShared = shared.shift();
  const seen = new Set<string>();
  const out: unknown[] = [];
  const emit = (element: string): void => {
    seen.add(element);
    out.push(mergeTyped(type.item, liveByElement.get(element), appliedElements.get(element)));
    if (nextShared === element) nextShared = shared.shift();
  };
  let l = 0;
  let a = 0;
  while (l < liveItems.length || a < appliedItems.length) {
    const liveItem = liveItems[l];
    const appliedItem = appliedItems[a];
    if (liveItem && appliedItem) {
      if (liveItem.element === appliedItem.element) {
        emit(liveItem.element);
        l++;
        a++;
        continue;
      }
      if (appliedElements.has(liveItem.element) && nextShared !== undefined && nextShared !== liveItem.element) {
        l++;
        continue;
      }
    }
    if (liveItem) {
      if (!appliedElements.has(liveItem.element)) {
        out.push(liveItem.item);
        l++;
        continue;
      }
      if (seen.has(liveItem.element)) l++;
    }
    if (appliedItem) {
      emit(appliedItem.element);
      a++;
    }
  }
  return out.length === mine.length && out.every((item, i) => item === mine[i]) ? live : out;
}
