/** Aggregated discovery: /api and /apis as an APIGroupDiscoveryList with all groups, versions and resources. */
import { createHash } from 'node:crypto';
import type {
  APIGroupDiscovery,
  APIGroupDiscoveryList,
  APIResourceDiscovery,
  APISubresourceDiscovery,
} from '../../api/generated/apidiscovery-v2.ts';
import type { GroupVersionKind } from '../../api/index.ts';
import { ownValue } from '../../base/index.ts';
import {
  subresourceNames,
  subresourceKind,
  type DiscoverableGroup,
  type DiscoverableResource,
} from './discoverable-resource.ts';

/** `groups` is the core group for /api, and all other groups for /apis. */
export function apiGroupDiscoveryList(groups: readonly DiscoverableGroup[]): APIGroupDiscoveryList {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(apiGroupDiscovery),
  } as APIGroupDiscoveryList;
}

function apiGroupDiscovery({ group, versions }: DiscoverableGroup): APIGroupDiscovery {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: versions.map(({ version, resources, aggregated }) => ({
      version,
      ...(aggregated ?? { resources: resources.map(apiResourceDiscovery), freshness: 'Current' }),
    })),
  } as APIGroupDiscovery;
}

/** Built-in resources omit the group and version if they are those of the list. */
function responseKind(resource: DiscoverableResource, kind: Partial<GroupVersionKind>): GroupVersionKind {
  const own = resource.custom ? resource : { group: '', version: '' };
  return { group: kind.group ?? own.group, version: kind.version ?? own.version, kind: kind.kind ?? resource.kind };
}

function apiResourceDiscovery(resource: DiscoverableResource): APIResourceDiscovery {
  const subresources = subresourceNames(resource).map((name): APISubresourceDiscovery => ({
    subresource: name,
    responseKind: responseKind(resource, subresourceKind(resource, name)),
    verbs: [...(ownValue(resource.subresources, name)?.verbs ?? [])],
  }));
  return {
    resource: resource.plural,
    responseKind: responseKind(resource, {}),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: [...(resource.listedVerbs ?? resource.verbs)],
    ...(resource.shortNames.length > 0 ? { shortNames: [...resource.shortNames] } : {}),
    ...(resource.categories.length > 0 ? { categories: [...resource.categories] } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}

/** The ETag of a discovery document, with quotes. */
export const discoveryEtag = (document: Uint8Array): string =>
  `"${createHash('sha512').update(document).digest('hex').toUpperCase()}"`;
