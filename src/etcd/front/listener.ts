import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';
import type { Clock } from '../../kernel/index.ts';
import { createHttpServer, splitTarget } from '../../net/http/index.ts';
import { HTTP2_ERROR, Http2Connection, type Http2Options } from '../../net/http2/index.ts';
import { type Services, serveGrpcStream } from './grpc-server.ts';
import { answerGateway, isGatewayPath } from './json-gateway.ts';

export interface ListenerTls {
  cert: string | Buffer;
  key: string | Buffer;
  /** CA bundle for client certificates, which are then required. */
  clientCa?: string | Buffer;
  requireClientCertificate?: boolean;
}

interface ListenerOptions {
  clock: Clock;
  host: string;
  port: number;
  tls?: ListenerTls;
  services: Services;
  maxMessageBytes: number;
  /** Serves plain HTTP paths such as `/health`. */
  page(path: string): Promise<{ status: number; type: string; body: string } | undefined>;
}

export interface Listener {
  port: number;
  close(): Promise<void>;
}

const WINDOW_BYTES = 4 * 1024 * 1024;
const DAY_MS = 86_400_000;

/** etcd limits neither the number of streams nor the time without one. */
const http2Options = (clock: Clock): Http2Options => ({
  clock,
  maxHeaderBytes: 64 * 1024,
  maxHeaderPairs: 200,
  maxConcurrentStreams: 2 ** 31 - 1,
  streamWindow: WINDOW_BYTES,
  connectionWindow: WINDOW_BYTES,
  prefaceMs: 10_000,
  idleMs: DAY_MS,
});

const HTTP2_PREFACE = 'PRI * HTTP/2.0';

/** One port for gRPC (HTTP/2), and for `/health`, `/metrics`, `/version` and the JSON gateway (HTTP/1.1), as in etcd. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const connections = new Set<Http2Connection>();
  const sockets = new Set<Socket>();
  const http2 = (socket: Socket): void => {
    const connection = new Http2Connection(socket, http2Options(options.clock), {
      begin(stream) {
        try {
          serveGrpcStream(stream, options);
        } catch {
          // An unhandled error would end the process; only this client is affected.
          stream.reset(HTTP2_ERROR.internal);
        }
      },
      closed: () => connections.delete(connection),
    });
    connections.add(connection);
    socket.resume();
  };
  const http1 = createHttpServer({
    request: (request, response) => answerPage(options, request, response),
    failed: () => {},
  });
  const servers = { http1, http2 };
  const server =
    options.tls === undefined
      ? createTcpServer((socket) => dispatchByFirstBytes(socket, servers))
      : createTlsServer(tlsOptions(options.tls), (socket) => dispatchByNegotiation(socket, servers));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const connection of connections) connection.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface Servers {
  http1: HttpServer;
  http2: (socket: Socket) => void;
}

function tlsOptions(tls: ListenerTls): TlsOptions {
  return {
    cert: tls.cert,
    key: tls.key,
    ca: tls.clientCa,
    requestCert: tls.clientCa !== undefined,
    rejectUnauthorized: tls.requireClientCertificate ?? false,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2', 'http/1.1'],
  };
}

function dispatchByNegotiation(socket: TLSSocket, { http1, http2 }: Servers): void {
  socket.on('error', () => {});
  if (socket.alpnProtocol === 'h2') http2(socket);
  else http1.emit('connection', socket);
}

/** Without TLS there is no ALPN: the first bytes show the protocol. */
function dispatchByFirstBytes(socket: Socket, { http1, http2 }: Servers): void {
  socket.once('data', (first: Buffer) => {
    socket.pause();
    socket.unshift(first);
    const isHttp2 = first.toString('latin1', 0, HTTP2_PREFACE.length) === HTTP2_PREFACE.slice(0, first.length);
    if (isHttp2) return http2(socket);
    http1.emit('connection', socket);
    socket.resume();
  });
}

/** Base64 takes a third more than the bytes. */
const JSON_OVERHEAD = 1.5;

async function answerJson(options: ListenerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { path } = splitTarget(request.url ?? '/');
  // A page in a browser of this machine could write to the store: unlike etcd's, this gateway is not for pages.
  if (request.headers.origin !== undefined) {
    response.writeHead(403, { 'content-type': 'text/plain' }).end('requests of web pages are refused\n');
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > options.maxMessageBytes * JSON_OVERHEAD) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const answer = await answerGateway(options.services, { path, method: request.method ?? 'GET', body });
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(answer.body);
}

async function answerPage(options: ListenerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { path } = splitTarget(request.url ?? '/');
  if (isGatewayPath(path)) return answerJson(options, request, response);
  const page = await options
    .page(path)
    .catch((error: unknown) => ({ status: 503, type: 'text/plain', body: String(error) }));
  const { status, type, body } = page ?? { status: 404, type: 'text/plain', body: '404 page not found\n' };
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}
