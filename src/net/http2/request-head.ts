/** The header fields of a request, names and values alternating: HTTP/2's rules for them (RFC 9113, 8.2 and 8.3). */

const REQUEST_PSEUDO: readonly string[] = [':method', ':scheme', ':authority', ':path'];
/** Connection-specific headers, which HTTP/2 forbids. */
const FORBIDDEN = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);
/** Headers with a single value: the first one counts, as in Node. */
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
/** A token in lower case. */
const NAME = /^[a-z0-9!#$%&'*+\-.^_`|~]+$/;
/** Control characters other than tab. */
const BAD_VALUE = /[\0-\x08\x0a-\x1f\x7f]/;
const BAD_PSEUDO_VALUE = /[\0-\x20\x7f]/;
const DIGITS = /^\d{1,15}$/;

export type RequestHeaders = Record<string, string>;

/** Whether a request may have this header. */
export function isValidField(name: string, value: string): boolean {
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

export const INVALID_REQUEST = -1;

/**
 * The Content-Length of a request, NaN when it has none. `INVALID_REQUEST` when the pseudo-headers are not complete,
 * unique and before all other headers.
 */
export function declaredContentLength(fields: readonly string[]): number {
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
        if (!DIGITS.test(value) || (!Number.isNaN(bytes) && bytes !== Number(value))) return INVALID_REQUEST;
        bytes = Number(value);
      }
      continue;
    }
    const which = 1 << REQUEST_PSEUDO.indexOf(name);
    if (ordinary || seen & which) return INVALID_REQUEST;
    seen |= which;
    if (which === METHOD) method = value;
    else if (which === PATH) path = value;
  }
  return hasPseudoHeaders(seen, method, path) ? bytes : INVALID_REQUEST;
}

function hasPseudoHeaders(seen: number, method: string, path: string): boolean {
  if (method === 'CONNECT') return seen === (METHOD | AUTHORITY);
  if ((seen | AUTHORITY) !== (METHOD | SCHEME | AUTHORITY | PATH)) return false;
  return path.charCodeAt(0) === SLASH || (path === '*' && method === 'OPTIONS');
}

/** Whether valid fields may be trailers, which have no pseudo-headers. */
export function areTrailers(fields: readonly string[]): boolean {
  for (let i = 0; i < fields.length; i += 2) if (fields[i]!.charCodeAt(0) === COLON) return false;
  return true;
}

/** Headers by name; repeated ones are joined with commas, except those with a single value. */
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
