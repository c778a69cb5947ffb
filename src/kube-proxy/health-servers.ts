/**
 * Health checks for load balancers: `/healthz` says whether kube-proxy works, and each Service's healthCheckNodePort
 * whether it has a ready endpoint on this node.
 */
import type http from 'node:http';
import type { Service } from '../api/generated/core-v1.ts';
import { METRICS_CONTENT_TYPE, type Context } from '../kernel/index.ts';
import { createHttpServer, splitTarget } from '../net/http/index.ts';
import { listenIn } from '../net/netns/index.ts';

export interface HealthState {
  /** When the rules were last written, in milliseconds; undefined before the first sync. */
  lastUpdated: number | undefined;
}

interface ServiceHealth {
  readonly namespace: string;
  readonly name: string;
  localEndpoints: number;
}

export class HealthServers {
  readonly #services = new Map<number, { server: http.Server; health: ServiceHealth }>();

  readonly #ctx: Context;
  readonly #options: { netns: string | undefined; state: HealthState };

  constructor(ctx: Context, options: { netns: string | undefined; state: HealthState }) {
    this.#ctx = ctx;
    this.#options = options;
  }

  /**
   * Opens and closes health check ports to match these Services. `localEndpoints` counts the ready endpoints on this
   * node by `namespace/name`.
   */
  async update(services: readonly Service[], localEndpoints: (key: string) => number): Promise<void> {
    const wanted = new Map<number, ServiceHealth>();
    for (const { metadata, spec } of services) {
      if (spec?.type !== 'LoadBalancer' || spec.externalTrafficPolicy !== 'Local' || !spec.healthCheckNodePort)
        continue;
      wanted.set(spec.healthCheckNodePort, {
        namespace: metadata.namespace!,
        name: metadata.name!,
        localEndpoints: localEndpoints(`${metadata.namespace}/${metadata.name}`),
      });
    }
    for (const [port, { server }] of this.#services) {
      if (wanted.has(port)) continue;
      this.#services.delete(port);
      server.close();
      server.closeAllConnections();
    }
    for (const [port, health] of wanted) {
      const known = this.#services.get(port);
      if (known) {
        Object.assign(known.health, health);
        continue;
      }
      const server = createHttpServer({
        request: (_request, response) =>
          answerServiceHealth(response, health, this.#options.state.lastUpdated !== undefined),
        failed: (error) => this.#ctx.logger.error(error, 'Failed to answer a Service health check', { port }),
      });
      try {
        await listenInBothFamilies(server, this.#options.netns, port);
        this.#services.set(port, { server, health });
      } catch (error) {
        this.#ctx.logger.error(error, 'Failed to start healthcheck', {
          port,
          service: `${health.namespace}/${health.name}`,
        });
      }
    }
  }

  close(): void {
    for (const { server } of this.#services.values()) {
      server.close();
      server.closeAllConnections();
    }
    this.#services.clear();
  }
}

/** Falls back to IPv4 where the kernel has no IPv6. */
async function listenInBothFamilies(server: http.Server, netns: string | undefined, port: number): Promise<void> {
  try {
    await listenIn(server, { netns, host: '::', port });
  } catch {
    await listenIn(server, { netns, host: '0.0.0.0', port });
  }
}

function answerServiceHealth(
  response: http.ServerResponse,
  { namespace, name, localEndpoints }: ServiceHealth,
  serviceProxyHealthy: boolean,
): void {
  response.writeHead(localEndpoints > 0 && serviceProxyHealthy ? 200 : 503, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-load-balancing-endpoint-weight': String(localEndpoints),
  });
  response.end(JSON.stringify({ service: { namespace, name }, localEndpoints, serviceProxyHealthy }));
}

/** Serves fixed paths, such as `/healthz` or `/metrics`, on an address; serves nothing when the address is ''. */
export async function serveEndpoints(
  ctx: Pick<Context, 'logger'>,
  { netns, address }: { readonly netns: string | undefined; readonly address: string },
  answer: (path: string) => { status: number; type: string; body: string } | undefined,
): Promise<http.Server | undefined> {
  if (address === '') return undefined;
  const server = createHttpServer({
    request: (request, response) => {
      const found = answer(splitTarget(request.url ?? '/').path) ?? {
        status: 404,
        type: 'text/plain; charset=utf-8',
        body: '404 page not found\n',
      };
      response.writeHead(found.status, { 'content-type': found.type }).end(found.body);
    },
    failed: (error, { url }) => ctx.logger.error(error, 'Failed to answer a request', { path: url }),
  });
  const colon = address.lastIndexOf(':');
  await listenIn(server, {
    netns,
    host: address.slice(0, colon).replace(/^\[|\]$/g, ''),
    port: Number(address.slice(colon + 1)),
  });
  return server;
}

export function healthAnswer(
  ctx: Context,
  state: HealthState,
): (path: string) => { status: number; type: string; body: string } | undefined {
  return (path) => {
    if (path !== '/healthz' && path !== '/livez') return undefined;
    const currentTime = new Date(ctx.clock.now()).toISOString();
    const lastUpdated = state.lastUpdated === undefined ? currentTime : new Date(state.lastUpdated).toISOString();
    return {
      status: state.lastUpdated === undefined ? 503 : 200,
      type: 'application/json',
      body: JSON.stringify({ lastUpdated, currentTime, nodeEligible: true }),
    };
  };
}

export function metricsAnswer(
  ctx: Context,
  mode: string,
): (path: string) => { status: number; type: string; body: string } | undefined {
  return (path) => {
    if (path === '/metrics') return { status: 200, type: METRICS_CONTENT_TYPE, body: ctx.metrics.expose() };
    if (path === '/healthz') return { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };
    return path === '/proxyMode' ? { status: 200, type: 'text/plain; charset=utf-8', body: mode } : undefined;
  };
}
