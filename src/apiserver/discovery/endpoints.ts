/** The discovery endpoints /api and /apis, and all paths below them. */
import type { KubeObject } from '../../machinery/index.ts';
import type { AggregatedApis } from '../aggregator/index.ts';
import type { Registry } from '../registry/registry.ts';
import { type Endpoint } from '../request/endpoint.ts';
import { type Exchange } from '../request/exchange.ts';
import { negotiate, parseAccept, type NegotiationOptions } from '../request/negotiate.ts';
import { splitPath } from '../request/request-info.ts';
import { type ApiResponse, headerOf } from '../request/request.ts';
import { encodeDocument, methodNotAllowed, noSuchResource } from '../request/responses.ts';
import { apiGroupDiscoveryList, discoveryEtag } from './aggregated.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './api-groups.ts';
import { discoverableGroups, type DiscoverableGroup } from './discoverable-resource.ts';
import { mergeGroups } from './merge-groups.ts';

export function discoveryEndpoints(
  registry: Registry,
  serverAddress: () => string,
  aggregatedApis?: AggregatedApis,
): Endpoint[] {
  let groups: DiscoverableGroup[] | undefined;
  registry.onChange(() => (groups = undefined));
  aggregatedApis?.onChange(() => (groups = undefined));
  const compute = (): DiscoverableGroup[] => {
    const own = discoverableGroups(registry.all());
    return aggregatedApis ? mergeGroups(own, aggregatedApis) : own;
  };
  const current = (): DiscoverableGroup[] => (groups ??= compute());
  return [
    {
      path: '/api',
      serve: (exchange) =>
        serveRoot(
          exchange,
          current().filter((g) => g.group === ''),
          () => apiVersions(['v1'], serverAddress()),
        ),
    },
    ...['/apis', '/apis/'].map((path): Endpoint => ({
      path,
      plain: true,
      serve: (exchange) =>
        serveRoot(
          exchange,
          current().filter((g) => g.group !== ''),
          () => apiGroupList(current()),
          PLAIN,
        ),
    })),
    { path: '/api/*', serve: (exchange) => serveBelow(exchange, current()), paths: () => ['/api/v1'] },
    {
      path: '/apis/*',
      serve: (exchange) => serveBelow(exchange, current()),
      paths: () =>
        current()
          .filter(({ group }) => group !== '')
          .flatMap(({ group, versions }) => [
            `/apis/${group}`,
            ...versions.map(({ version }) => `/apis/${group}/${version}`),
          ]),
    },
  ];
}

/** As upstream, the list of groups and each group are plain handlers that do not negotiate media types. */
const PLAIN: NegotiationOptions = { routed: false };

const AGGREGATED = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Serves aggregated discovery if the Accept header lists it anywhere, else the plain document. */
function serveRoot(
  exchange: Exchange,
  groups: readonly DiscoverableGroup[],
  plain: () => object,
  options: NegotiationOptions = {},
): ApiResponse {
  if (!wantsAggregated(exchange)) return serveDocument(exchange, plain(), options);
  const { headers, ...response } = serveDocument(exchange, apiGroupDiscoveryList(groups), options, AGGREGATED);
  const etag = discoveryEtag(response.body as Buffer);
  // The same for every user who may read it.
  const caching = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (headerOf(exchange.request, 'if-none-match') === etag) return { status: 304, headers: caching };
  return {
    ...response,
    headers: { ...headers, 'content-type': `${String(headers['content-type'])}${AGGREGATED}`, ...caching },
  };
}

const wantsAggregated = ({ request }: Exchange): boolean =>
  parseAccept(headerOf(request, 'accept') ?? '').some(
    ({ params }) =>
      params.get('as') === 'APIGroupDiscoveryList' &&
      params.get('g') === 'apidiscovery.k8s.io' &&
      params.get('v') === 'v2',
  );

function serveBelow(exchange: Exchange, groups: readonly DiscoverableGroup[]): ApiResponse | undefined {
  const [prefix, ...rest] = splitPath(exchange.request.path);
  const [group, version, ...tooMany] = prefix === 'api' ? ['', ...rest] : rest;
  const found = groups.find((g) => g.group === group);
  if (!found) return undefined;
  if (tooMany.length > 0) throw noSuchResource();
  if (version === undefined) return serveDocument(exchange, apiGroup(found), PLAIN);
  const resources = found.versions.find((v) => v.version === version);
  if (!resources) throw noSuchResource();
  if (exchange.request.method !== 'GET') throw methodNotAllowed();
  return serveDocument(exchange, apiResourceList(resources));
}

function serveDocument(
  { request }: Exchange,
  document: object,
  options: NegotiationOptions = {},
  parameters = '',
): ApiResponse {
  const accept = headerOf(request, 'accept')?.replace(parameters, '');
  const negotiated = negotiate(accept, request.query, headerOf(request, 'user-agent'), options);
  return encodeDocument(negotiated, document as KubeObject);
}
