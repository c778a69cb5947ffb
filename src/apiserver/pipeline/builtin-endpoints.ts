/** The endpoints of every server: metrics, version; discovery and OpenAPI follow the registry. */
import {
  BINARY_EFFECTIVE_VERSION,
  KUBERNETES_VERSION,
  versionInfo,
  type EffectiveVersion,
} from '../../api/kubernetes-version.ts';
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

interface BuiltinEndpointOptions {
  readonly aggregator?: Aggregator;
  readonly gitVersion?: string | undefined;
  readonly effectiveVersion?: EffectiveVersion | undefined;
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined;
  readonly store?: Store;
}

export function builtinEndpoints(
  ctx: Context,
  registry: Registry,
  serverAddress: () => string,
  options: BuiltinEndpointOptions = {},
): readonly Endpoint[] {
  const { aggregator, gitVersion = KUBERNETES_VERSION, store } = options;
  const { effectiveVersion = BINARY_EFFECTIVE_VERSION, featureGates } = options;
  const startedAt = ctx.clock.now();
  registerServerMetrics(ctx, { gitVersion, effectiveVersion, featureGates });
  const readStorageSize = store && storageSizeReader(ctx, store);
  return [
    ...discoveryEndpoints(registry, serverAddress, aggregator?.aggregatedApis),
    ...openapiEndpoints(registry, ctx.clock, aggregator, effectiveVersion),
    {
      path: '/version',
      serve({ request }) {
        checkAccept(request, 'application/json');
        return respondIndented({ ...versionInfo(effectiveVersion), gitVersion });
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
