/** Forwards an HTTP request to a backend, and streams the response back. */
import http from 'node:http';
import type { Duplex } from 'node:stream';
import { HOP_BY_HOP_HEADERS, MAX_HEADER_BYTES } from '../../net/http/index.ts';
import type { ApiResponse, ResponseHeaders, ResponseSink } from '../request/request.ts';
import type { DialAgent } from './dial-agent.ts';
import type { Dialer } from './dialer.ts';
import { checkHeaders } from './headers.ts';
import { authorityOf, bracketed, type PermittedTarget } from './target.ts';

interface Outgoing {
  readonly target: PermittedTarget;
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
  /** Reuses connections; without it every request opens its own. */
  readonly agent?: DialAgent;
}

/** Sends a request; resolves with the head of the response. */
export function send(dialer: Dialer, outgoing: Outgoing): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = startRequest(dialer, outgoing);
    request.once('response', resolve);
    request.on('error', reject);
    request.end(outgoing.body);
  });
}

/** The caller must end the request. */
export function startRequest(
  dialer: Dialer,
  { target, method, path, headers, body, signal, agent }: Outgoing,
): http.ClientRequest {
  checkHeaders(headers);
  const host = target.port === (target.tls ? 443 : 80) ? bracketed(target.host) : authorityOf(target);
  const createConnection = (_: unknown, onConnection: (error: Error | null, socket: Duplex) => void): undefined => {
    dialer.connect(target, signal).then(
      (socket) => onConnection(null, socket),
      (error: Error) => onConnection(error, undefined as never),
    );
  };
  return http.request({
    host: target.host,
    port: target.port,
    method,
    path,
    headers: { host, ...headers, ...(body ? { 'content-length': String(body.length) } : {}) },
    signal,
    maxHeaderSize: MAX_HEADER_BYTES,
    ...(agent ? { agent, target } : { createConnection }),
  } as http.RequestOptions);
}

/** Converts the response of a backend to the response of the API server. */
export function relay(incoming: http.IncomingMessage, transform?: (body: Buffer) => Buffer): ApiResponse {
  const headers = relayedHeaders(incoming);
  if (transform) delete headers['content-length'];
  return {
    status: incoming.statusCode ?? 502,
    headers,
    stream: (sink) => (transform ? pumpWhole(incoming, sink, transform) : pump(incoming, sink)),
  };
}

/** Hop-by-hop headers; the response has a date of its own. */
const NOT_RELAYED = new Set(['date', ...HOP_BY_HOP_HEADERS]);

export function relayedHeaders(incoming: http.IncomingMessage): ResponseHeaders {
  const headers: ResponseHeaders = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && !NOT_RELAYED.has(name) && !name.startsWith('access-control-')) headers[name] = value;
  }
  return headers;
}

export async function pump(incoming: AsyncIterable<Buffer>, sink: ResponseSink): Promise<void> {
  for await (const chunk of incoming) {
    if (sink.signal.aborted) return;
    if (!sink.write(chunk)) await sink.drained();
  }
}

async function pumpWhole(
  incoming: AsyncIterable<Buffer>,
  sink: ResponseSink,
  transform: (body: Buffer) => Buffer,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  sink.write(transform(Buffer.concat(chunks)));
}
