import type http from 'node:http';
import type net from 'node:net';
import { splitTarget } from '../../net/http/index.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { readWhole } from './body.ts';
import { separateIdentityHeaders } from './identity-headers.ts';
import { sendLargeBody } from './large-body.ts';
import { peerOf } from './peer.ts';
import type { SendBudget } from './send-budget.ts';
import { writableBuffers, writableSink } from './writable-sink.ts';

/** Smaller bodies are not counted: the connection itself costs more. */
const SMALL_BYTES = 16 * 1024;

interface Http1RequestOptions {
  readonly stopping: AbortSignal;
  readonly maxBodyBytes: number;
  readonly budget: SendBudget;
}

export function requestFromHttp1(
  req: http.IncomingMessage,
  res: http.ServerResponse,
  { stopping, maxBodyBytes, budget }: Http1RequestOptions,
): ApiRequest {
  const gone = new AbortController();
  let body: Promise<Buffer> | undefined;
  res.once('close', () => {
    if (!res.writableFinished) gone.abort(new Error('the client went away'));
  });
  return {
    ...commonParts(req),
    get congested() {
      return budget.isFull(req.socket);
    },
    abort: (reason) => gone.abort(reason),
    readBody: () => (body ??= readWhole(req, { encoding: req.headers['content-encoding'], maxBytes: maxBodyBytes })),
    signal: AbortSignal.any([gone.signal, stopping]),
  };
}

/** The request owns the connection from now on; what follows its head is not read. */
export function lastRequest(req: http.IncomingMessage, socket: net.Socket, stopping: AbortSignal): ApiRequest {
  const gone = new AbortController();
  socket.once('close', () => gone.abort(new Error('the client went away')));
  socket.on('error', () => socket.destroy());
  return {
    ...commonParts(req),
    readBody: () => Promise.resolve(Buffer.alloc(0)),
    signal: AbortSignal.any([gone.signal, stopping]),
  };
}

interface UpgradeOptions {
  readonly head: Buffer;
  readonly stopping: AbortSignal;
  readonly budget: SendBudget;
}

export const upgradeRequest = (
  req: http.IncomingMessage,
  socket: net.Socket,
  { head, stopping, budget }: UpgradeOptions,
): ApiRequest => ({
  ...lastRequest(req, socket, stopping),
  upgrade: { socket, head, rawRequest: req },
  beginSending: (end) => budget.begin({ connection: socket, expiresAt: undefined, end }),
});

function commonParts(req: http.IncomingMessage): Omit<ApiRequest, 'readBody' | 'signal'> {
  const { remoteAddress, certificate } = peerOf(req.socket);
  return {
    method: req.method ?? 'GET',
    ...splitTarget(req.url ?? '/'),
    headers: separateIdentityHeaders(req.headers, req.rawHeaders),
    remoteAddress,
    ...(certificate ? { peerCertificate: certificate } : {}),
  };
}

/** Resolves when the client has received a long response, and at once for a short one. */
export async function respondHttp1(
  response: ApiResponse,
  res: http.ServerResponse,
  { request, budget }: { request: ApiRequest; budget: SendBudget },
): Promise<void> {
  if (response.hijacked || res.destroyed) return;
  res.on('error', () => res.destroy());
  const isHead = request.method === 'HEAD';
  const body = response.large ? undefined : response.body;
  const headers =
    body === undefined ? response.headers : { ...response.headers, 'content-length': Buffer.byteLength(body) };
  res.writeHead(response.status, headers as http.OutgoingHttpHeaders);
  if (isHead || (!response.stream && !response.large && (body?.length ?? 0) < SMALL_BYTES)) {
    res.end(isHead ? undefined : body);
    return;
  }
  const isWhole = !response.stream && !response.large;
  const expiresAt = response.expiresAt ?? (isWhole ? budget.expiry() : undefined);
  const sending = budget.begin({ connection: res.socket ?? res, expiresAt, end: () => res.destroy() });
  res.once('close', () => sending.finished());
  if (response.large) return sendLargeBody(response.large, writableBuffers(res, sending));
  if (!response.stream) {
    sending.wrote(body!.length);
    res.end(body);
    return;
  }
  res.flushHeaders();
  try {
    await response.stream(writableSink(res, request.signal, sending));
  } catch (error) {
    // A client must not mistake half a response for one that is still coming.
    res.destroy();
    throw error;
  }
  res.end();
}
