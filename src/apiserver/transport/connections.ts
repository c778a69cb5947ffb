/**
 * What serves connections in this thread: HTTP/2 and HTTP/1.1 over TLS, both as the same ApiRequest. HTTP/2 goes through
 * Node's core stream API: its compatibility layer costs a third of the throughput.
 */
import http from 'node:http';
import http2 from 'node:http2';
import type net from 'node:net';
import type { Duplex } from 'node:stream';
import type tls from 'node:tls';
import type { Context } from '../../kernel/index.ts';
import type { ApiRequest, ApiResponse } from '../request.ts';
import { answerHttp1, lastRequest, requestFromHttp1, upgradeRequest } from './http1.ts';
import { answerHttp2, Http2Request, type Http2Head } from './http2.ts';
import type { RunningRequests } from './running-requests.ts';
import type { Handler, TlsOptions, TransportOptions } from './serve.ts';
import { HTTP2_OPTIONS, MAX_HEADER_BYTES, ofSession, tlsOptions } from './settings.ts';
import { StreamSignals } from './stream-signals.ts';
import { together } from './together.ts';
import { type ParseError, UnknownMethods } from './unknown-method.ts';

export interface Connections {
  readonly server: http2.Http2SecureServer | http.Server;
  /** Takes a renewed certificate into use for new connections. */
  renew(tls: TlsOptions): void;
  /** A connection as it comes from the network. */
  accept(socket: net.Socket): void;
  /** Lets requests finish for `graceMs`, then closes what is left. */
  close(graceMs: number): Promise<void>;
}

export function serveConnections(ctx: Context, options: TransportOptions, { running, handler }: { running: RunningRequests; handler: Handler }): Connections {
  const signals = new StreamSignals(running.stopping);
  const sessions = new Set<http2.Http2Session>();
  const server = options.tls ? secureServer(options.tls) : http.createServer({ maxHeaderSize: MAX_HEADER_BYTES });
  const sockets = serveHttp1(server, { running, handler, maxBodyBytes: options.maxBodyBytes });
  server.on('session', (session: http2.ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    ofSession(session);
  });
  const begin = together(ctx.clock);
  const shared = { signals, maxBodyBytes: options.maxBodyBytes };
  const serveStream = async (stream: http2.ServerHttp2Stream, head: Http2Head): Promise<void> => {
    const request = new Http2Request(stream, head, shared);
    await answerHttp2(await handler(request), stream, request);
  };
  server.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, _flags: number, raw: string[]) => {
    stream.on('error', ignore);
    begin(() => void running.run(() => serveStream(stream, { headers, raw })));
  });
  server.on('tlsClientError', ignore);
  server.on('sessionError', ignore);

  return {
    server,
    renew(renewed) {
      if ('setSecureContext' in server) (server as unknown as tls.Server).setSecureContext(tlsOptions(renewed));
    },
    accept(socket) {
      if (running.stopping.aborted) socket.destroy();
      else server.emit('connection', socket);
    },
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      await running.end(graceMs);
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A stream that breaks tells by closing, too. */
const ignore = (): void => {};

export interface Http1Serving {
  readonly running: RunningRequests;
  readonly handler: Handler;
  readonly maxBodyBytes: number;
}

/** Lets a server answer HTTP/1.1, with upgrades; gives its connections, those of other protocols among them. */
export function serveHttp1(server: http.Server | http2.Http2SecureServer, { running, handler, maxBodyBytes }: Http1Serving): ReadonlySet<Duplex> {
  const sockets = new Set<Duplex>();
  server.on('request', (req: http.IncomingMessage, res: http.ServerResponse) => {
    if (req.httpVersionMajor >= 2) return;
    void running.run(async () => {
      const request = requestFromHttp1(req, res, running.stopping, maxBodyBytes);
      await answerHttp1(await handler(request), res, request);
    });
  });
  // HTTP/1.1 needs that listener, but for it Node also wraps every HTTP/2 stream in its compatibility layer, which costs
  // a third of the throughput: its own listener of streams goes before ours comes.
  server.removeAllListeners('stream');
  /** The last request of its connection. */
  const serveLast = (req: http.IncomingMessage, socket: net.Socket, request: ApiRequest): void =>
    void running.run(async () => {
      const response = await handler(request);
      if (!response.hijacked) await answerLast(response, { req, socket, request });
    });
  server.on('upgrade', (req: http.IncomingMessage, socket: net.Socket, head: Buffer) => serveLast(req, socket, upgradeRequest(req, socket, head, running.stopping)));
  // Nobody tunnels through an API server; it is a method that no resource has.
  server.on('connect', (req: http.IncomingMessage, socket: net.Socket) => serveLast(req, socket, lastRequest(req, socket, running.stopping)));
  server.on('connection', (socket: Duplex & Partial<net.Socket>) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.setNoDelay?.(true);
  });
  const unknownMethods = new UnknownMethods();
  server.on('clientError', (error: ParseError, socket: net.Socket) => {
    const req = unknownMethods.read(error, socket);
    if (req === 'wait') return;
    if (req) serveLast(req, socket, lastRequest(req, socket, running.stopping));
    else if (socket.writable) socket.end(unreadable(error.code));
    else socket.destroy();
  });
  return sockets;
}

const secureServer = (options: TlsOptions): http2.Http2SecureServer => http2.createSecureServer({ ...tlsOptions(options), ...HTTP2_OPTIONS, allowHTTP1: true });

async function answerLast(response: ApiResponse, { req, socket, request }: { req: http.IncomingMessage; socket: net.Socket; request: ApiRequest }): Promise<void> {
  const res = new http.ServerResponse(req);
  res.shouldKeepAlive = false;
  try {
    res.assignSocket(socket);
    await answerHttp1(response, res, request);
    socket.end();
  } catch (error) {
    // The answer to an earlier request is on its way still, or this one is broken off: neither may be taken for the other.
    socket.destroy();
    throw error;
  }
}

/** The answer to what is no HTTP request. */
function unreadable(code: string | undefined): string {
  const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`;
}
