/** The kubelet's API on its TLS port, for those whom the API server allows; and a health check for the machine itself. */
import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import { errorMessage } from '../../base/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { createHttpServer, createHttpsServer, splitTarget } from '../../net/http/index.ts';
import { listenIn } from '../../net/netns/index.ts';
import { selfSignedCertificate } from '../certificates/self-signed.ts';
import { Authenticator } from './authenticate.ts';
import { Authorizer } from './authorize.ts';
import { HttpError } from './http-error.ts';
import { ROUTES, type ServerDependencies } from './routes.ts';
import { authenticationSettings, authorizationSettings } from './server-settings.ts';
import { proxyStream, streamingUrl } from './streaming.ts';

export interface KubeletServer {
  readonly port: number;
  readonly finished: Promise<void>;
  /** Connections from now on see this certificate. */
  setCertificate(issued: { readonly certificate: string; readonly privateKey: string }): void;
  close(): Promise<void>;
}

const STREAMS = new Set(['exec', 'attach', 'portForward']);

export async function serveKubelet(outer: Context, deps: ServerDependencies): Promise<KubeletServer> {
  const ctx = childContext(outer, 'server');
  const { config, client } = deps;
  if (!config.enableServer)
    return { port: 0, finished: Promise.resolve(), setCertificate: () => {}, close: () => Promise.resolve() };
  const serving =
    config.serving?.certificate === undefined
      ? await selfSignedCertificate(ctx, [config.nodeName, ...config.nodeAddresses])
      : { certificate: config.serving.certificate, privateKey: config.serving.privateKey ?? '' };
  const clientCa = config.serving?.clientCa;
  const authenticator = new Authenticator(client, ctx.clock, { ...authenticationSettings(config), clientCa });
  const authorizer = new Authorizer(client, ctx.clock, authorizationSettings(config));

  const check = async (request: http.IncomingMessage, path: string): Promise<void> => {
    const caller = await authenticator.authenticate(request).catch((error: unknown) => {
      ctx.logger.error(error, 'Unable to authenticate the request due to an error');
      return undefined;
    });
    if (caller === undefined) throw new HttpError(401, 'Unauthorized\n');
    const refusal = await authorizer.refusal(caller, request.method ?? 'GET', path);
    if (refusal !== undefined) throw new HttpError(403, refusal);
  };

  const answer = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const target = splitTarget(request.url ?? '/');
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    const signal = AbortSignal.any([ended.signal, ctx.signal]);
    await check(request, target.path);
    const name = target.path.split('/')[1] ?? '';
    if (STREAMS.has(name)) throw new HttpError(400, 'Upgrade request required');
    const route = Object.hasOwn(ROUTES, name) ? ROUTES[name as keyof typeof ROUTES] : undefined;
    if (route === undefined) throw new HttpError(404, '404 page not found\n');
    await route(ctx, deps, { request, response, ...target, signal });
  };

  const streams = new Set<Duplex>();
  const stream = async (request: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    streams.add(socket);
    socket.once('close', () => streams.delete(socket));
    const target = splitTarget(request.url ?? '/');
    await check(request, target.path);
    if (!STREAMS.has(target.path.split('/')[1] ?? '')) throw new HttpError(404, '404 page not found\n');
    await proxyStream(request, socket, head, { url: await streamingUrl(deps, target), netns: config.runtimeNetns });
  };

  const server = createHttpsServer(
    {
      request: (request, response) =>
        answer(request, response).catch((error: unknown) => {
          if (response.headersSent) {
            response.destroy();
            return;
          }
          response.writeHead(error instanceof HttpError ? error.status : 500, {
            'content-type': 'text/plain; charset=utf-8',
          });
          response.end(errorMessage(error));
        }),
      upgrade: (request, socket, head) =>
        stream(request, socket, head).catch((error: unknown) => {
          const status = error instanceof HttpError ? error.status : 500;
          const text = errorMessage(error);
          socket.end(
            `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
          );
        }),
      failed: (error, { url }) => ctx.logger.error(error, 'A request could not be answered', { path: url }),
    },
    {
      ...secureContextOptions(serving, clientCa),
      ALPNProtocols: ['http/1.1'],
      requestCert: true,
      rejectUnauthorized: false,
    },
  );
  server.on('tlsClientError', (error) => ctx.logger.v(4).info('TLS handshake failed', { err: errorMessage(error) }));
  await listenIn(server, { netns: config.nodeNetns, host: config.address, port: config.port });
  const { port } = server.address() as net.AddressInfo;
  const healthz = await serveHealthz(ctx, config);
  const finished = new Promise<void>((resolve) =>
    ctx.signal.aborted ? resolve() : ctx.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  return {
    port,
    finished,
    setCertificate: (issued) => server.setSecureContext(secureContextOptions(issued, clientCa)),
    close: async () => {
      for (const socket of streams) socket.destroy();
      server.closeAllConnections();
      await Promise.all([
        new Promise((resolve) => server.close(resolve)),
        new Promise((resolve) => (healthz === undefined ? resolve(undefined) : healthz.close(resolve))),
      ]);
    },
  };
}

/** Without a client CA no authority is named to clients: Node would take the public roots when nothing is said. */
export function secureContextOptions(
  { certificate, privateKey }: { readonly certificate: string; readonly privateKey: string },
  clientCa: string | undefined,
): SecureContextOptions {
  return { cert: certificate, key: privateKey, minVersion: 'TLSv1.2', ca: clientCa ?? [] };
}

async function serveHealthz(
  ctx: Context,
  { healthzPort, healthzBindAddress, nodeNetns }: ServerDependencies['config'],
): Promise<http.Server | undefined> {
  if (healthzPort === 0) return undefined;
  const server = createHttpServer({
    request: (request, response) => {
      const isHealth = splitTarget(request.url ?? '/').path.startsWith('/healthz');
      response.writeHead(isHealth ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(isHealth ? 'ok' : '404 page not found\n');
    },
    failed: (error) => ctx.logger.error(error, 'The health check could not be answered'),
  });
  await listenIn(server, { netns: nodeNetns, host: healthzBindAddress, port: healthzPort });
  return server;
}
