/** Times of the API: RFC 3339 text, with Go's parser errors and rounding. */
import { ParseError } from './parse-error.ts';

/** The text is not a time; the message is Go's. */
class TimeError extends ParseError {
  override name = 'TimeError';
  override readonly code = 'InvalidTime';
}

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00';

interface ParsedTime {
  /** Milliseconds since 1970 of the whole second. */
  readonly second: number;
  readonly nanos: number;
}

/** Go's zero time, which stands for an absent time. */
const ZERO_SECOND = -62_135_596_800_000;

/** `2026-01-31T10:00:00Z`, without the fraction of the second. */
export function formatTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000) * 1000;
  if (second !== lastFormatted.second) lastFormatted = { second, text: `${isoSecond(second)}Z` };
  return lastFormatted.text;
}

/** Most times that are formatted are in the current second. */
let lastFormatted = { second: Number.NaN, text: '' };

/** `2026-01-31T10:00:00.123456Z`. */
export function formatMicroTime(milliseconds: number): string {
  const second = Math.floor(milliseconds / 1000) * 1000;
  return `${isoSecond(second)}.${String(Math.floor((milliseconds - second) * 1000)).padStart(6, '0')}Z`;
}

/** Milliseconds since 1970, with the fraction. Throws a TimeError. */
export function parseTime(text: string): number {
  const { second, nanos } = parse(text, RFC3339);
  return second + nanos / 1e6;
}

/** The canonical text of a Time (UTC, whole seconds); null for the zero time. Throws a TimeError. */
export function canonicalTime(text: string): string | null {
  if (isPlainUtc(text)) return text;
  const { second, nanos } = parse(text, RFC3339);
  return second === ZERO_SECOND && nanos === 0 ? null : `${isoSecond(second)}Z`;
}

/** The canonical text of a MicroTime (UTC, microseconds); null for the zero time. Throws a TimeError. */
export function canonicalMicroTime(text: string): string | null {
  const { second, nanos } = parse(text, RFC3339_MICRO);
  if (second === ZERO_SECOND && nanos === 0) return null;
  return `${isoSecond(second)}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z`;
}

/**
 * Whether the text is `YYYY-MM-DDTHH:MM:SSZ` after the year 1000 with a day that every month has, and so is
 * canonical. Compares character codes for speed, because objects have many times.
 */
function isPlainUtc(text: string): boolean {
  if (
    text.length !== 20 ||
    text[4] !== '-' ||
    text[7] !== '-' ||
    text[10] !== 'T' ||
    text[13] !== ':' ||
    text[16] !== ':' ||
    text[19] !== 'Z'
  )
    return false;
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  return (
    twoDigits(text, 0) >= 10 &&
    twoDigits(text, 2) >= 0 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28 &&
    isBelow(twoDigits(text, 11), 24) &&
    isBelow(twoDigits(text, 14), 60) &&
    isBelow(twoDigits(text, 17), 60)
  );
}

const isBelow = (value: number, limit: number): boolean => value >= 0 && value < limit;

/** -1 if they are not digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

function isoSecond(milliseconds: number): string {
  const iso = new Date(milliseconds).toISOString();
  return iso.slice(0, iso.length - 5);
}

/** Go's layout parser for the two layouts of the API. */
function parse(text: string, layout: string): ParsedTime {
  let rest = text;
  const fail = (element: string, at = rest): never => {
    throw new TimeError(
      `parsing time ${goQuote(text)} as ${goQuote(layout)}: cannot parse ${goQuote(at)} as ${goQuote(element)}`,
    );
  };
  const outOfRange = (what: string): never => {
    throw new TimeError(`parsing time ${goQuote(text)}: ${what} out of range`);
  };
  const literal = (expected: string): void => {
    if (!rest.startsWith(expected)) fail(expected);
    rest = rest.slice(expected.length);
  };
  const digits = (element: string, pattern: RegExp): number => {
    const found = pattern.exec(rest)?.[0] ?? fail(element);
    rest = rest.slice(found.length);
    return Number(found);
  };

  const year = digits('2006', /^\d{4}/);
  literal('-');
  const month = digits('01', /^\d\d/);
  if (month < 1 || month > 12) outOfRange('month');
  literal('-');
  const day = digits('02', /^\d\d/);
  literal('T');
  const hour = digits('15', /^\d\d?/);
  if (hour > 23) outOfRange('hour');
  literal(':');
  const minute = digits('04', /^\d\d/);
  if (minute > 59) outOfRange('minute');
  literal(':');
  const second = digits('05', /^\d\d/);
  if (second > 59) outOfRange('second');

  let nanos = 0;
  const fraction =
    layout === RFC3339_MICRO ? (/^[.,]\d{6}/.exec(rest)?.[0] ?? fail('.000000')) : (/^[.,]\d+/.exec(rest)?.[0] ?? '');
  rest = rest.slice(fraction.length);
  if (fraction !== '') nanos = Number(fraction.slice(1, 10).padEnd(9, '0'));

  let offset = 0;
  if (rest.startsWith('Z')) {
    rest = rest.slice(1);
  } else {
    const zone = /^([+-])(\d\d):(\d\d)/.exec(rest) ?? fail('Z07:00');
    if (Number(zone[2]) > 24) outOfRange('time zone offset hour');
    if (Number(zone[3]) > 60) outOfRange('time zone offset minute');
    offset = (zone[1] === '-' ? -1 : 1) * (Number(zone[2]) * 60 + Number(zone[3]));
    rest = rest.slice(6);
  }
  if (rest !== '') throw new TimeError(`parsing time ${goQuote(text)}: extra text: ${goQuote(rest)}`);
  if (day < 1 || day > daysIn(year, month)) outOfRange('day');
  return { second: utc(year, month, day) + ((hour * 60 + minute - offset) * 60 + second) * 1000, nanos };
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** Date.UTC maps the years 0 to 99 to 1900 to 1999; 400 years always have the same number of days. */
const utc = (year: number, month: number, day: number): number =>
  Date.UTC(year + 400, month - 1, day) - 146_097 * 86_400_000;

/** Quotes as Go's time package does: non-ASCII characters byte by byte. */
function goQuote(text: string): string {
  let out = '"';
  for (const byte of Buffer.from(text)) {
    const char = String.fromCharCode(byte);
    if (char === '"' || char === '\\') out += `\\${char}`;
    else if (byte < 0x20 || byte >= 0x80) out += `\\x${byte.toString(16).padStart(2, '0')}`;
    else out += char;
  }
  return `${out}"`;
}
