/** The head of a request: names and values in turn, and whether they are what HTTP/2 allows. */

const REQUEST_PSEUDO: readonly string[] = [':method', ':scheme', ':authority', ':path'];
/** Of the connection, which has no such headers in HTTP/2. */
const FORBIDDEN = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);
/** Which is one value, not a list: the first counts. */
const SINGLE = new Set([
  ...[
    'authorization',
    'content-length',
    'content-type',
    'content-encoding',
    'host',
    'if-match',
    'if-modified-since',
    'if-none-match',
    'if-unmodified-since',
    'user-agent',
    'range',
    'referer',
    'from',
    'date',
    'etag',
    'expires',
    'location',
  ],
  ...[
    'age',
    'last-modified',
    'max-forwards',
    'proxy-authorization',
    'retry-after',
    'tk',
    'upgrade-insecure-requests',
    'dnt',
  ],
]);
/** A token, of which HTTP/2 allows no capitals. */
const NAME = /^[a-z0-9!#$%&'*+\-.^_`|~]+$/;
/** A value that would end its line anywhere else, or that nobody could see. */
const BAD_VALUE = /[\0-\x08\x0a-\x1f\x7f]/;
const BAD_PSEUDO_VALUE = /[\0-\x20\x7f]/;
const DIGITS = /^\d{1,15}$/;

export type RequestHeaders = Record<string, string>;

/** Whether a header may be one of a request at all. */
export function isGoodField(name: string, value: string): boolean {
  if (name.charCodeAt(0) === COLON)
    return REQUEST_PSEUDO.includes(name) && value !== '' && !BAD_PSEUDO_VALUE.test(value);
  if (
    !NAME.test(name) ||
    FORBIDDEN.has(name) ||
    BAD_VALUE.test(value) ||
    isBlank(value.charCodeAt(0)) ||
    isBlank(value.charCodeAt(value.length - 1))
  )
    return false;
  return name !== 'te' || value === 'trailers';
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

const COLON = 0x3a;
const SLASH = 0x2f;
const METHOD = 1 << REQUEST_PSEUDO.indexOf(':method');
const SCHEME = 1 << REQUEST_PSEUDO.indexOf(':scheme');
const AUTHORITY = 1 << REQUEST_PSEUDO.indexOf(':authority');
const PATH = 1 << REQUEST_PSEUDO.indexOf(':path');

export const NO_REQUEST = -1;

/**
 * The bytes of the body that a request announces, NaN where it does not say. `NO_REQUEST` for good headers that make none:
 * what names it comes first, once, and complete.
 */
export function announcedBytes(fields: readonly string[]): number {
  let seen = 0;
  let ordinary = false;
  let method = '';
  let path = '';
  let bytes = NaN;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!;
    const value = fields[i + 1]!;
    if (name.charCodeAt(0) !== COLON) {
      ordinary = true;
      if (name === 'content-length') {
        if (!DIGITS.test(value) || (!Number.isNaN(bytes) && bytes !== Number(value))) return NO_REQUEST;
        bytes = Number(value);
      }
      continue;
    }
    const which = 1 << REQUEST_PSEUDO.indexOf(name);
    if (ordinary || seen & which) return NO_REQUEST;
    seen |= which;
    if (which === METHOD) method = value;
    else if (which === PATH) path = value;
  }
  return isNamed(seen, method, path) ? bytes : NO_REQUEST;
}

function isNamed(seen: number, method: string, path: string): boolean {
  if (method === 'CONNECT') return seen === (METHOD | AUTHORITY);
  if ((seen | AUTHORITY) !== (METHOD | SCHEME | AUTHORITY | PATH)) return false;
  return path.charCodeAt(0) === SLASH || (path === '*' && method === 'OPTIONS');
}

/** Whether good headers may follow a body: nothing names a request there. */
export function areTrailers(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (fields[i]!.charCodeAt(0) === COLON) return false;
  return true;
}

/** By name; what came several times is joined as lists are, unless only the first can be meant. */
export function headersOf(fields: readonly string[]): RequestHeaders {
  const headers: RequestHeaders = Object.create(null) as RequestHeaders;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!;
    const value = fields[i + 1]!;
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (!SINGLE.has(name)) headers[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`;
  }
  return headers;
}

export function fieldOf(fields: readonly string[], name: string): string | undefined {
  for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1];
  return undefined;
}
