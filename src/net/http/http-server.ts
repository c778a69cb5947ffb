/**
 * Servers of HTTP/1.1 whose handlers may fail. Node ends the process for anything that a listener of `request` or
 * `upgrade` throws, so a request that nobody thought of would end the whole cluster. Here it is answered with 500.
 */
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

export interface HttpHandlers {
  request(request: http.IncomingMessage, response: http.ServerResponse): void | Promise<void>;
  /** Without it a request to upgrade is answered like any other. The socket has a listener for errors already. */
  upgrade?(request: http.IncomingMessage, socket: Duplex, head: Buffer): void | Promise<void>;
  /** Is told what a handler threw, after the client has been answered. */
  failed(error: unknown, request: http.IncomingMessage): void;
}

export function createHttpServer(handlers: HttpHandlers, options: http.ServerOptions = {}): http.Server {
  return withHandlers(http.createServer(options), handlers);
}

export function createHttpsServer(handlers: HttpHandlers, options: https.ServerOptions): https.Server {
  return withHandlers(https.createServer(options), handlers);
}

const INTERNAL_ERROR = 'Internal Server Error\n';

function withHandlers<Server extends http.Server | https.Server>(
  server: Server,
  { request: serve, upgrade, failed }: HttpHandlers,
): Server {
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
