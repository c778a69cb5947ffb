/**
 * The kubelet's HTTPS server: authenticates and authorizes requests through the API server. Also serves /healthz
 * locally.
 */
import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { TlsOptions } from 'node:tls';
import { errorMessage } from '../../base/index.ts';
import { childContext, type Context, untilAborted } from '../../kernel/index.ts';
import { closeServer, createHttpServer, createHttpsServer, splitTarget } from '../../net/http/index.ts';
import { listenIn } from '../../net/netns/index.ts';
import { clientCertificateOptions, opensslCiphers, type TlsSettings } from '../../net/tls/index.ts';
import { selfSignedCertificate } from '../certificates/self-signed.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { Authenticator } from './authenticate.ts';
import { Authorizer } from './authorize.ts';
import { HttpError } from './http-error.ts';
import { ROUTES, type Exchange, type ServerDependencies } from './routes.ts';
import { authenticationSettings, authorizationSettings } from './server-settings.ts';
import { proxyStream, streamingUrl } from './streaming.ts';

interface KubeletServer {
  readonly port: number;
  readonly finished: Promise<void>;
  /** New connections get this certificate. */
  setCertificate(issued: { readonly certificate: string; readonly privateKey: string }): void;
  close(): Promise<void>;
}

const STREAMS = new Set(['exec', 'attach', 'portForward']);

/** What --read-only-port serves without authentication, of what only reads. */
const READ_ONLY = ['healthz', 'pods', 'stats', 'metrics'] as const;

/** The others that clients know. */
const DISABLED = new Set([...STREAMS, 'run', 'containerLogs', 'runningpods', 'checkpoint', 'configz', 'logs', 'debug']);

export async function serveKubelet(outer: Context, deps: ServerDependencies): Promise<KubeletServer> {
  const { config } = deps;
  if (!config.enableServer)
    return { port: 0, finished: Promise.resolve(), setCertificate: () => {}, close: () => Promise.resolve() };
  const ctx = childContext(outer, 'server');
  const serving =
    config.serving?.certificate === undefined
      ? await selfSignedCertificate(ctx, [config.nodeName, ...config.nodeAddresses])
      : { certificate: config.serving.certificate, privateKey: config.serving.privateKey ?? '' };
  const { clientCa, followed } = config.serving ?? {};
  const settings = tlsSettingsOf(config);
  let current = serving;
  const options = (): TlsOptions => serverOptions(current, followed?.clientCa?.value ?? clientCa, settings);
  const handler = new RequestHandler(ctx, deps);
  const server = createHttpsServer(
    {
      request: (request, response) => handler.handleRequest(request, response),
      upgrade: (request, socket, head) => handler.handleUpgrade(request, socket, head),
      failed: (error, { url }) => ctx.logger.error(error, 'Failed to serve a request', { path: url }),
    },
    {
      ...options(),
      ALPNProtocols: ['http/1.1'],
    },
  );
  const renew = (): void => server.setSecureContext(options());
  const setCertificate = (issued: typeof serving): void => {
    current = issued;
    renew();
  };
  followed?.certificate?.onChange(setCertificate);
  followed?.clientCa?.onChange(renew);
  server.on('tlsClientError', (error) => ctx.logger.v(4).info('TLS handshake failed', { err: errorMessage(error) }));
  await listenIn(server, { netns: config.nodeNetns, host: config.address, port: config.port });
  const { port } = server.address() as net.AddressInfo;
  const healthz = await serveHealthz(ctx, config);
  const readOnly = await serveReadOnly(ctx, handler, config);
  const finished = untilAborted(ctx.signal);
  return {
    port,
    finished,
    setCertificate,
    close: async () => {
      handler.closeStreams();
      const open = [server, healthz, readOnly].filter((one) => one !== undefined);
      await Promise.all(open.map((one) => closeServer(one)));
    },
  };
}

/** Authenticates and authorizes every request, then routes it. */
class RequestHandler {
  readonly #ctx: Context;
  readonly #deps: ServerDependencies;
  readonly #authenticator: Authenticator;
  readonly #authorizer: Authorizer;
  readonly #streams = new Set<Duplex>();

