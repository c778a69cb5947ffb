/**
 * Path elements of field sets in serialized form: `f:name` (a field or map key), `k:{"name":"a"}` (the list item with
 * these keys), `v:"x"` (the set item with this value), `i:0` (the list item at this index). Two elements are equal
 * exactly if their texts are.
 */
import { compareText, floatText, isRecord, jsonText, quote } from '../../base/index.ts';
import { parseJson } from '../decode/index.ts';

type ElementKind = 'f' | 'k' | 'v' | 'i';

export const fieldElement = (name: string): string => `f:${name}`;

export const valueElement = (value: unknown): string => `v:${jsonText(value)}`;

export interface ParsedElement {
  readonly text: string;
  readonly kind: ElementKind;
  /** The keys of a `k:` element, sorted by name. */
  readonly keys: readonly (readonly [string, unknown])[];
  /** The value of a `v:` element, the number of an `i:` element. */
  readonly value: unknown;
}

const NO_KEYS: ParsedElement['keys'] = [];

/** Parses and normalizes. Undefined for an unknown kind of element, which readers skip. */
export function parseElement(text: string): ParsedElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return { text, kind: 'f', keys: NO_KEYS, value: undefined };
    case 'v': {
      const value = parseContent(content);
      return { text: valueElement(value), kind: 'v', keys: NO_KEYS, value };
    }
    case 'k': {
      const value = parseContent(content);
      if (!isRecord(value)) throw new Error(`expected an object: ${text}`);
      const keys = Object.entries(value).sort((a, b) => compareText(a[0], b[0]));
      return {
        text: `k:{${keys.map(([name, v]) => `${jsonText(name)}:${jsonText(v)}`).join(',')}}`,
        kind: 'k',
        keys,
        value: undefined,
      };
    }
    case 'i': {
      if (!/^[+-]?\d+$/.test(content)) throw new Error(`strconv.Atoi: parsing ${quote(content)}: invalid syntax`);
      const value = Number(content);
      return { text: `i:${value}`, kind: 'i', keys: NO_KEYS, value };
    }
    default:
      return undefined;
  }
}

/** JSON.parse is faster; short texts cannot nest too deeply. */
const parseContent = (text: string): unknown =>
  text.length > MAX_SHALLOW_LENGTH ? parseJson(text).value : JSON.parse(text);
const MAX_SHALLOW_LENGTH = 500;

const KIND_ORDER: Record<ElementKind, number> = { f: 0, k: 1, v: 2, i: 3 };

/** The canonical order: fields, keyed items, values, indexes; each by its content. */
export function compareElements(a: ParsedElement, b: ParsedElement): number {
  if (a.kind !== b.kind) return KIND_ORDER[a.kind] - KIND_ORDER[b.kind];
  if (a.kind === 'f') return compareText(a.text, b.text);
  if (a.kind === 'k') return compareKeys(a.keys, b.keys);
  return compareValues(a.value, b.value);
}

function compareKeys(a: ParsedElement['keys'], b: ParsedElement['keys']): number {
  for (let i = 0; ; i++) {
    const x = a[i];
    const y = b[i];
    if (!x || !y) return (x ? 1 : 0) - (y ? 1 : 0);
    const order = compareText(x[0], y[0]) || compareValues(x[1], y[1]);
    if (order !== 0) return order;
  }
}

/** Numbers, then strings, then booleans, then lists, maps and null. */
export function compareValues(a: unknown, b: unknown): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  return compareText(jsonText(a), jsonText(b));
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

function valueRank(value: unknown): number {
  if (isNumber(value)) return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (Array.isArray(value)) return 3;
  return value === null || value === undefined ? 5 : 4;
}

/** The form in error messages: `.spec`, `[name="a"]`, `[="x"]`, `[0]`. */
export function elementText(text: string): string {
  if (text.startsWith('f:')) return `.${text.slice(2)}`;
  const element = parseElement(text);
  if (!element) return '';
  if (element.kind === 'k') return `[${element.keys.map(([name, value]) => `${name}=${valueText(value)}`).join(',')}]`;
  if (element.kind === 'v') return `[=${valueText(element.value)}]`;
  return `[${String(element.value)}]`;
}

function valueText(value: unknown): string {
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (isRecord(value))
    return Object.entries(value)
      .map(([k, v]) => `${k}=${valueText(v)}`)
      .join('');
  return String(value);
}
