/** Serves a component's secure port: health checks, metrics, configz and further pages. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { KUBERNETES_MAJOR, KUBERNETES_MINOR, KUBERNETES_VERSION } from '../api/kubernetes-version.ts';
import { METRICS_CONTENT_TYPE, type Context } from '../kernel/index.ts';
import { closeServer, createHttpsServer, splitTarget } from '../net/http/index.ts';
import {
  ClientCertificates,
  clientCertificateOptions,
  commonName,
  organizations,
  peerChain,
} from '../net/tls/index.ts';
import type { Access, CertificateUser, DelegatedAccess } from './delegated-access.ts';
import type { ServingCertificate } from './self-signed-certificate.ts';

interface HealthCheck {
  readonly name: string;
  /** Returns undefined when healthy, else the problem. */
  check(): string | undefined;
}

interface ComponentServerOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly certificate: ServingCertificate;
  /** Authenticates and authorizes requests for paths outside of `alwaysAllowPaths`. */
  readonly access: Pick<DelegatedAccess, 'check'> & Partial<Pick<DelegatedAccess, 'checkUser'>>;
  /** The CA of client certificates, PEM; without it clients authenticate with tokens only. */
  readonly clientCa?: string;
  readonly alwaysAllowPaths: readonly string[];
  readonly checks?: readonly HealthCheck[];
  /** The content of `/configz`, by the name of the configuration. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** Further paths, each with a handler whose value is served as JSON. */
  readonly pages?: Readonly<Record<string, (query: URLSearchParams) => Page>>;
}

interface Page {
  readonly status: number;
  readonly value: unknown;
}

interface ComponentServer {
  readonly port: number;
  /** Resolves when the server has closed, after the context's signal aborts. */
  readonly finished: Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

const VERSION = { major: KUBERNETES_MAJOR, minor: KUBERNETES_MINOR, gitVersion: KUBERNETES_VERSION };
const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/** Resolves when the server listens. */
export async function serveComponent(ctx: Context, options: ComponentServerOptions): Promise<ComponentServer> {
  const certificates = new ClientCertificates(ctx.clock, () => options.clientCa ?? '');
  const { certificate: cert, key } = options.certificate;
  const clients = options.clientCa === undefined ? {} : clientCertificateOptions(options.clientCa);
  const server = createHttpsServer(
    {
      request: async (request, response) => {
        const {
          status,
          body,
          type = 'text/plain; charset=utf-8',
        } = await answer({ ctx, options, certificates }, request);
        response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
        response.end(request.method === 'HEAD' ? undefined : body);
      },
      failed: (error, { url }) => ctx.logger.error(error, 'Failed to answer a request', { path: url }),
    },
    { cert, key, minVersion: 'TLSv1.2', ...clients },
  );
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const finished = new Promise<void>((resolve) => {
    const close = (): void => {
      void closeServer(server).then(resolve);
    };
    if (ctx.signal.aborted) close();
    else ctx.signal.addEventListener('abort', close, { once: true });
  });
  return { port: (server.address() as AddressInfo).port, finished };
}

interface Serving {
  readonly ctx: Context;
  readonly options: ComponentServerOptions;
  readonly certificates: ClientCertificates;
}

async function answer({ ctx, options, certificates }: Serving, request: IncomingMessage): Promise<Answer> {
  const { path, query } = splitTarget(request.url ?? '/');
  if (!options.alwaysAllowPaths.includes(path)) {
    const user = certificateUser(certificates, request.socket as TLSSocket);
    const access = await accessOf(options, request, { path, user });
    if (access === 'unauthorized') return { status: 401, body: 'Unauthorized\n' };
    if (access === 'forbidden') return { status: 403, body: 'Forbidden\n' };
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, body: 'Method Not Allowed\n' };
  if (HEALTH.has(path)) return health(path, options.checks ?? [], query.has('verbose'));
  switch (path) {
    case '/metrics':
      return { status: 200, body: ctx.metrics.expose(), type: METRICS_CONTENT_TYPE };
    case '/configz':
      return { status: 200, body: JSON.stringify(options.configuration ?? {}), type: 'application/json' };
    case '/version':
      return { status: 200, body: JSON.stringify(VERSION), type: 'application/json' };
    default: {
      const page = Object.hasOwn(options.pages ?? {}, path) ? options.pages?.[path]?.(query) : undefined;
      return page === undefined
        ? { status: 404, body: '404 page not found\n' }
        : { status: page.status, body: JSON.stringify(page.value), type: 'application/json' };
    }
  }
}

function accessOf(
  { access }: ComponentServerOptions,
  request: IncomingMessage,
  { path, user }: { path: string; user: CertificateUser | undefined },
): Promise<Access> {
  if (user !== undefined && access.checkUser !== undefined) return access.checkUser(user, 'get', path);
  return access.check(request.headers.authorization, 'get', path);
}

function certificateUser(certificates: ClientCertificates, socket: TLSSocket): CertificateUser | undefined {
  const raw = peerChain(socket);
  const subject = raw.length === 0 ? undefined : certificates.verify({ raw });
  if (subject === undefined || subject instanceof Error || commonName(subject) === '') return undefined;
  return { name: commonName(subject), groups: organizations(subject) };
}

function health(path: string, checks: readonly HealthCheck[], verbose: boolean): Answer {
  const results = [
    { name: 'ping', problem: undefined },
    ...checks.map(({ name, check }) => ({ name, problem: check() })),
  ];
  const failed = results.some(({ problem }) => problem !== undefined);
  if (!failed && !verbose) return { status: 200, body: 'ok' };
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
  );
  return {
    status: failed ? 500 : 200,
    body: `${lines.join('\n')}\n${path.slice(1)} check ${failed ? 'failed' : 'passed'}\n`,
  };
}
