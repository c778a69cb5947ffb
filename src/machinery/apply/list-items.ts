/** Items of lists that merge item by item (associative lists), with the path elements that identify them. */
import { getOwn, isRecord, jsonText, quote } from '../../base/index.ts';
import type { ListApplyType, ListKey } from './apply-type.ts';
import { compareValues, valueElement } from './path-element.ts';

/** An item that cannot be identified: it lacks the keys or has the wrong type. */
export class UnidentifiedItemError extends Error {}

/** The path element of an item: `k:{…}` in a list with keys, `v:…` in a set. */
export function itemElement(keys: readonly ListKey[], item: unknown): string {
  return keys.length > 0 ? keyedElement(keys, item) : setElement(item);
}

function keyedElement(keys: readonly ListKey[], item: unknown): string {
  if (item === null) throw new UnidentifiedItemError('associative list with keys may not have a null element');
  if (!isRecord(item)) throw new UnidentifiedItemError('associative list with keys may not have non-map elements');
  let text = '';
  for (const key of keys) {
    const value = getOwn(item, key.name) ?? key.default;
    if (value === undefined) continue;
    text += `${text === '' ? 'k:{' : ','}${key.prefix}${jsonText(value)}`;
  }
  if (text === '') {
    const names = `[${keys.map((key) => quote(key.name)).join(' ')}]`;
    throw new UnidentifiedItemError(
      `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
    );
  }
  return `${text}}`;
}

function setElement(item: unknown): string {
  if (item === null)
    throw new UnidentifiedItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new UnidentifiedItemError('not supported: associative list with lists as elements');
  if (isRecord(item)) throw new UnidentifiedItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** An item beside the path element that identifies it. */
export interface IdentifiedItem {
  readonly element: string;
  readonly item: unknown;
}

export const NO_KEYS: readonly ListKey[] = [];

/** Whether the items are in canonical order without duplicates. */
export function isSorted(type: ListApplyType, list: readonly unknown[]): boolean {
  const keys = type.keys ?? NO_KEYS;
  for (let i = 1; i < list.length; i++) {
    const order = keys.length > 0 ? compareByKeys(keys, list[i - 1], list[i]) : compareValues(list[i - 1], list[i]);
    if (order >= 0) return false;
  }
  return true;
}

export function identifyItems(type: ListApplyType, list: readonly unknown[]): IdentifiedItem[] {
  const keys = type.keys ?? NO_KEYS;
  return list.map((item) => ({ element: itemElement(keys, item), item }));
}

/** In canonical order; duplicates keep the order of the list. */
export function sortItems(type: ListApplyType, items: IdentifiedItem[]): IdentifiedItem[] {
  if (items.length < 2) return items;
  const keys = type.keys ?? [];
  return items.sort((a, b) => (keys.length > 0 ? compareByKeys(keys, a.item, b.item) : compareValues(a.item, b.item)));
}

function compareByKeys(keys: readonly ListKey[], a: unknown, b: unknown): number {
  if (!isRecord(a) || !isRecord(b)) return 0;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const mine = getOwn(a, key.name) ?? key.default;
    const theirs = getOwn(b, key.name) ?? key.default;
    if (mine === theirs) continue;
    // As upstream, an item without this key sorts after the other if it has a later key, else before it.
    if (mine === undefined) return hasKeyFrom(keys, index + 1, a) ? 1 : -1;
    if (theirs === undefined) return hasKeyFrom(keys, index + 1, b) ? -1 : 1;
    const order = compareValues(mine, theirs);
    if (order !== 0) return order;
  }
  return 0;
}

const hasKeyFrom = (keys: readonly ListKey[], start: number, item: Record<string, unknown>): boolean =>
  keys.slice(start).some((key) => (getOwn(item, key.name) ?? key.default) !== undefined);
