/** Serves connections in this thread: HTTP/2 and HTTP/1.1 over TLS, both as ApiRequests. */
import http from 'node:http';
import type net from 'node:net';
import type { Duplex } from 'node:stream';
import type tls from 'node:tls';
import type { Context } from '../../kernel/index.ts';
import { Http2Connection, type Http2Listener, type Http2Stream } from '../../net/http2/index.ts';
import type { ServingOptions } from '../../net/tls/index.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { ALL_SPEED } from '../request/speed-options.ts';
import { batchRequests, startAtOnce } from './batch-requests.ts';
import { respondHttp1, lastRequest, requestFromHttp1, upgradeRequest } from './http1.ts';
import { respondHttp2, Http2Request } from './http2.ts';
import { PipelinedRequests } from './pipelined-requests.ts';
import { ResponseHeads } from './response-heads.ts';
import type { RunningRequests } from './running-requests.ts';
import { secureServer } from './secure-server.ts';
import type { SendBudget } from './send-budget.ts';
import { http1Server, http1ServerBehind, http2Options } from './settings.ts';
import { StreamSignals } from './stream-signals.ts';
import type { Handler, TransportOptions } from './transport.ts';
import { type ParseError, UnknownMethods } from './unknown-method.ts';

export interface Connections {
  readonly server: net.Server;
  /** Uses a renewed certificate for new connections. */
  renew(tls: ServingOptions): void;
  /** `socket` is a connection before its TLS handshake. */
  accept(socket: net.Socket): void;
  /** Takes no more connections, and asks clients to leave theirs; what they have asked for is served. */
  stopListening(): void;
  /** Lets requests finish for `graceMs`, then closes what is left. */
  close(graceMs: number): Promise<void>;
}

/** Counts a connection that ended before it was secure. */
export function handshakeErrors({ metrics }: Pick<Context, 'metrics'>): () => void {
  const counter = metrics
    .counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: "Number of requests dropped with 'TLS handshake error from' error",
    })
    .child({});
  return () => counter.inc();
}

interface Serving {
  readonly running: RunningRequests;
  readonly handler: Handler;
  readonly budget: SendBudget;
}

export function serveConnections(
  ctx: Context,
  options: TransportOptions,
  { running, handler, budget }: Serving,
): Connections {
  const http1 = options.tls ? http1ServerBehind() : http1Server();
  const sockets = serveHttp1(http1, { running, handler, budget, maxBodyBytes: options.maxBodyBytes });
  const connections = new Set<Http2Connection>();
  const speed = { ...ALL_SPEED, ...options.speed };
  const start = speed.batchRequests ? batchRequests(ctx.clock) : startAtOnce;
  const serving = {
    signals: new StreamSignals(running.stopping),
    heads: new ResponseHeads(ctx.clock, speed.headerTables),
    maxBodyBytes: options.maxBodyBytes,
    budget,
  };
  const serveStream = async (stream: Http2Stream, connection: Http2Connection): Promise<void> => {
    const request = new Http2Request(stream, connection, serving);
    const response = await handler(request);
    try {
      await respondHttp2(response, stream, { request, connection, serving });
    } finally {
      response.done?.();
    }
  };
  const http2Listener: Http2Listener = {
    begin: (stream, connection) => start(() => void running.run(() => serveStream(stream, connection))),
    closed: (connection) => void connections.delete(connection),
  };
  const serveHttp2 = (socket: tls.TLSSocket): void =>
    void connections.add(new Http2Connection(socket, http2Options(ctx.clock, options.http2), http2Listener));
  const secured =
    options.tls &&
    secureServer(options.tls, {
      http1: (socket) => http1.emit('connection', socket),
      ...(options.http2?.enabled === false ? {} : { http2: serveHttp2 }),
      handshakeFailed: handshakeErrors(ctx),
    });
  const server = secured?.server ?? http1;

  let closed: Promise<void> | undefined;
  const stopListening = (): void => {
    closed ??= new Promise<void>((resolve) => server.close(() => resolve()));
    for (const connection of connections) connection.close();
  };

  return {
    server,
    stopListening,
    renew(renewed) {
      secured?.renew(renewed);
    },
    accept(socket) {
      if (running.stopping.aborted) socket.destroy();
      else server.emit('connection', socket);
    },
    async close(graceMs) {
      stopListening();
      await running.end(graceMs);
      await Promise.all(Array.from(connections, (connection) => connection.leave()));
      for (const socket of [...sockets, ...(secured?.sockets ?? [])]) socket.destroy();
      if (secured) http1.close();
      await closed;
    },
  };
}

