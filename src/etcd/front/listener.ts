import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { createHttpServer, splitTarget } from '../../net/http/index.ts';
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
const http2Settings = { initialWindowSize: WINDOW_BYTES, maxConcurrentStreams: 2 ** 32 - 1 };
const HTTP2_PREFACE = 'PRI * HTTP/2.0';

/** One port for gRPC (HTTP/2), and for `/health`, `/metrics`, `/version` and the JSON gateway (HTTP/1.1), as in etcd. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  const http2 = createServer({ settings: http2Settings });
  http2.on('session', (session) => {
    sessions.add(session);
    session.setLocalWindowSize(WINDOW_BYTES);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
  });
  http2.on('stream', (stream, headers) => {
    try {
      serveGrpcStream(stream, headers, options);
    } catch {
      // An unhandled error would end the process; only this client is affected.
      stream.destroy();
    }
  });
  http2.on('sessionError', () => {});
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
      for (const session of sessions) session.destroy();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

interface Servers {
  http1: HttpServer;
  http2: Http2Server;
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
  (socket.alpnProtocol === 'h2' ? http2 : http1).emit('connection', socket);
}

/** Without TLS there is no ALPN: the first bytes show the protocol. */
function dispatchByFirstBytes(socket: Socket, { http1, http2 }: Servers): void {
  socket.once('data', (first: Buffer) => {
    socket.pause();
    socket.unshift(first);
    const isHttp2 = first.toString('latin1', 0, HTTP2_PREFACE.length) === HTTP2_PREFACE.slice(0, first.length);
    // An HTTP/2 session reads what the socket has buffered; an HTTP/1.1 parser needs a resume.
    if (isHttp2) http2.emit('connection', socket);
    else {
      http1.emit('connection', socket);
      socket.resume();
    }
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
