/** The string formats of schemas. Unknown formats are not validated. */
import { isGoDuration, parseCidr, parseIp } from '../../../base/index.ts';
import { dns1123Label, dns1123Subdomain } from '../../names/index.ts';
import { parseGoUrl } from '../go-url.ts';

type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/;
const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const HOSTNAME =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;
const TIME_UNITS = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const days = [
    31,
    year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28,
    31,
    30,
    31,
    30,
    31,
    31,
    30,
    31,
    30,
    31,
  ];
  return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1]!;
}

function isDateTime(text: string): boolean {
  if (text.length < 4) return false;
  const match = DATE_TIME.exec(text);
  if (!match) return false;
  return isDate(match[1]!) && Number(match[2]) < 24 && Number(match[3]) < 60 && Number(match[4]) < 60;
}

/** `1h30m`, and `3 days` in words. */
function isDuration(text: string): boolean {
  if (isGoDuration(text)) return true;
  return [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, word = '']) => {
    const unit = word.toLowerCase();
    return TIME_UNITS.some((names) =>
      names.some((name, i) => name === unit || (i === names.length - 1 && unit.startsWith(name))),
    );
  });
}

function isHostname(text: string): boolean {
  if (!HOSTNAME.test(text)) return false;
  return text.length <= 255 && text.split('.').every((part) => part.length <= 63);
}

function isEmail(text: string): boolean {
  const address = /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text;
  return /^(?:"(?:[^"\\]|\\.)+"|[^\s@<>(),:;\\"[\]]+)@(?:[^\s@<>(),:;\\"[\]]+|\[[^\]]*\])$/.test(address.trim());
}

/** As Go's ParseRequestURI: an absolute URL or an absolute path. */
function isUri(text: string): boolean {
  if (text === '' || text.includes('#')) return false;
  const url = parseGoUrl(text);
  return typeof url !== 'string' && (url.scheme !== '' || text.startsWith('/') || text === '*');
}

function isMac(text: string): boolean {
  const bytes = (separator: string, size: number): boolean => {
    const parts = text.split(separator);
    const total = (parts.length * size) / 2;
    return [6, 8, 20].includes(total) && parts.every((part) => part.length === size && /^[0-9a-fA-F]+$/.test(part));
  };
  return bytes(':', 2) || bytes('-', 2) || bytes('.', 4);
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CREDIT_CARD.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

function isIsbn10(text: string): boolean {
  const isbn = text.replace(/[\s-]+/g, '');
  if (!/^\d{9}[\dX]$/.test(isbn)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (isbn[i] === 'X' ? 10 : Number(isbn[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const isbn = text.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(isbn)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(isbn[i]);
  return Number(isbn[12]) === (10 - (sum % 10)) % 10;
}

const isBase64: FormatCheck = matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/);

/** By name without dashes, as upstream normalizes them. */
const FORMATS: ReadonlyMap<string, FormatCheck> = new Map(
  Object.entries<FormatCheck>({
    bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
    byte: isBase64,
    cidr: (text) => parseCidr(text) !== undefined,
    creditcard: isCreditCard,
    date: isDate,
    datetime: isDateTime,
    duration: isDuration,
    email: isEmail,
    hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
    hostname: isHostname,
    ipv4: (text) => parseIp(text) !== undefined && text.includes('.'),
    ipv6: (text) => parseIp(text) !== undefined && text.includes(':'),
    isbn: (text) => isIsbn10(text) || isIsbn13(text),
    isbn10: isIsbn10,
    isbn13: isIsbn13,
    k8slongname: (text) => dns1123Subdomain(text).length === 0,
    k8sshortname: (text) => dns1123Label(text).length === 0,
    mac: isMac,
    password: () => true,
    rgbcolor: matches(
      /^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/,
    ),
    ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
    uri: isUri,
    uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
    uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
    uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
    uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  }),
);

const NUMBER_FORMATS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({ integer: ['int32', 'int64'], number: ['float', 'double'] }),
);

/** The check of a format; undefined if the format is unknown. */
export function stringFormat(format: string | undefined): FormatCheck | undefined {
  if (!format) return undefined;
  const name = format.replaceAll('-', '');
  return FORMATS.has(name) ? FORMATS.get(name) : undefined;
}

/** The minor versions that introduced formats after the first. */
const INTRODUCED: ReadonlyMap<string, number> = new Map([
  ['k8slongname', 34],
  ['k8sshortname', 34],
]);

/** Whether servers of the minor version know the string format, if this one does. */
export const isFormatOf = (compatibility: number, format: string): boolean =>
  compatibility >= (INTRODUCED.get(format.replaceAll('-', '')) ?? 0);

/** Whether the format is recognized for the type. Others are ignored, with a warning on the definition. */
export function isRecognizedFormat(type: string | undefined, format: string): boolean {
  if (!type || type === 'string') return stringFormat(format) !== undefined;
  return NUMBER_FORMATS.get(type)?.includes(format) ?? false;
}
