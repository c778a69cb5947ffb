/** Serves a component's secure port: health checks, metrics, configz and further pages. */
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { BINARY_EFFECTIVE_VERSION, type EffectiveVersion } from '../api/kubernetes-version.ts';
import { stringifyIndented } from '../base/index.ts';
import { METRICS_CONTENT_TYPE, type Context, type FollowedFiles } from '../kernel/index.ts';
import { failure, notAcceptable, unauthorized, type StatusError } from '../machinery/errors/index.ts';
import { closeServer, createHttpsServer, splitTarget } from '../net/http/index.ts';
import {
  ClientCertificates,
  commonName,
  organizations,
  peerChain,
  ServingCertificates,
  type ServingOptions,
  type TlsSettings,
} from '../net/tls/index.ts';
import type { Access, CertificateUser, DelegatedAccess } from './delegated-access.ts';
import { ENDPOINTS, type HealthCheck } from './health-check.ts';
import { healthIndicators } from './health-indicators.ts';
import { flagsPage, statusPage, type FlagTexts, type OperatorPage } from './operator-pages.ts';
import { runCheck, runChecks } from './run-checks.ts';
import type { ServingFiles } from './serving-files.ts';

interface ComponentServerOptions {
  /** `kube-scheduler` */
  readonly component: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly serving: FollowedFiles<ServingFiles>;
  readonly tls?: TlsSettings;
  /** Authenticates and authorizes requests for paths outside of `alwaysAllowPaths`. */
  readonly access: Pick<DelegatedAccess, 'check' | 'checkUser'>;
  /** The CAs of client certificates, PEM; without any clients authenticate with tokens only. */
  readonly clientCa: FollowedFiles<string>;
  readonly alwaysAllowPaths: readonly string[];
  /** Those without endpoints are checks of /healthz. An endpoint without checks at the start does not exist. */
  readonly checks: readonly HealthCheck[] | (() => readonly HealthCheck[]);
  /** The content of `/configz`, by the name of the configuration. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** The flags that the component was started with, for /flagz. */
  readonly flags?: FlagTexts;
  readonly effectiveVersion?: EffectiveVersion;
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

interface Asked {
  readonly query: URLSearchParams;
  readonly accept: string;
}

type Routes = ReadonlyMap<string, (asked: Asked) => Promise<Answer> | Answer>;

/** Resolves when the server listens. */
export async function serveComponent(ctx: Context, options: ComponentServerOptions): Promise<ComponentServer> {
  const certificates = new ClientCertificates(ctx.clock, () => options.clientCa.value);
  const routes = routesOf(ctx, options);
  const serving = new ServingCertificates(servingOptions(options));
  const server = createHttpsServer(
    {
      request: async (request, response) => {
        const {
          status,
          body,
          type = 'text/plain; charset=utf-8',
        } = await answer({ options, certificates, routes }, request);
        response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' });
        response.end(request.method === 'HEAD' ? undefined : body);
      },
      failed: (error, { url }) => ctx.logger.error(error, 'Failed to answer a request', { path: url }),
    },
    serving.serverOptions(),
  );
  const renew = (): void => {
    serving.renew(servingOptions(options));
    serving.refresh(server);
  };
  options.serving.onChange(renew);
  options.clientCa.onChange(renew);
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

const servingOptions = ({ serving, clientCa, tls }: ComponentServerOptions): ServingOptions => ({
  ...tls,
  ...serving.value.own,
  named: serving.value.named,
  ...(clientCa.value === '' ? {} : { clientCa: clientCa.value }),
});

interface Serving {
  readonly options: ComponentServerOptions;
  readonly certificates: ClientCertificates;
  readonly routes: Routes;
}

const ANONYMOUS: CertificateUser = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

async function answer({ options, certificates, routes }: Serving, request: IncomingMessage): Promise<Answer> {
  const { path, query } = splitTarget(request.url ?? '/');
  if (!options.alwaysAllowPaths.includes(path)) {
    const user = certificateUser(certificates, request.socket as TLSSocket);
    const verb = (request.method ?? 'GET').toLowerCase();
    const { authorization } = request.headers;
    const access =
      user === undefined && authorization !== undefined
        ? await options.access.check(authorization, verb, path)
        : await options.access.checkUser(user ?? ANONYMOUS, verb, path);
    const refused = refusal(access, user?.name ?? ANONYMOUS.name, verb, path);
    if (refused !== undefined) return statusAnswer(refused);
  }
  const route = routes.get(path);
  if (route === undefined) return { status: 404, body: '404 page not found\n' };
  return route({ query, accept: request.headers.accept ?? '' });
}

function refusal(access: Access, user: string, verb: string, path: string): StatusError | undefined {
  if (access === 'unauthorized') return unauthorized();
  if (access === 'allowed') return undefined;
  return failure(
    403,
    'Forbidden',
    `forbidden: User ${JSON.stringify(user)} cannot ${verb} path ${JSON.stringify(path)}`,
    {},
  );
}

const statusAnswer = ({ status }: StatusError): Answer => ({
  status: status.code ?? 500,
  body: stringifyIndented(status),
  type: 'application/json',
});

function routesOf(ctx: Context, options: ComponentServerOptions): Routes {
  const { component, effectiveVersion = BINARY_EFFECTIVE_VERSION, pages = {} } = options;
  const indicators = healthIndicators();
  const routes = new Map<string, (asked: Asked) => Promise<Answer> | Answer>();
  for (const endpoint of ENDPOINTS) {
    const current = (): HealthCheck[] =>
      (typeof options.checks === 'function' ? options.checks() : options.checks)
        .filter(({ endpoints = ['healthz'] }) => endpoints.includes(endpoint))
        .map((check) => indicators.observed(check, endpoint));
    const atStart = current();
    if (atStart.length === 0) continue;
    routes.set(`/${endpoint}`, async ({ query }) => {
      const { status, text } = await runChecks(ctx.logger, endpoint, current(), query);
      return { status, body: text };
    });
    for (const check of atStart)
      routes.set(`/${endpoint}/${check.name}`, async () => {
        const { status, text } = await runCheck(check);
        return { status, body: text };
      });
  }
  const metrics = (expose: () => string) => (): Answer => ({ status: 200, body: expose(), type: METRICS_CONTENT_TYPE });
  routes.set(
    '/metrics',
    metrics(() => ctx.metrics.expose()),
  );
  routes.set(
    '/metrics/slis',
    metrics(() => indicators.expose()),
  );
  const configuration = JSON.stringify(options.configuration ?? {});
  routes.set('/configz', () => ({ status: 200, body: configuration, type: 'application/json' }));
  const paths = [...routes.keys(), '/flagz'].filter((path) => path.lastIndexOf('/') === 0).sort();
  const status = statusPage({ component, clock: ctx.clock, version: effectiveVersion, paths });
  routes.set('/statusz', ({ accept }) => pageAnswer(status, accept));
  const flags = flagsPage(component, options.flags ?? {});
  routes.set('/flagz', ({ accept }) => pageAnswer(flags, accept));
  for (const [path, page] of Object.entries(pages))
    routes.set(path, ({ query }) => {
      const { status: code, value } = page(query);
      return { status: code, body: JSON.stringify(value), type: 'application/json' };
    });
  return routes;
}

const VERSION = 'v1beta1';

/** Text, or for programs that name it the object of config.k8s.io. */
function pageAnswer({ component, kind, text, fields }: OperatorPage, accept: string): Answer {
  if (accept === '' || /(?:^|,)\s*(?:\*\/\*|text\/\*|text\/plain)\s*(?:$|[,;])/.test(accept))
    return { status: 200, body: text() };
  const type = `application/json;g=config.k8s.io;v=${VERSION};as=${kind}`;
  const wanted = new Set(accept.split(';').map((part) => part.trim()));
  if (type.split(';').every((part) => wanted.has(part))) {
    const object = { kind, apiVersion: `config.k8s.io/${VERSION}`, metadata: { name: component }, ...fields() };
    return { status: 200, body: stringifyIndented(object), type };
  }
  const types = 'application/json, application/yaml, text/plain';
  return statusAnswer(notAcceptable(`only the following media types are accepted: ${types}`));
}

function certificateUser(certificates: ClientCertificates, socket: TLSSocket): CertificateUser | undefined {
  const raw = peerChain(socket);
  const subject = raw.length === 0 ? undefined : certificates.verify({ raw });
  if (subject === undefined || subject instanceof Error || commonName(subject) === '') return undefined;
  return { name: commonName(subject), groups: [...organizations(subject), 'system:authenticated'] };
}
