/** The aggregator: proxies requests to the servers of APIServices, and runs the controllers of APIServices. */
import { ownValue } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { PostStartHooks } from '../health/post-start-hooks.ts';
import type { Registry } from '../registry/registry.ts';
import type { Exchange } from '../request/exchange.ts';
import type { Loopback } from '../request/loopback.ts';
import { splitPath } from '../request/request-info.ts';
import type { ApiResponse, UserInfo } from '../request/request.ts';
import { respondJson } from '../request/responses.ts';
import type { AggregatedApis, Priority, RemoteVersion } from './aggregated-apis.ts';
import { AutoRegistration, CUSTOM_PRIORITY } from './auto-register.ts';
import { AvailabilityController } from './availability.ts';
import { localVersion, serveLocal, type LocalApi } from './local-api.ts';
import { localOpenApiUrl, localOpenApiV2, localOpenApiV3 } from './local-openapi.ts';
import { proxyToRemote } from './proxy.ts';
import { RemoteConnections, type RemoteDialOptions } from './remote-connection.ts';
import { RemoteDocuments } from './remote-documents.ts';
import { remoteServices, type APIServiceObject, type RemoteService } from './remote-service.ts';

interface AggregatorOptions extends RemoteDialOptions {
  readonly loopback: Loopback;
}

const AVAILABILITY_HOOKS = [
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
] as const;
const DOCUMENT_HOOKS = [
  'apiservice-discovery-controller',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
] as const;

/** Of a request, as authorizers see it. */
interface ResourceAttributes {
  readonly verb: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
}

export class Aggregator {
  readonly #remotes: () => ReadonlyMap<string, RemoteService>;
  readonly #connections: RemoteConnections;
  readonly #documents: RemoteDocuments;
  readonly aggregatedApis: AggregatedApis;
  readonly #local = new Map<string, LocalApi>();
  #localGroups: ReadonlySet<string> = new Set();
  readonly #localChanged = new Set<() => void>();
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly #options: AggregatorOptions;

  constructor(ctx: Context, registry: Registry, options: AggregatorOptions) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#options = options;
    this.#connections = new RemoteConnections(ctx, options);
    this.#remotes = remoteServices(registry);
    this.#documents = new RemoteDocuments(ctx, this.#remotes, this.#connections);
    const documents = this.#documents;
    this.aggregatedApis = {
      versions: () => [...documents.versions(), ...this.#localVersions()],
      openapiV2: () => [
        ...documents.openapiV2(),
        ...this.#served().map((api) => ({ document: localOpenApiV2(api), prefixes: [`/apis/${api.group}/`] })),
      ],
      openapiV3: () =>
        new Map([
          ...documents.openapiV3(),
          ...this.#served().map((api): [string, string] => [`apis/${api.group}/${api.version}`, localOpenApiUrl(api)]),
        ]),
      onChange: (listener) => {
        documents.onChange(listener);
        this.#localChanged.add(listener);
      },
      priorityOf: (group, version) => this.#priorityOf(group, version),
    };
  }

