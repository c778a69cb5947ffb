/** The order of a merged list: as the patch has it, with the server's other items where they stood among their neighbours. */
import { getOwn, isRecord } from '../../base/index.ts';
import { noListsOfLists, noMergeKey, patchFailed, valueText, wrongType } from './patch-errors.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** What identifies an item: its merge key, or the item itself where there is none. */
export const identityOf = (item: unknown, mergeKey: string): unknown =>
  mergeKey === '' ? item : isRecord(item) ? getOwn(item, mergeKey) : undefined;

export interface OrderRequest {
  readonly items: readonly unknown[];
  /** The order that the patch asks for. */
  readonly patchOrder: readonly unknown[];
  readonly serverOrder: readonly unknown[];
  readonly mergeKey: string;
}

export function orderItems({ items, patchOrder, serverOrder, mergeKey }: OrderRequest): unknown[] {
  if (mergeKey !== '') {
    for (const list of [items, patchOrder, serverOrder]) for (const item of list) requireMergeKey(item, mergeKey);
  }
  const patchPlace = placesOf(patchOrder, mergeKey);
  const serverPlace = placesOf(serverOrder, mergeKey);
  const place = (places: Map<unknown, number>, item: unknown): number => places.get(identityOf(item, mergeKey)) ?? -1;
  const fromPatch = items.filter((item) => place(patchPlace, item) >= 0);
  const serverOnly = items.filter((item) => place(patchPlace, item) < 0);
  fromPatch.sort((a, b) => place(patchPlace, a) - place(patchPlace, b));
  serverOnly.sort((a, b) => place(serverPlace, a) - place(serverPlace, b));

  const ordered: unknown[] = [];
  let s = 0;
  let p = 0;
  while (s < serverOnly.length && p < fromPatch.length) {
    const patchItemPlace = place(serverPlace, fromPatch[p]);
    const serverItemPlace = place(serverPlace, serverOnly[s]);
    const serverFirst = patchItemPlace >= 0 && serverItemPlace >= 0 && serverItemPlace < patchItemPlace;
    ordered.push(serverFirst ? serverOnly[s++] : fromPatch[p++]);
  }
  return [...ordered, ...serverOnly.slice(s), ...fromPatch.slice(p)];
}

function placesOf(list: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const places = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  }
  return places;
}

export function requireMergeKey(item: unknown, mergeKey: string): JsonRecord {
  if (!isRecord(item)) throw wrongType('map', item);
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return item;
}

/** Lists merge only if all their items are of one kind. */
export function itemKind(...lists: readonly (readonly unknown[])[]): 'map' | 'scalar' {
  let first: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const kind = Array.isArray(item) ? 'list' : item === null ? 'null' : typeof item;
      if (kind === 'list' && first === undefined) throw noListsOfLists();
      first ??= kind;
      if (kind !== first) throw patchFailed(`list element types are not identical: ${valueText(lists)}`);
    }
  }
  if (first === undefined) throw patchFailed('no elements in any of the given slices');
  return first === 'object' ? 'map' : 'scalar';
}
