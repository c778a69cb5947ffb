import type http from 'node:http';
import type net from 'node:net';
import type { ApiRequest, ApiResponse } from '../request.ts';
import { readWhole } from './body.ts';
import { separateIdentityHeaders } from './identity-headers.ts';
import { peerOf } from './peer.ts';
import { splitTarget } from './target.ts';
import { writableSink } from './writable-sink.ts';

export function requestFromHttp1(req: http.IncomingMessage, res: http.ServerResponse, stopping: AbortSignal, maxBodyBytes: number): ApiRequest {
  const gone = new AbortController();
  let body: Promise<Buffer> | undefined;
  res.once('close', () => {
    if (!res.writableFinished) gone.abort(new Error('the client went away'));
  });
  return {
    ...commonParts(req),
    readBody: () => (body ??= readWhole(req, { encoding: req.headers['content-encoding'], maxBytes: maxBodyBytes })),
    signal: AbortSignal.any([gone.signal, stopping]),
  };
}

/** The last request of its connection, which is nobody else's from now on; what follows its head is not read. */
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

export const upgradeRequest = (req: http.IncomingMessage, socket: net.Socket, head: Buffer, stopping: AbortSignal): ApiRequest => ({
  ...lastRequest(req, socket, stopping),
  upgrade: { socket, head, rawRequest: req },
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

export async function answerHttp1(response: ApiResponse, res: http.ServerResponse, request: ApiRequest): Promise<void> {
  if (response.hijacked || res.destroyed) return;
  res.on('error', () => res.destroy());
  const { body } = response;
  const headers = body === undefined ? response.headers : { ...response.headers, 'content-length': Buffer.byteLength(body) };
  res.writeHead(response.status, headers as http.OutgoingHttpHeaders);
  if (!response.stream) {
    res.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  res.flushHeaders();
  try {
    await response.stream(writableSink(res, request.signal));
  } catch (error) {
    // Half an answer must not look like one that is still coming.
    res.destroy();
    throw error;
  }
  res.end();
}
