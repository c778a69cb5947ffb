/** The head of a request: names and values in turn, and whether they are what HTTP/2 allows. */

const REQUEST_PSEUDO: readonly string[] = [':method', ':scheme', ':authority', ':path'];
/** Of the connection, which has no such headers in HTTP/2. */
const FORBIDDEN = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);
/** Which is one value, not a list: the first counts. */
const SINGLE = new Set([
  ...['authorization', 'content-length', 'content-type', 'content-encoding', 'host', 'if-match', 'if-modified-since', 'if-none-match', 'if-unmodified-since', 'user-agent', 'range', 'referer', 'from', 'date', 'etag', 'expires', 'location'],
  ...['age', 'last-modified', 'max-forwards', 'proxy-authorization', 'retry-after', 'tk', 'upgrade-insecure-requests', 'dnt'],
]);
/** A token, of which HTTP/2 allows no capitals. */
const NAME = /^:?[a-z0-9!#$%&'*+\-.^_`|~]+$/;
/** A value that would end its line anywhere else. */
const BAD_VALUE = /[\0\r\n]/;

export type RequestHeaders = Record<string, string>;

/** Whether a header may be one of a request at all. */
export function isGoodField(name: string, value: string): boolean {
  if (!NAME.test(name) || FORBIDDEN.has(name) || BAD_VALUE.test(value)) return false;
  if (name.charCodeAt(0) === COLON) return REQUEST_PSEUDO.includes(name) && value !== '';
  return name !== 'te' || value === 'trailers';
}

const COLON = 0x3a;
const METHOD = 1 << REQUEST_PSEUDO.indexOf(':method');
const SCHEME = 1 << REQUEST_PSEUDO.indexOf(':scheme');
const PATH = 1 << REQUEST_PSEUDO.indexOf(':path');

/** Whether good headers make a request: what names it comes first, once, and complete. */
export function isRequest(fields: readonly string[]): boolean {
  let seen = 0;
  let ordinary = false;
  let method: string | undefined;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!;
    if (name.charCodeAt(0) !== COLON) {
      ordinary = true;
      continue;
    }
    const which = 1 << REQUEST_PSEUDO.indexOf(name);
    if (ordinary || seen & which) return false;
    seen |= which;
    if (which === METHOD) method = fields[i + 1];
  }
  if (method === undefined) return false;
  return method === 'CONNECT' ? !(seen & (SCHEME | PATH)) : (seen & (SCHEME | PATH)) === (SCHEME | PATH);
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
