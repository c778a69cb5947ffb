/**
 * Caches the discovery and OpenAPI documents of aggregated servers. They are fetched when a server becomes available and
 * refreshed periodically, so that clients do not wait for aggregated servers.
 */
import type {
  APIGroupDiscovery,
  APIGroupDiscoveryList,
  APIResourceDiscovery,
} from '../../api/generated/apidiscovery-v2.ts';
import type { APIResourceList } from '../../api/generated/meta-v1.ts';
import { isRecord } from '../../base/index.ts';
import { type Context, untilAborted } from '../../kernel/index.ts';
import type { AggregatedDocument, RemoteVersion } from './aggregated-apis.ts';
import { fromResourceList } from './from-resource-list.ts';
import { identityHeaders, type RemoteConnections } from './remote-connection.ts';
import { rootPath, type RemoteService } from './remote-service.ts';
import { withDeadline } from './with-deadline.ts';

const REFRESH_MS = 60_000;
const TIMEOUT_MS = 5000;
/** The identities with which upstream fetches each document; only aggregated discovery uses system:masters. */
const AGGREGATED_DISCOVERY = identityHeaders({ name: 'system:kube-aggregator', groups: ['system:masters'] });
const DISCOVERY = identityHeaders({ name: 'system:kube-aggregator', groups: [] });
const OPENAPI = identityHeaders({ name: 'system:aggregator', groups: [] });
const JSON_TYPE = 'application/json';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

type Headers = Readonly<Record<string, string | string[]>>;

interface CachedDocuments {
  readonly resources: readonly APIResourceDiscovery[];
  readonly v2?: Readonly<Record<string, unknown>>;
  /** The URL of the OpenAPI v3 document. */
  readonly v3?: string;
}

export class RemoteDocuments {
  #documents = new Map<string, CachedDocuments>();
  #fetching = new Map<string, Promise<void>>();
  #listeners = new Set<() => void>();
  readonly #ctx: Context;
  readonly #remotes: () => ReadonlyMap<string, RemoteService>;
  readonly #connections: RemoteConnections;

  constructor(ctx: Context, remotes: () => ReadonlyMap<string, RemoteService>, connections: RemoteConnections) {
    this.#ctx = ctx;
    this.#remotes = remotes;
    this.#connections = connections;
  }

  versions(): RemoteVersion[] {
    return [...this.#remotes().values()].map(({ name, group, version, available }) => {
      const documents = this.#documents.get(name);
      return {
        group,
        version,
        resources: documents?.resources ?? [],
        freshness: available && documents ? 'Current' : 'Stale',
      };
    });
  }

  openapiV2(): AggregatedDocument[] {
    return [...this.#remotes().values()].flatMap((remote) => {
      const document = this.#documents.get(remote.name)?.v2;
      return document ? [{ document, prefixes: [`${rootPath(remote)}/`, `/apis/${remote.group}/`] }] : [];
    });
  }

  openapiV3(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const remote of this.#remotes().values()) {
      const url = this.#documents.get(remote.name)?.v3;
      if (url) found.set(rootPath(remote).slice(1), url);
    }
    return found;
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** An APIService has changed: fetches the documents of servers that are new or available again. */
  follow(): void {
    const remotes = [...this.#remotes().values()];
    for (const name of this.#documents.keys())
      if (!remotes.some((remote) => remote.name === name)) this.#documents.delete(name);
    for (const remote of remotes) if (remote.available && !this.#documents.has(remote.name)) this.#refresh(remote);
    this.#notify();
  }

  async run(): Promise<void> {
    const timer = this.#ctx.clock.every(REFRESH_MS, () => {
      for (const remote of this.#remotes().values()) if (remote.available) this.#refresh(remote);
    });
    this.follow();
    await untilAborted(this.#ctx.signal);
    timer.cancel();
    await Promise.all(this.#fetching.values());
  }

  #refresh(remote: RemoteService): void {
    if (this.#fetching.has(remote.name) || this.#ctx.signal.aborted) return;
    const fetching = this.#fetch(remote)
      .then((documents) => {
        this.#documents.set(remote.name, documents);
        this.#notify();
      })
      .catch((error: unknown) =>
        this.#ctx.logger
          .v(2)
          .info('Failed to fetch the documents of an aggregated server', { apiService: remote.name, err: error }),
      )
      .finally(() => this.#fetching.delete(remote.name));
    this.#fetching.set(remote.name, fetching);
  }

  async #fetch(remote: RemoteService): Promise<CachedDocuments> {
    const [resources, v2, v3] = await Promise.all([
      this.#discover(remote),
      this.#get(remote, '/openapi/v2', { ...OPENAPI, accept: JSON_TYPE }).catch(() => undefined),
      this.#get(remote, '/openapi/v3', { ...OPENAPI, accept: JSON_TYPE }).catch(() => undefined),
    ]);
    const paths = isRecord(v3) && isRecord(v3['paths']) ? v3['paths'] : {};
    const listed = paths[rootPath(remote).slice(1)];
    const url = isRecord(listed) ? listed['serverRelativeURL'] : undefined;
    return { resources, ...(isRecord(v2) ? { v2 } : {}), ...(typeof url === 'string' ? { v3: url } : {}) };
  }

  /** Uses aggregated discovery if the server has it, else the APIResourceList of the version. */
  async #discover(remote: RemoteService): Promise<readonly APIResourceDiscovery[]> {
    const headers = { ...AGGREGATED_DISCOVERY, accept: `${AGGREGATED},${JSON_TYPE}` };
    const all = await this.#get(remote, '/apis', headers).catch(() => undefined);
    if (isRecord(all) && all['kind'] === 'APIGroupDiscoveryList') {
      const found = (all as unknown as APIGroupDiscoveryList).items
        ?.find((group: APIGroupDiscovery) => group.metadata?.name === remote.group)
        ?.versions?.find(({ version }) => version === remote.version);
      if (found) return found.resources ?? [];
    }
    const list = await this.#get(remote, rootPath(remote), { ...DISCOVERY, accept: JSON_TYPE });
    return fromResourceList(remote, list as APIResourceList);
  }

  async #get(remote: RemoteService, path: string, headers: Headers): Promise<unknown> {
    return withDeadline(this.#ctx, TIMEOUT_MS, async (signal) => {
      const endpoint = this.#connections.locate(remote);
      const answer = await this.#connections.send(remote, endpoint, { method: 'GET', path, headers, signal });
      const chunks: Buffer[] = [];
      for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
      if (answer.statusCode !== 200) throw new Error(`${path} answered with ${answer.statusCode}`);
      return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
    });
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
