/**
 * The order of a merged list: the order of the patch, with the other items of the live list at their relative
 * positions.
 */
import { getOwn, isRecord } from '../../base/index.ts';
import { noListsOfLists, noMergeKey, patchFailed, valueText, wrongType } from './patch-errors.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** The merge key of an item; the item itself in a list of scalars. */
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
  const patchPositions = positionsOf(patchOrder, mergeKey);
  const serverPositions = positionsOf(serverOrder, mergeKey);
  const position = (positions: Map<unknown, number>, item: unknown): number =>
    positions.get(identityOf(item, mergeKey)) ?? -1;
  const fromPatch = items.filter((item) => position(patchPositions, item) >= 0);
  const serverOnly = items.filter((item) => position(patchPositions, item) < 0);
  fromPatch.sort((a, b) => position(patchPositions, a) - position(patchPositions, b));
  serverOnly.sort((a, b) => position(serverPositions, a) - position(serverPositions, b));

  const ordered: unknown[] = [];
  let s = 0;
  let p = 0;
  while (s < serverOnly.length && p < fromPatch.length) {
    const patchItemPosition = position(serverPositions, fromPatch[p]);
    const serverItemPosition = position(serverPositions, serverOnly[s]);
    const serverFirst = patchItemPosition >= 0 && serverItemPosition >= 0 && serverItemPosition < patchItemPosition;
    ordered.push(serverFirst ? serverOnly[s++] : fromPatch[p++]);
  }
  return [...ordered, ...serverOnly.slice(s), ...fromPatch.slice(p)];
}

function positionsOf(list: readonly unknown[], mergeKey: string): Map<unknown, number> {
  const positions = new Map<unknown, number>();
  for (const [index, item] of list.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!positions.has(identity)) positions.set(identity, index);
  }
  return positions;
}

export function requireMergeKey(item: unknown, mergeKey: string): JsonRecord {
  if (!isRecord(item)) throw wrongType('map', item);
  if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return item;
}

/** All items of lists that are merged must be of one kind. */
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
