/** Authorizes requests to the kubelet API by SubjectAccessReviews for subresources of the node. */
import type { Client } from '../../client/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Caller } from './authenticate.ts';

export interface AuthorizationSettings {
  readonly mode: string;
  readonly allowedCacheMs: number;
  readonly deniedCacheMs: number;
  readonly nodeName: string;
}

const VERBS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ GET: 'get', HEAD: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' }),
);
const MAX_CACHED = 4096;

/** The node subresources that grant access to a path, the most specific first. One of them is enough. */
function subresourcesOf(path: string): string[] {
  const under = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
  if (under('/stats')) return ['stats'];
  if (under('/metrics')) return ['metrics'];
  if (under('/logs')) return ['log'];
  if (under('/checkpoint')) return ['checkpoint'];
  if (under('/statusz')) return ['statusz', 'proxy'];
  if (under('/flagz')) return ['flagz', 'proxy'];
  if (path === '/pods' || path === '/pods/' || path === '/runningpods' || path === '/runningpods/')
    return ['pods', 'proxy'];
  if (under('/healthz')) return ['healthz', 'proxy'];
  if (under('/configz')) return ['configz', 'proxy'];
  return ['proxy'];
}

export class Authorizer {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #settings: AuthorizationSettings;
  readonly #cache = new Map<string, { readonly allowed: boolean; readonly until: number }>();

  constructor(client: Client, clock: Clock, settings: AuthorizationSettings) {
    this.#client = client;
    this.#clock = clock;
    this.#settings = settings;
  }

  /** Undefined when the request is allowed, otherwise the message of the 403. */
  async forbidden(caller: Caller, method: string, path: string): Promise<string | undefined> {
    if (this.#settings.mode === 'AlwaysAllow') return undefined;
    const verb = VERBS.get(method) ?? method.toLowerCase();
    const candidates = subresourcesOf(path);
    for (const subresource of candidates) if (await this.#isAllowed(caller, verb, subresource)) return undefined;
    return `Forbidden (user=${caller.name}, verb=${verb}, resource=nodes, subresource(s)=[${candidates.join(' ')}])\n`;
  }

  async #isAllowed(caller: Caller, verb: string, subresource: string): Promise<boolean> {
    const key = JSON.stringify([caller, verb, subresource]);
    const now = this.#clock.monotonic();
    const cached = this.#cache.get(key);
    if (cached !== undefined && now < cached.until) return cached.allowed;
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: {
        user: caller.name,
        groups: [...caller.groups],
        ...(caller.uid === undefined ? {} : { uid: caller.uid }),
        ...(caller.extra === undefined
          ? {}
          : { extra: Object.fromEntries(Object.entries(caller.extra).map(([name, values]) => [name, [...values]])) }),
        resourceAttributes: {
          verb,
          group: '',
          version: 'v1',
          resource: 'nodes',
          subresource,
          name: this.#settings.nodeName,
        },
      },
    };
    const { status } = await this.#client.resource('authorization.k8s.io/v1/subjectaccessreviews').create(review);
    const allowed = status?.allowed === true;
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(key, {
      allowed,
      until: now + (allowed ? this.#settings.allowedCacheMs : this.#settings.deniedCacheMs),
    });
    return allowed;
  }
}
