/** The discovery endpoints /api and /apis, and all paths below them. */
import type { KubeObject } from '../../machinery/index.ts';
import type { AggregatedApis } from '../aggregator/index.ts';
import type { Registry } from '../registry/registry.ts';
import { type Endpoint } from '../request/endpoint.ts';
import { type Exchange } from '../request/exchange.ts';
import { negotiate, parseAccept, type NegotiationOptions } from '../request/negotiate.ts';
import { splitPath } from '../request/request-info.ts';
import { type ApiRequest, type ApiResponse, headerOf } from '../request/request.ts';
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
  let roots:
    | { readonly of: DiscoverableGroup[]; readonly api: AggregatedRoot; readonly apis: AggregatedRoot }
    | undefined;
  const root = (path: 'api' | 'apis'): AggregatedRoot => {
    const of = current();
    if (roots?.of !== of)
      roots = {
        of,
        api: new AggregatedRoot(of.filter(({ group }) => group === '')),
        apis: new AggregatedRoot(of.filter(({ group }) => group !== '')),
      };
    return roots[path];
  };
  return [
    {
      path: '/api',
      serve: (exchange) => serveRoot(exchange, root('api'), () => apiVersions(['v1'], serverAddress())),
    },
    ...['/apis', '/apis/'].map((path): Endpoint => ({
      path,
      plain: true,
      serve: (exchange) => serveRoot(exchange, root('apis'), () => apiGroupList(current()), PLAIN),
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

/** The aggregated document of /api or /apis, built once and encoded once per media type; clients ask for it again and again. */
class AggregatedRoot {
  readonly #groups: readonly DiscoverableGroup[];
  #document: object | undefined;
  readonly #encoded = new Map<string, { readonly response: ApiResponse; readonly etag: string }>();

  constructor(groups: readonly DiscoverableGroup[]) {
    this.#groups = groups;
  }

  encoded(
    { request }: Exchange,
    options: NegotiationOptions,
  ): { readonly response: ApiResponse; readonly etag: string } {
    const negotiated = negotiatedOf(request, options, AGGREGATED);
    const key = JSON.stringify(negotiated);
    const known = this.#encoded.get(key);
    if (known) return known;
    const response = encodeDocument(negotiated, (this.#document ??= apiGroupDiscoveryList(this.#groups)) as KubeObject);
    const encoded = { response, etag: discoveryEtag(response.body as Buffer) };
    if (this.#encoded.size < MAX_ENCODED) this.#encoded.set(key, encoded);
    return encoded;
  }
}

/** Media types are few; `pretty` makes two of each. */
const MAX_ENCODED = 16;

/** Serves aggregated discovery if the Accept header lists it anywhere, else the plain document. */
function serveRoot(
  exchange: Exchange,
  root: AggregatedRoot,
  plain: () => object,
  options: NegotiationOptions = {},
): ApiResponse {
  if (!wantsAggregated(exchange)) return serveDocument(exchange, plain(), options);
  const {
    response: { headers, ...response },
    etag,
  } = root.encoded(exchange, options);
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

function serveDocument({ request }: Exchange, document: object, options: NegotiationOptions = {}): ApiResponse {
  return encodeDocument(negotiatedOf(request, options), document as KubeObject);
}

function negotiatedOf(request: ApiRequest, options: NegotiationOptions, parameters = ''): ReturnType<typeof negotiate> {
  const accept = headerOf(request, 'accept')?.replace(parameters, '');
  return negotiate(accept, request.query, headerOf(request, 'user-agent'), options);
}
