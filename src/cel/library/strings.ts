/** The strings library: the standard functions and cel-go's extensions up to version 2. */
import { method, overload, type Library } from '../function-table.ts';
import { BOOL, DYN, INT, STRING, listOf } from '../types.ts';
import { CelError, type Value } from '../values.ts';
import { formatText } from './format-text.ts';

/** Longer results are refused before memory is allocated for them. */
const MAX_RESULT = 16 * 1024 * 1024;

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): string {
  const chars = [...text];
  if (index < 0n || index > chars.length) throw outOfRange(index);
  return chars[Number(index)] ?? '';
}

function indexOf(text: string, part: string, from = 0n): bigint {
  const chars = [...text];
  if (from < 0n || (from >= chars.length && from !== 0n && !(part === '' && from === BigInt(chars.length))))
    throw outOfRange(from);
  const skipped = chars.slice(0, Number(from)).join('').length;
  const found = text.indexOf(part, skipped);
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
}

function lastIndexOf(text: string, part: string, from?: bigint): bigint {
  const chars = [...text];
  if (from !== undefined && (from < 0n || from >= chars.length)) throw outOfRange(from);
  const limit = from === undefined ? text.length : chars.slice(0, Number(from)).join('').length;
  const found = text.lastIndexOf(part, limit);
  return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const chars = [...text];
  const length = BigInt(chars.length);
  if (start < 0n || start > length) throw outOfRange(start);
  if (end === undefined) return chars.slice(Number(start)).join('');
  if (end < 0n || end > length) throw outOfRange(end);
  if (start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  return chars.slice(Number(start), Number(end)).join('');
}

function replace(text: string, old: string, by: string, limit = -1n): string {
  if (limit === 0n) return text;
  const parts = old === '' ? [...text] : text.split(old);
  const count = old === '' ? parts.length + 1 : parts.length - 1;
  const times = limit < 0n || limit > count ? count : Number(limit);
  if (text.length + times * by.length > MAX_RESULT) throw new CelError('the result of replace is too long');
  if (old !== '') return parts.slice(0, times).join(by) + (times > 0 ? by : '') + parts.slice(times).join(old);
  return parts.map((char, i) => (i < times ? by : '') + char).join('') + (times > parts.length ? by : '');
}

function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return [];
  if (limit === 1n) return [text];
  const parts = separator === '' ? [...text] : text.split(separator);
  if (limit < 0n || parts.length <= limit) return parts;
  const count = Number(limit);
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

function join(list: readonly Value[], separator = ''): string {
  let length = 0;
  for (const item of list) {
    if (typeof item !== 'string') throw new CelError('no such overload');
    length += item.length + separator.length;
  }
  if (length > MAX_RESULT) throw new CelError('the result of join is too long');
  return list.join(separator);
}

const ascii = (text: string, range: RegExp, shift: number): string =>
  text.replace(range, (char) => String.fromCharCode(char.charCodeAt(0) + shift));

const QUOTED: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    '"': '\\"',
  }),
);
const quoteText = (text: string): string => `"${text.replace(/[\x07\b\f\n\r\t\v\\"]/g, (char) => QUOTED.get(char)!)}"`;

export const stringLibrary: Library = {
  functions: {
    contains: [method('contains_string', [STRING, STRING], BOOL, (text: string, part: string) => text.includes(part))],
    startsWith: [
      method('starts_with_string', [STRING, STRING], BOOL, (text: string, part: string) => text.startsWith(part)),
    ],
    endsWith: [method('ends_with_string', [STRING, STRING], BOOL, (text: string, part: string) => text.endsWith(part))],
    charAt: [method('string_char_at_int', [STRING, INT], STRING, charAt)],
    indexOf: [
      method('string_index_of_string', [STRING, STRING], INT, indexOf),
      method('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf),
    ],
    lastIndexOf: [
      method('string_last_index_of_string', [STRING, STRING], INT, lastIndexOf),
      method('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOf),
    ],
    lowerAscii: [method('string_lower_ascii', [STRING], STRING, (text: string) => ascii(text, /[A-Z]/g, 32))],
    upperAscii: [method('string_upper_ascii', [STRING], STRING, (text: string) => ascii(text, /[a-z]/g, -32))],
    replace: [
      method('string_replace_string_string', [STRING, STRING, STRING], STRING, replace),
      method('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace),
    ],
    split: [
      method('string_split_string', [STRING, STRING], listOf(STRING), split),
      method('string_split_string_int', [STRING, STRING, INT], listOf(STRING), split),
    ],
    substring: [
      method('string_substring_int', [STRING, INT], STRING, substring),
      method('string_substring_int_int', [STRING, INT, INT], STRING, substring),
    ],
    trim: [
      method('string_trim', [STRING], STRING, (text: string) =>
        text.replace(/^[\s\u0085]+|(?<![\s\u0085])[\s\u0085]+$/g, ''),
      ),
    ],
    join: [
      method('list_join', [listOf(STRING)], STRING, join),
      method('list_join_string', [listOf(STRING), STRING], STRING, join),
    ],
    format: [method('string_format', [STRING, listOf(DYN)], STRING, formatText)],
    'strings.quote': [overload('strings_quote', [STRING], STRING, quoteText)],
  },
};
