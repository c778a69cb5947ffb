/** Passes a request on to a kubelet, pod or service: plain HTTP as a stream, upgrades as a tunnel of bytes. */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { serviceUnavailable } from '../../machinery/status.ts';
import type { ApiRequest, ApiResponse, ResponseHeaders, ResponseSink } from '../request.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
  /** Absent: plain TCP. */
  readonly tls?: tls.ConnectionOptions;
  /** A connection inside this process, instead of one to the host and port; what comes over it is plain HTTP. */
  readonly connect?: () => Duplex;
}

export interface Outgoing {
  readonly target: Target;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer;
  readonly signal: AbortSignal;
}

/** Headers that concern one connection, or the caller's rights at this server. */
const NOT_FORWARDED = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'host',
  'content-length',
  'authorization',
  'accept-encoding',
]);

const isForwarded = (name: string): boolean =>
  !NOT_FORWARDED.has(name) && !name.startsWith(':') && !name.startsWith('impersonate-') && !name.startsWith('x-remote-');

export function forwardedHeaders(request: ApiRequest): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && isForwarded(name)) headers[name] = typeof value === 'string' ? value : [...value];
  }
  return headers;
}

/** Sends a request; the answer's head is there when it resolves, its body follows as a stream. */
export function send({ target, method, path, headers, body, signal }: Outgoing): Promise<http.IncomingMessage> {
  const host = target.port === (target.tls ? 443 : 80) ? target.host : `${bracketed(target.host)}:${target.port}`;
  const options = { host: target.host, port: target.port, method, path, headers: { ...headers, host }, signal, ...target.tls, ...(target.connect ? { createConnection: target.connect as () => net.Socket } : { agent: false as const }) };
  return new Promise((resolve, reject) => {
    const outgoing = (target.tls && !target.connect ? https : http).request(options, resolve);
    outgoing.on('error', reject);
    if (body) outgoing.setHeader('content-length', body.length);
    outgoing.end(body);
  });
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The kubelet's answer as our own. */
export function relay(incoming: http.IncomingMessage, transform?: (body: Buffer) => Buffer): ApiResponse {
  const headers: ResponseHeaders = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    const dropped = name === 'connection' || name === 'transfer-encoding' || name === 'keep-alive' || name.startsWith('access-control-');
    if (value !== undefined && !dropped && !(transform && name === 'content-length')) headers[name] = value;
  }
  return { status: incoming.statusCode ?? 502, headers, stream: (sink) => (transform ? pumpWhole(incoming, sink, transform) : pump(incoming, sink)) };
}

export async function pump(incoming: AsyncIterable<Buffer>, sink: ResponseSink): Promise<void> {
  for await (const piece of incoming) {
    if (sink.signal.aborted) return;
    if (!sink.write(piece)) await sink.drained();
  }
}

async function pumpWhole(incoming: AsyncIterable<Buffer>, sink: ResponseSink, transform: (body: Buffer) => Buffer): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  sink.write(transform(Buffer.concat(pieces)));
}

/** Hands the client's connection over to the target: what either side sends goes to the other, until one hangs up. */
export async function tunnel(request: ApiRequest, target: Target, path: string, added: Readonly<Record<string, string | string[]>> = {}): Promise<ApiResponse> {
  const { socket, head, rawRequest } = request.upgrade!;
  const backend = await connect(target, request.signal);
  const lines = [`${request.method} ${path} HTTP/1.1`, `Host: ${bracketed(target.host)}:${target.port}`];
  for (let i = 0; i + 1 < rawRequest.rawHeaders.length; i += 2) {
    const name = rawRequest.rawHeaders[i]!;
    const lower = name.toLowerCase();
    const upgrading = lower === 'connection' || lower === 'upgrade';
    if (upgrading || isForwarded(lower)) lines.push(`${name}: ${rawRequest.rawHeaders[i + 1]!}`);
  }
  for (const [name, values] of Object.entries(added)) for (const value of [values].flat()) lines.push(`${name}: ${value}`);
  backend.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (head.length > 0) backend.write(head);
  backend.pipe(socket);
  socket.pipe(backend);
  const hangUp = (): void => {
    backend.destroy();
    socket.destroy();
  };
  for (const side of [backend, socket]) side.once('error', hangUp).once('close', hangUp);
  request.signal.addEventListener('abort', hangUp, { once: true });
  return { status: 101, headers: {}, hijacked: true };
}

function connect(target: Target, signal: AbortSignal): Promise<Duplex> {
  if (target.connect) return Promise.resolve(target.connect());
  return new Promise((resolve, reject) => {
    const { host, port } = target;
    const socket = target.tls ? tls.connect({ host, port, ALPNProtocols: ['http/1.1'], ...target.tls }) : net.connect({ host, port });
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(unreachable(error));
    };
    socket.once('error', fail);
    signal.addEventListener('abort', () => socket.destroy(), { once: true });
    socket.once(target.tls ? 'secureConnect' : 'connect', () => {
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

export const unreachable = (error: unknown): Error =>
  serviceUnavailable(`error trying to reach service: ${error instanceof Error ? dialText(error) : 'unknown'}`);

/** A refused connection in Go's words. */
export function dialText(error: Error & { code?: string; address?: string; port?: number }): string {
  const reason = { ECONNREFUSED: 'connect: connection refused', EHOSTUNREACH: 'connect: no route to host', ETIMEDOUT: 'i/o timeout', ENOTFOUND: 'no such host' }[error.code ?? ''];
  if (!reason) return error.message;
  return error.address ? `dial tcp ${bracketed(error.address)}:${error.port}: ${reason}` : `dial tcp: ${reason}`;
}
