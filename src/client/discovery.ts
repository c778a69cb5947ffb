import type { APIGroupDiscoveryList, APIResourceDiscovery } from '../api/generated/apidiscovery-v2.ts';
import type { APIGroupList, APIResourceList, APIVersions } from '../api/generated/meta-v1.ts';
import { isStatusError } from '../machinery/errors/index.ts';
import type { Client } from './client.ts';
import type { Resource } from './resource.ts';

/** A resource as the server describes it: built-in, custom or aggregated. */
export interface DiscoveredResource extends Resource {
  readonly singular: string;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
  /** Whether its version is the group's preferred one. */
  readonly preferred: boolean;
}

export interface Discovery {
  resources: DiscoveredResource[];
  /**
   * Group versions whose server did not answer, such as `metrics.k8s.io/v1beta1`: their resources are unknown, not
   * absent.
   */
  unavailable: string[];
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** All resources of the server: two requests with aggregated discovery, one more per group version without it. */
export function discover(client: Client, signal?: AbortSignal): Promise<Discovery> {
  return new RepeatedDiscovery(client).read(signal);
}

/** Discovery by a client that repeats it: the server sends only what has changed. */
export class RepeatedDiscovery {
  readonly #client: Client;
  readonly #known = new Map<string, { readonly etag: string; readonly part: Discovery }>();
  #last: { readonly parts: readonly Discovery[]; readonly whole: Discovery } | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The same object as before when nothing has changed. */
  async read(signal?: AbortSignal): Promise<Discovery> {
    const parts = [await this.#read('/api', signal), await this.#read('/apis', signal)];
    if (this.#last && parts.every((part, i) => part === this.#last!.parts[i])) return this.#last.whole;
    const whole = {
      resources: parts.flatMap(({ resources }) => resources),
      unavailable: parts.flatMap(({ unavailable }) => unavailable),
    };
    this.#last = { parts, whole };
    return whole;
  }

  async #read(path: '/api' | '/apis', signal: AbortSignal | undefined): Promise<Discovery> {
    const known = this.#known.get(path);
    const headers = { accept: AGGREGATED, ...(known ? { 'if-none-match': known.etag } : {}) };
    const answer = await this.#client.request({ method: 'GET', path, headers, signal });
    if (answer.status === 304 && known) return known.part;
    const part: Discovery = { resources: [], unavailable: [] };
    const list = answer.body as APIGroupDiscoveryList | APIVersions | APIGroupList;
    if (list.kind === 'APIGroupDiscoveryList') readAggregated(list as APIGroupDiscoveryList, part);
    else await readEachVersion(this.#client, list as APIVersions | APIGroupList, part, signal);
    const { etag } = answer.headers;
    if (etag !== undefined) this.#known.set(path, { etag, part });
    return part;
  }
}

/** The resource of a kind (a RESTMapper's job). */
export function findKind(
  discovery: Discovery,
  kind: { group: string; kind: string; version?: string },
): DiscoveredResource | undefined {
  const matching = discovery.resources.filter(
    (resource) => resource.group === kind.group && resource.kind === kind.kind,
  );
  if (kind.version !== undefined) return matching.find((resource) => resource.version === kind.version);
  return matching.find((resource) => resource.preferred) ?? matching[0];
}

function readAggregated(list: APIGroupDiscoveryList, result: Discovery): void {
  for (const { metadata, versions = [] } of list.items) {
    const group = metadata.name ?? '';
    for (const [index, { version = '', resources = [], freshness }] of versions.entries()) {
      if (freshness === 'Stale') result.unavailable.push(group === '' ? version : `${group}/${version}`);
      for (const resource of resources)
        result.resources.push(fromAggregated(resource, { group, version, preferred: index === 0 }));
    }
  }
}

function fromAggregated(
  found: APIResourceDiscovery,
  at: { group: string; version: string; preferred: boolean },
): DiscoveredResource {
  return {
    ...at,
    plural: found.resource ?? '',
    kind: found.responseKind?.kind ?? '',
    namespaced: found.scope === 'Namespaced',
    singular: found.singularResource ?? '',
    verbs: found.verbs ?? [],
    shortNames: found.shortNames ?? [],
    categories: found.categories ?? [],
    subresources: (found.subresources ?? []).map(({ subresource = '' }) => subresource),
  };
}

async function readEachVersion(
  client: Client,
  list: APIVersions | APIGroupList,
  result: Discovery,
  signal?: AbortSignal,
): Promise<void> {
  const groups =
    'groups' in list
      ? list.groups.map(({ name, versions, preferredVersion }) => ({
          name,
          versions: versions.map((v) => v.version),
          preferred: preferredVersion?.version,
        }))
      : [{ name: '', versions: list.versions, preferred: list.versions[0] }];
  for (const { name: group, versions, preferred } of groups) {
    for (const version of versions) {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      try {
        const { body } = await client.request({
          method: 'GET',
          path: group === '' ? `/api/${version}` : `/apis/${apiVersion}`,
          signal,
        });
        readVersion(body as APIResourceList, { group, version, preferred: version === preferred }, result);
      } catch (error) {
        if (!isStatusError(error)) throw error;
        result.unavailable.push(apiVersion);
      }
    }
  }
}

function readVersion(
  list: APIResourceList,
  at: { group: string; version: string; preferred: boolean },
  result: Discovery,
): void {
  const subresources = new Map<string, string[]>();
  for (const { name } of list.resources) {
    const [plural = '', subresource] = name.split('/', 2);
    if (subresource !== undefined) subresources.set(plural, [...(subresources.get(plural) ?? []), subresource]);
  }
  for (const { name, kind, namespaced, singularName, verbs, shortNames, categories } of list.resources) {
    if (name.includes('/')) continue;
    result.resources.push({
      ...at,
      plural: name,
      kind,
      namespaced,
      singular: singularName,
      verbs,
      shortNames: shortNames ?? [],
      categories: categories ?? [],
      subresources: subresources.get(name) ?? [],
    });
  }
}