  constructor(ctx: Context, deps: ServerDependencies) {
    const { client, config } = deps;
    const { clientCa, followed } = config.serving ?? {};
    this.#ctx = ctx;
    this.#deps = deps;
    this.#authenticator = new Authenticator(client, ctx.clock, {
      ...authenticationSettings(config),
      clientCa: () => followed?.clientCa?.value ?? clientCa ?? '',
    });
    this.#authorizer = new Authorizer(client, ctx.clock, authorizationSettings(config));
  }

  async handleRequest(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    await this.#answer(response, () => this.#route(request, response));
  }

  async #answer(response: http.ServerResponse, respond: () => Promise<void>): Promise<void> {
    try {
      await respond();
    } catch (error) {
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const status = error instanceof HttpError ? error.status : 500;
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(errorMessage(error));
    }
  }

  async handleReadOnly(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const target = splitTarget(request.url ?? '/');
    const name = target.path.split('/')[1] ?? '';
    const served = READ_ONLY.find((route) => route === name);
    if (served === undefined) {
      const [status, body] = DISABLED.has(name)
        ? [405, 'Debug endpoints are disabled.']
        : [404, '404 page not found\n'];
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body);
      return;
    }
    await this.#answer(response, () =>
      ROUTES[served](this.#ctx, this.#deps, this.#exchange(request, response, target)),
    );
  }

  async handleUpgrade(request: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      await this.#stream(request, socket, head);
    } catch (error) {
      const status = error instanceof HttpError ? error.status : 500;
      const text = errorMessage(error);
      socket.end(
        `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    }
  }

  closeStreams(): void {
    for (const socket of this.#streams) socket.destroy();
  }

  async #route(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const target = splitTarget(request.url ?? '/');
    const exchange = this.#exchange(request, response, target);
    await this.#authorize(request, target.path);
    const name = target.path.split('/')[1] ?? '';
    if (STREAMS.has(name)) throw new HttpError(400, 'Upgrade request required');
    const route = Object.hasOwn(ROUTES, name) ? ROUTES[name as keyof typeof ROUTES] : undefined;
    if (route === undefined) throw new HttpError(404, '404 page not found\n');
    await route(this.#ctx, this.#deps, exchange);
  }

  #exchange(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    target: ReturnType<typeof splitTarget>,
  ): Exchange {
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    return { request, response, ...target, signal: AbortSignal.any([ended.signal, this.#ctx.signal]) };
  }

  async #stream(request: http.IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#streams.add(socket);
    socket.once('close', () => this.#streams.delete(socket));
    const target = splitTarget(request.url ?? '/');
    await this.#authorize(request, target.path);
    if (!STREAMS.has(target.path.split('/')[1] ?? '')) throw new HttpError(404, '404 page not found\n');
    const url = await streamingUrl(this.#deps, target);
    await proxyStream(request, socket, head, { url, netns: this.#deps.config.runtimeNetns });
  }

  async #authorize(request: http.IncomingMessage, path: string): Promise<void> {
    const caller = await this.#authenticator.authenticate(request).catch((error: unknown) => {
      this.#ctx.logger.error(error, 'Unable to authenticate the request due to an error');
      return undefined;
    });
    if (caller === undefined) throw new HttpError(401, 'Unauthorized\n');
    const forbidden = await this.#authorizer.forbidden(caller, request.method ?? 'GET', path);
    if (forbidden !== undefined) throw new HttpError(403, forbidden);
  }
}

export function serverOptions(
  { certificate, privateKey }: { readonly certificate: string; readonly privateKey: string },
  clientCa: string | undefined,
  { minVersion = 'TLSv1.2', ciphers }: TlsSettings = {},
): TlsOptions {
  const chosen = ciphers === undefined ? {} : { ciphers };
  return { cert: certificate, key: privateKey, minVersion, ...chosen, ...clientCertificateOptions(clientCa) };
}

const tlsSettingsOf = ({ tlsMinVersion, tlsCipherSuites = [] }: Partial<KubeletConfig>): TlsSettings => ({
  minVersion: tlsMinVersion === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
  ...(tlsCipherSuites.length > 0 ? { ciphers: opensslCiphers(tlsCipherSuites) } : {}),
});

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
    failed: (error) => ctx.logger.error(error, 'Failed to serve /healthz'),
  });
  await listenIn(server, { netns: nodeNetns, host: healthzBindAddress, port: healthzPort });
  return server;
}

async function serveReadOnly(
  ctx: Context,
  handler: RequestHandler,
  { readOnlyPort, address, nodeNetns }: ServerDependencies['config'],
): Promise<http.Server | undefined> {
  if (readOnlyPort === 0) return undefined;
  const server = createHttpServer({
    request: (request, response) => handler.handleReadOnly(request, response),
    failed: (error, { url }) => ctx.logger.error(error, 'Failed to serve a read-only request', { path: url }),
  });
  await listenIn(server, { netns: nodeNetns, host: address, port: readOnlyPort });
  return server;
}
