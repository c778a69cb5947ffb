/**
 * HTTP/2 and HTTP/1.1 on one TLS port. HTTP/2 goes through Node's core stream API: its compatibility layer costs a
 * third of the throughput. Both become the same ApiRequest.
 */
import http from 'node:http';
import http2 from 'node:http2';
import type net from 'node:net';
import tls from 'node:tls';
import type { Context } from '../../kernel/index.ts';
import type { ApiRequest, ApiResponse } from '../request.ts';
import { methodNotAllowed } from '../route.ts';
import { answerHttp1, requestFromHttp1, upgradeRequest } from './http1.ts';
import { answerHttp2, Http2Request, type Http2Head } from './http2.ts';
import { StreamSignals } from './stream-signals.ts';
import { together } from './together.ts';

export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

export interface TransportOptions {
  readonly host: string;
  readonly port: number;
  /** Without it the port speaks plain HTTP/1.1; only for loopback. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer; readonly clientCa?: string | Buffer; readonly minVersion?: tls.SecureVersion };
  readonly maxBodyBytes: number;
}

export interface Transport {
  readonly port: number;
  /** Takes a renewed certificate into use for new connections. */
  renew(options: { key: string | Buffer; cert: string | Buffer; clientCa?: string | Buffer }): void;
  /** Serves a connection that came in elsewhere, such as on another address, like those of its own port. */
  accept(socket: net.Socket): void;
  /** Stops listening, lets requests finish for `graceMs`, then closes what is left. */
  close(graceMs: number): Promise<void>;
}

const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_CONCURRENT_STREAMS = 1000;
/** What a connection may have on its way to us: HTTP/2's own 64 KB make one large upload hold up all others. */
const CONNECTION_WINDOW = 8 * 1024 * 1024;

export async function listen(ctx: Context, options: TransportOptions, handler: Handler): Promise<Transport> {
  const stopping = new AbortController();
  const signals = new StreamSignals(stopping.signal);
  const sockets = new Set<net.Socket>();
  const sessions = new Set<http2.Http2Session>();
  let active = 0;
  const running = async (work: () => Promise<void>): Promise<void> => {
    active++;
    try {
      await work();
    } catch (error) {
      ctx.logger.v(4).error(error, 'A connection failed while it was being answered');
    } finally {
      active--;
    }
  };

  const onRequest = (req: http.IncomingMessage, res: http.ServerResponse): void => {
    if (req.httpVersionMajor >= 2) return;
    void running(async () => {
      const request = requestFromHttp1(req, res, stopping.signal, options.maxBodyBytes);
      await answerHttp1(await handler(request), res, request);
    });
  };
  const onUpgrade = (req: http.IncomingMessage, socket: net.Socket, head: Buffer): void => {
    void running(async () => {
      const request = upgradeRequest(req, socket, head, stopping.signal);
      const response = await handler(request);
      if (response.hijacked) return;
      const res = new http.ServerResponse(req);
      res.assignSocket(socket);
      res.shouldKeepAlive = false;
      await answerHttp1(response, res, request);
      socket.end();
    });
  };

  const server = options.tls ? secureServer(options.tls) : http.createServer({ maxHeaderSize: MAX_HEADER_BYTES });
  server.on('request', onRequest);
  // HTTP/1.1 needs that listener, but for it Node also wraps every HTTP/2 stream in its compatibility layer, which costs
  // a third of the throughput: its own listener of streams goes before ours comes.
  server.removeAllListeners('stream');
  server.on('upgrade', onUpgrade);
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.setNoDelay(true);
  });
  server.on('session', (session: http2.ServerHttp2Session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
    session.setLocalWindowSize(CONNECTION_WINDOW);
  });
  const begin = together(ctx.clock);
  const shared = { signals, maxBodyBytes: options.maxBodyBytes };
  const serveStream = async (stream: http2.ServerHttp2Stream, head: Http2Head): Promise<void> => {
    const request = new Http2Request(stream, head, shared);
    await answerHttp2(await handler(request), stream, request);
  };
  server.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, _flags: number, raw: string[]) => {
    stream.on('error', ignore);
    begin(() => void running(() => serveStream(stream, { headers, raw })));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: net.Socket) => {
    if (socket.writable) socket.end(unparsable(error.code));
    else socket.destroy();
  });
  server.on('tlsClientError', () => {});
  server.on('sessionError', () => {});

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });

  return {
    port: (server.address() as net.AddressInfo).port,
    renew({ key, cert, clientCa }) {
      if ('setSecureContext' in server) (server as unknown as tls.Server).setSecureContext({ key, cert, ...(clientCa ? { ca: clientCa } : {}) });
    },
    accept(socket) {
      if (stopping.signal.aborted) socket.destroy();
      else server.emit('connection', socket);
    },
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      stopping.abort(new Error('the server is shutting down'));
      for (const session of sessions) session.close();
      const deadline = ctx.clock.monotonic() + graceMs;
      while (active > 0 && ctx.clock.monotonic() < deadline) await ctx.clock.sleep(5);
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A stream that breaks tells by closing, too. */
const ignore = (): void => {};

function secureServer(options: NonNullable<TransportOptions['tls']>): http2.Http2SecureServer {
  return http2.createSecureServer({
    key: options.key,
    cert: options.cert,
    ...(options.clientCa ? { ca: options.clientCa } : {}),
    allowHTTP1: true,
    requestCert: true,
    // An unknown client certificate is not a broken connection: its bearer is just not authenticated by it.
    rejectUnauthorized: false,
    minVersion: options.minVersion ?? 'TLSv1.2',
    maxHeaderListPairs: 2000,
    settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, initialWindowSize: 1024 * 1024, maxHeaderListSize: MAX_HEADER_BYTES },
  } as http2.SecureServerOptions);
}

/** The answer to what is no HTTP request that Node can read; an unknown method is at least a method. */
function unparsable(code: string | undefined): string {
  if (code === 'HPE_INVALID_METHOD') {
    const body = JSON.stringify(methodNotAllowed().status);
    return `HTTP/1.1 405 Method Not Allowed\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  return `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
}