interface Http1Serving extends Serving {
  readonly maxBodyBytes: number;
}

/** Serves HTTP/1.1 with upgrades; returns the server's connections, upgraded ones included. */
export function serveHttp1(
  server: http.Server,
  { running, handler, budget, maxBodyBytes }: Http1Serving,
): ReadonlySet<Duplex> {
  const sockets = new Set<Duplex>();
  const { stopping } = running;
  const pipelined = new PipelinedRequests(running.clock);
  const latestResponse = new WeakMap<net.Socket, http.ServerResponse>();
  server.on('request', (req: http.IncomingMessage, res: http.ServerResponse) => {
    latestResponse.set(req.socket, res);
    const serve = async (): Promise<void> => {
      const request = requestFromHttp1(req, res, { stopping, maxBodyBytes, budget });
      const response = await handler(request);
      try {
        await respondHttp1(response, res, { request, budget });
      } finally {
        response.done?.();
      }
    };
    pipelined.add(req.socket, () => running.run(serve));
  });
  /** No other request follows on the connection. */
  const serveLast = (req: http.IncomingMessage, socket: net.Socket, request: ApiRequest): void =>
    void running.run(async () => {
      const earlier = latestResponse.get(socket);
      if (earlier?.closed === false) await untilSent(earlier, socket);
      if (socket.destroyed) return;
      const response = await handler(request);
      try {
        if (!response.hijacked) await respondLast(response, { req, socket, request, budget });
      } finally {
        response.done?.();
      }
    });
  server.on('upgrade', (req: http.IncomingMessage, socket: net.Socket, head: Buffer) =>
    serveLast(req, socket, upgradeRequest(req, socket, { head, stopping, budget })),
  );
  // CONNECT is a method that no resource has; the API server is no proxy.
  server.on('connect', (req: http.IncomingMessage, socket: net.Socket) =>
    serveLast(req, socket, lastRequest(req, socket, stopping)),
  );
  server.on('connection', (socket: Duplex & Partial<net.Socket>) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.setNoDelay?.(true);
  });
  const unknownMethods = new UnknownMethods();
  server.on('clientError', (error: ParseError, socket: net.Socket) => {
    const req = unknownMethods.read(error, socket);
    if (req === 'wait') return;
    if (req) serveLast(req, socket, lastRequest(req, socket, stopping));
    else if (socket.writable) socket.end(unreadable(error.code));
    else socket.destroy();
  });
  return sockets;
}

interface LastRequest {
  readonly req: http.IncomingMessage;
  readonly socket: net.Socket;
  readonly request: ApiRequest;
  readonly budget: SendBudget;
}

async function respondLast(response: ApiResponse, { req, socket, request, budget }: LastRequest): Promise<void> {
  const res = new http.ServerResponse(req);
  res.shouldKeepAlive = false;
  try {
    res.assignSocket(socket);
    await respondHttp1(response, res, { request, budget });
    socket.end();
  } catch (error) {
    // A client must not mistake half a response for one that is still coming.
    socket.destroy();
    throw error;
  }
}

/** Resolves when the response is sent, or the connection closes. */
function untilSent(response: http.ServerResponse, socket: net.Socket): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    socket.once('close', resolve);
  });
}

const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The response to something that is not an HTTP request. */
function unreadable(code: string | undefined): string {
  const status = UNREADABLE[code ?? ''] ?? '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`;
}
