/** Texts as Go sorts and prints them, for error messages and managedFields. */
import { stringifyJson } from './encode-json.ts';
import { isRecord } from './json.ts';
import { quote } from './quote.ts';

/** Compares strings by their UTF-8 bytes. JavaScript compares UTF-16, where surrogates sort before U+E000–U+FFFF. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const bothHigh = x >= 0xd800 && y >= 0xd800;
    if (!bothHigh) return x - y;
    return codePointRank(x) - codePointRank(y);
  }
  return a.length - b.length;
}

const codePointRank = (unit: number): number => (unit <= 0xdfff ? unit + 0x10000 : unit);

/** Text that needs no escapes in JSON. */
const PLAIN = /^[ !#-%'-;=?-[\]-~]*$/;

/** A JSON scalar as Go's encoder writes it, with `<`, `>` and `&` escaped. */
export function jsonText(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value)) return `"${value}"`;
  return escapeForGo(stringifyJson(value ?? null));
}

const GO_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '<': '\\u003c',
    '>': '\\u003e',
    '&': '\\u0026',
    '\u2028': '\\u2028',
    '\u2029': '\\u2029',
  }),
);

/** JSON text with the additional escapes of Go's encoder. */
const escapeForGo = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (found) => GO_ESCAPES.get(found) ?? found);

/** A key that JavaScript moves before the others, in the order of numbers. */
const INDEX_KEY = /"(?:0|[1-9]\d{0,9})":/;

/**
 * JSON text as Go's encoder writes it. Keys stay in their order, which is a struct's or a sorted map's; objects with keys
 * that JavaScript reorders can only have been maps, whose keys Go sorts. With `sorted` every object is taken for a map.
 */
export function goJsonText(value: unknown, { sorted = false }: { readonly sorted?: boolean } = {}): string {
  const text = stringifyJson(value);
  return escapeForGo(sorted || INDEX_KEY.test(text) ? textWithSortedKeys(value, sorted) : text);
}

function textWithSortedKeys(value: unknown, sorted: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item) => textWithSortedKeys(item, sorted)).join(',')}]`;
  if (!isRecord(value)) return stringifyJson(value ?? null);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  if (sorted || keys.some((key) => INDEX_KEY.test(`"${key}":`))) keys.sort(compareText);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${textWithSortedKeys(value[key], sorted)}`).join(',')}}`;
}

/** A number as `%v` prints a float64: the shortest digits, with an exponent below 1e-04 and from 1e+06 on. */
export function floatText(value: number): string {
  if (value === 0) return '0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  const size = Math.abs(power);
  return `${digits}e${power < 0 ? '-' : '+'}${size < 10 ? `0${size}` : size}`;
}

/** What `%v` prints for a decoded JSON value; `numberText` depends on how numbers were decoded. */
export function plainText(value: unknown, numberText: (value: number) => string = floatText): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map((item) => plainText(item, numberText)).join(' ')}]`;
  if (isRecord(value)) {
    const keys = Object.keys(value).sort(compareText);
    return `map[${keys.map((key) => `${key}:${plainText(value[key], numberText)}`).join(' ')}]`;
  }
  return String(value);
}

/** What `%#v` prints for a decoded JSON value. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isRecord(value)) {
    const keys = Object.keys(value).sort(compareText);
    return `map[string]interface {}{${keys.map((key) => `${quote(key)}:${goSyntax(value[key])}`).join(', ')}}`;
  }
  return String(value);
}

/** What `%T` prints for a decoded JSON value. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
