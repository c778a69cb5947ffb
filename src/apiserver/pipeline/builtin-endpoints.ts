/** The endpoints of every server: metrics, version; discovery and OpenAPI follow the registry. */
import { VERSION } from '../../api/kubernetes-version.ts';
import type { Store } from '../../etcd/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { Aggregator } from '../aggregator/index.ts';
import { discoveryEndpoints } from '../discovery/endpoints.ts';
import { openapiEndpoints } from '../discovery/openapi.ts';
import type { Registry } from '../registry/registry.ts';
import type { Endpoint } from '../request/endpoint.ts';
import { metricsHeaders } from '../request/metrics-headers.ts';
import { checkAccept } from '../request/negotiate.ts';
import { noSuchResource, respondIndented, respondText } from '../request/responses.ts';
import { registerServerMetrics, STORAGE_SIZE, storageSizeReader } from './server-metrics.ts';

export function builtinEndpoints(
  ctx: Context,
  registry: Registry,
  serverAddress: () => string,
  aggregator?: Aggregator,
  gitVersion: string = VERSION.gitVersion,
  store?: Store,
): readonly Endpoint[] {
  const startedAt = ctx.clock.now();
  registerServerMetrics(ctx, gitVersion);
  const readStorageSize = store && storageSizeReader(ctx, store);
  return [
    ...discoveryEndpoints(registry, serverAddress, aggregator?.aggregatedApis),
    ...openapiEndpoints(registry, ctx.clock, aggregator),
    {
      path: '/version',
      serve({ request }) {
        checkAccept(request, 'application/json');
        return respondIndented({ ...VERSION, gitVersion });
      },
    },
    {
      path: '/version/*',
      serve() {
        throw noSuchResource();
      },
    },
    {
      path: '/metrics',
      plain: true,
      async serve({ request }) {
        // As Prometheus' own client libraries: a reader of a few samples does not pay for thousands. Upstream sends all of them.
        const asked = request.query.getAll('name[]');
        const names = asked.length > 0 ? new Set(asked) : undefined;
        if (!names || names.has(STORAGE_SIZE)) await readStorageSize?.();
        return respondText(200, ctx.metrics.expose(names), metricsHeaders(startedAt));
      },
    },
  ];
}
