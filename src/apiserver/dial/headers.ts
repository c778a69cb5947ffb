/**
 * Headers of proxied requests: which headers of the client are forwarded to a backend, and how a head is written. Names
 * and values are checked, so that no header can inject another header or request.
 */
import { quote } from '../../base/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import { HOP_BY_HOP_HEADERS } from '../../net/http/index.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
type OutgoingHeaders = Record<string, string | string[]>;

/** Hop-by-hop headers, and the client's credentials for this server. */
const NOT_FORWARDED = new Set([
  ...HOP_BY_HOP_HEADERS,
  'http2-settings',
  'host',
  'content-length',
  'authorization',
  'accept-encoding',
  'expect',
]);

/** Browsers send their token as a WebSocket subprotocol; the backend must not see it. */
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

export function forwardedHeaders(given: Headers): OutgoingHeaders {
  const forwarded: OutgoingHeaders = {};
  const ofConnection = new Set(tokensOf(given['connection']));
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || ofConnection.has(name) || !isForwarded(name)) continue;
    const sent = name === 'sec-websocket-protocol' ? withoutToken(value) : value;
    if (sent.length > 0) forwarded[name] = typeof sent === 'string' ? sent : [...sent];
  }
  return forwarded;
}

/** The host that the client named. Upstream's proxies pass it on, but for those of aggregated APIs. */
export function clientHost(given: Headers): { host?: string } {
  const [host] = [given[':authority'] ?? given['host'] ?? []].flat();
  return host === undefined ? {} : { host };
}

const isForwarded = (name: string): boolean =>
  !NOT_FORWARDED.has(name) &&
  !name.startsWith(':') &&
  !name.startsWith('impersonate-') &&
  !name.startsWith('x-remote-');

function withoutToken(value: string | readonly string[]): string {
  const protocols = [value].flat().flatMap((line) => line.split(','));
  return protocols
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '' && !protocol.startsWith(TOKEN_PROTOCOL))
    .join(', ');
}

/** The comma-separated parts of a header, in lower case. */
export function tokensOf(value: string | readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  const lines = typeof value === 'string' ? [value] : value;
  return lines
    .flatMap((line) => line.split(',').map((token) => token.trim().toLowerCase()))
    .filter((token) => token !== '');
}

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/**
 * Header values are bytes: the caller encodes text beyond Latin-1. The only allowed control character is the tab.
 */
const FORBIDDEN_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Throws a 400 for a header with invalid characters. */
export function checkHeader(name: string, value: string): void {
  if (!NAME.test(name)) throw badRequest(`invalid header name ${quote(name)}`);
  if (FORBIDDEN_IN_VALUE.test(value)) throw badRequest(`invalid value of the header ${quote(name)}`);
}

export function checkHeaders(headers: Readonly<Record<string, string | readonly string[]>>): void {
  for (const [name, values] of Object.entries(headers)) for (const value of [values].flat()) checkHeader(name, value);
}

/** Writes the head of a message. `raw` alternates names and values, as in rawHeaders of Node.js. */
export function headText(startLine: string, raw: readonly string[]): Buffer {
  if (FORBIDDEN_IN_VALUE.test(startLine)) throw badRequest('invalid start line');
  const lines = [startLine];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    checkHeader(raw[i]!, raw[i + 1]!);
    lines.push(`${raw[i]}: ${raw[i + 1]}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
