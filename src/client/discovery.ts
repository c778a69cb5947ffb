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
export async function discover(client: Client, signal?: AbortSignal): Promise<Discovery> {
  const result: Discovery = { resources: [], unavailable: [] };
  for (const path of ['/api', '/apis'] as const) {
    const { body } = await client.request({ method: 'GET', path, headers: { accept: AGGREGATED }, signal });
    const list = body as APIGroupDiscoveryList | APIVersions | APIGroupList;
    if (list.kind === 'APIGroupDiscoveryList') readAggregated(list as APIGroupDiscoveryList, result);
    else await readEachVersion(client, list as APIVersions | APIGroupList, result, signal);
  }
  return result;
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
