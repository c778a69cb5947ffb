/** Items of lists that merge item by item, each with the path element that identifies it. */
import { isRecord } from '../object.ts';
import { getOwn } from '../patch/own-property.ts';
import { quote } from '../quote.ts';
import type { ListApplyType, ListKey } from './apply-type.ts';
import { jsonText } from './go-text.ts';
import { compareKeys, compareValues, valueElement } from './path-element.ts';

/** An item that has no identity: it lacks the keys, or is of a kind that cannot have them. */
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
  if (item === null) throw new UnidentifiedItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new UnidentifiedItemError('not supported: associative list with lists as elements');
  if (isRecord(item)) throw new UnidentifiedItemError("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** Items by their path elements; more than one value where items repeat. */
export type ItemIndex = Map<string, unknown[]>;

export function indexItems(type: ListApplyType, list: readonly unknown[]): ItemIndex {
  const keys = type.keys ?? [];
  const index: ItemIndex = new Map();
  for (const item of list) {
    const element = itemElement(keys, item);
    const same = index.get(element);
    if (same) same.push(item);
    else index.set(element, [item]);
  }
  return index;
}

/** Elements in canonical order; `itemOf` gives the item that an element stands for. */
export function sortItemElements(type: ListApplyType, elements: string[], itemOf: (element: string) => unknown): string[] {
  if (elements.length < 2) return elements;
  const keys = type.keys ?? [];
  if (keys.length === 0) {
    const decorated = elements.map((element) => ({ element, value: itemOf(element) }));
    decorated.sort((a, b) => compareValues(a.value, b.value));
    return decorated.map((d) => d.element);
  }
  const decorated = elements.map((element) => ({ element, keys: keysOf(keys, itemOf(element)) }));
  decorated.sort((a, b) => compareKeys(a.keys, b.keys));
  return decorated.map((d) => d.element);
}

function keysOf(keys: readonly ListKey[], item: unknown): [string, unknown][] {
  const found: [string, unknown][] = [];
  if (!isRecord(item)) return found;
  for (const key of keys) {
    const value = getOwn(item, key.name) ?? key.default;
    if (value !== undefined) found.push([key.name, value]);
  }
  return found;
}
