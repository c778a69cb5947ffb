/**
 * Which requests come from our own pages. A page of another site can make a browser send requests here, and a name that
 * resolves to 127.0.0.1 (DNS rebinding) can make it read the answers: the Host and Origin headers tell.
 */
import type { IncomingMessage } from 'node:http';

/** Scripts of our pages set it. Other origins would need the consent of a CORS preflight, which gets none. */
const CONSOLE_HEADER = 'x-k8ts-console';

/** What is wrong with a request; undefined when nothing is. */
export function foreignRequest(request: IncomingMessage, port: number): string | undefined {
  const { host, origin } = request.headers;
  if (host === undefined || !hostsOf(port).has(host.toLowerCase()))
    return `The console answers as ${[...hostsOf(port)].join(', ')} only.`;
  if (origin !== undefined && origin !== `http://${host}`) return 'Pages of other origins get no answer.';
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site')
    return isPageOpening(request) ? undefined : 'Other sites get no answer.';
  return undefined;
}

/** A link on another site may open the page. Its scripts then send requests of their own. */
const isPageOpening = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' && url === '/' && headers['sec-fetch-dest'] === 'document';

/** Whether a script of our pages sent the request. WebSockets have no headers of their own, but always an Origin. */
export const isFromPages = ({ headers }: IncomingMessage, { upgrade }: { upgrade: boolean }): boolean =>
  upgrade ? headers.origin !== undefined : headers[CONSOLE_HEADER] !== undefined;

/** WebSockets of browsers have no headers of the page's choice, but subprotocols. */
export const PROOF_PROTOCOL = 'proof.console.k8ts.dev.';
/** A browser that offers protocols wants one to be accepted: this one says nothing. */
export const NEUTRAL_PROTOCOL = 'console.k8ts.dev';

/** What shows that a page of ours has the session, and not only its cookie. */
export function proofOf({ headers }: IncomingMessage): string | undefined {
  const header = headers[CONSOLE_HEADER];
  if (typeof header === 'string') return header;
  const protocols = headers['sec-websocket-protocol']?.split(',').map((protocol) => protocol.trim()) ?? [];
  return protocols.find((protocol) => protocol.startsWith(PROOF_PROTOCOL))?.slice(PROOF_PROTOCOL.length);
}

const hostsOf = (port: number): ReadonlySet<string> =>
  new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);

export const cookieName = (port: number): string => `k8ts-console-${port}`;

/** Cookies of other ports of the same address arrive, too. */
export function sessionCookie({ headers }: IncomingMessage, port: number): string | undefined {
  const prefix = `${cookieName(port)}=`;
  const found = headers.cookie?.split(';').find((cookie) => cookie.trimStart().startsWith(prefix));
  return found?.trimStart().slice(prefix.length);
}
