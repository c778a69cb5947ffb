/**
 * HTTP/1.1 servers whose handlers may throw. Node ends the process when a `request` or `upgrade` listener throws, so an
 * unexpected request could end the whole cluster. Here the client gets status 500.
 */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface HttpHandlers {
  request(request: http.IncomingMessage, response: http.ServerResponse): void | Promise<void>;
  /** Without it, upgrade requests are served like other requests. The socket already has an error listener. */
  upgrade?(request: http.IncomingMessage, socket: Duplex, head: Buffer): void | Promise<void>;
  /** Called with the error of a handler, after the client has its response. */
  failed(error: unknown, request: http.IncomingMessage): void;
}

/** As Go's servers allow. Node's 16 KiB are too few for the command of an exec, which is in the URL. */
export const MAX_HEADER_BYTES = 1024 * 1024;

export function createHttpServer(handlers: HttpHandlers, options: http.ServerOptions = {}): http.Server {
  return withHandlers(http.createServer({ maxHeaderSize: MAX_HEADER_BYTES, ...options }), handlers);
}

export function createHttpsServer(handlers: HttpHandlers, options: https.ServerOptions): https.Server {
  return withHandlers(https.createServer({ maxHeaderSize: MAX_HEADER_BYTES, ...options }), handlers);
}

const sockets = new WeakMap<http.Server | https.Server, Set<Socket>>();

/**
 * Closes a server that was made here, with every connection: also those that Node's `closeAllConnections` leaves, which
 * are in a TLS handshake or upgraded and would keep the server open for minutes.
 */
export async function closeServer(server: http.Server | https.Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  for (const socket of sockets.get(server) ?? []) socket.destroy();
  await closed;
}

const INTERNAL_ERROR = 'Internal Server Error\n';

function withHandlers<Server extends http.Server | https.Server>(
  server: Server,
  { request: serve, upgrade, failed }: HttpHandlers,
): Server {
  const open = new Set<Socket>();
  sockets.set(server, open);
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    response.on('error', () => response.destroy());
    guarded(
      () => serve(request, response),
      (error) => {
        if (response.headersSent) response.destroy();
        else response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(INTERNAL_ERROR);
        failed(error, request);
      },
    );
  });
  if (upgrade) {
    server.on('upgrade', (request: http.IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      guarded(
        () => upgrade(request, socket, head),
        (error) => {
          socket.destroy();
          failed(error, request);
        },
      );
    });
  }
  return server;
}

function guarded(work: () => void | Promise<void>, failed: (error: unknown) => void): void {
  try {
    work()?.catch(failed);
  } catch (error) {
    failed(error);
  }
}