  /** Runs until the context ends. */
  async run(hooks: PostStartHooks): Promise<void> {
    const [ctx, registry, { loopback }] = [this.#ctx, this.#registry, this.#options];
    await hooks.run('aggregator-reload-proxy-client-cert', () => this.#connections.loadClientCertificate());
    const apiServices = registry.require('apiregistration.k8s.io', 'v1', 'apiservices').cache;
    const stop = await hooks.run('start-kube-aggregator-informers', () =>
      apiServices.watch({ scope: '', deliver: () => this.#documents.follow() }),
    );
    await hooks.run('apiservice-registration-controller', () => this.#remotes());
    const availability = new AvailabilityController(ctx, registry, this.#connections, loopback);
    const registration = new AutoRegistration(ctx, registry, loopback, {
      list: () => [...this.#local.values()],
      onChange: (listener) => this.#localChanged.add(listener),
    });
    try {
      await Promise.all([
        hooks.start(AVAILABILITY_HOOKS, () => availability.run()),
        hooks.start('kube-apiserver-autoregistration', () => registration.run()),
        hooks.start(DOCUMENT_HOOKS, () => this.#documents.run()),
      ]);
    } finally {
      stop();
    }
  }

  /** Serves the request if its group version is aggregated; otherwise undefined. */
  serve(exchange: Exchange, user: UserInfo): Promise<ApiResponse> | ApiResponse | undefined {
    const remotes = this.#remotes();
    // Most requests are for resources of this server.
    if (remotes.size === 0 && exchange.info.isResourceRequest && !this.#localGroups.has(exchange.info.apiGroup))
      return undefined;
    const groupVersion = groupVersionOf(exchange);
    const remote = remotes.get(groupVersion);
    if (remote) return proxyToRemote(this.#ctx, this.#connections, remote, exchange, user);
    const local = this.#local.get(groupVersion);
    return local && serveLocal(local, exchange, user, this.#ctx.clock.now());
  }

  /** Serves a group version by a component of this process, unless an APIService names a server. Returns a function that undoes it. */
  register(api: LocalApi): () => void {
    const key = `${api.group}/${api.version}`;
    const changed = (): void => {
      this.#localGroups = new Set([...this.#local.values()].map(({ group }) => group));
      this.#localChanged.forEach((listener) => listener());
    };
    this.#local.set(key, api);
    changed();
    return () => {
      if (this.#local.get(key) === api && this.#local.delete(key)) changed();
    };
  }

  /** Whether a component of this process serves it for every authenticated user. */
  isOpen({ apiGroup, apiVersion, resource, subresource, verb }: ResourceAttributes): boolean {
    if (subresource !== '' || !this.#localGroups.has(apiGroup)) return false;
    return this.#served().some(
      ({ group, version, open }) =>
        group === apiGroup &&
        ['', '*', version].includes(apiVersion) &&
        open &&
        ownValue(open, resource)?.includes(verb),
    );
  }

  #localVersions(): RemoteVersion[] {
    return this.#served().map(localVersion);
  }

  /** The local ones that no APIService takes the place of. */
  #served(): LocalApi[] {
    const remotes = this.#remotes();
    return [...this.#local.values()].filter(({ group, version }) => !remotes.has(`${group}/${version}`));
  }

  /** `/openapi/v3/apis/GROUP/VERSION` of an aggregated server, or of a component of this process. */
  serveOpenApi(exchange: Exchange, user: UserInfo): Promise<ApiResponse> | ApiResponse | undefined {
    const [, , prefix, ...groupVersion] = splitPath(exchange.request.path);
    const remote = this.#remotes().get(prefix === 'apis' ? groupVersion.join('/') : `/${groupVersion.join('/')}`);
    if (remote) return proxyToRemote(this.#ctx, this.#connections, remote, exchange, user);
    const local = prefix === 'apis' ? this.#local.get(groupVersion.join('/')) : undefined;
    return local && respondJson(200, localOpenApiV3(local));
  }

  #priorityOf(group: string, version: string): Priority | undefined {
    const object = this.#registry.lookup('apiregistration.k8s.io', 'v1', 'apiservices', '', `${version}.${group}`) as
      | APIServiceObject
      | undefined;
    if (object?.spec) return { group: object.spec.groupPriorityMinimum, version: object.spec.versionPriority };
    // Until their APIServices exist, versions already have the priorities that the APIServices will have.
    const local = this.#local.get(`${group}/${version}`);
    if (local) return { group: local.groupPriorityMinimum, version: local.versionPriority };
    return this.#registry.isCustomGroup(group) ? CUSTOM_PRIORITY : undefined;
  }
}

function groupVersionOf({ info, request }: Exchange): string {
  if (info.isResourceRequest) return `${info.apiGroup}/${info.apiVersion}`;
  const [prefix, ...rest] = splitPath(request.path);
  if (prefix === 'apis' && rest.length >= 2) return `${rest[0]}/${rest[1]}`;
  return prefix === 'api' && rest.length >= 1 ? `/${rest[0]}` : '';
}
