/** Discovery documents: /api, /apis, /apis/GROUP, /api/v1 and /apis/GROUP/VERSION. */
import type { APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions } from '../../api/generated/meta-v1.ts';
import { apiVersionOf } from '../../api/index.ts';
import { ownValue } from '../../base/index.ts';
import {
  storageVersionHash,
  subresourceKind,
  type DiscoverableGroup,
  type DiscoverableResource,
  type DiscoverableVersion,
  subresourceNames,
} from './discoverable-resource.ts';

/** /api, which has no apiVersion. */
export function apiVersions(versions: readonly string[], serverAddress: string): APIVersions {
  return {
    kind: 'APIVersions',
    versions: [...versions],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  } as APIVersions;
}

/** /apis */
export function apiGroupList(groups: readonly DiscoverableGroup[]): APIGroupList {
  const named = groups.filter(({ group }) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(groupFields) } as APIGroupList;
}

/** /apis/GROUP */
export function apiGroup(group: DiscoverableGroup): APIGroup {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupFields(group) } as APIGroup;
}

function groupFields({ group, versions }: DiscoverableGroup): Omit<APIGroup, 'kind' | 'apiVersion'> {
  const listed = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name: group, versions: listed, ...(listed[0] ? { preferredVersion: listed[0] } : {}) };
}

/** /api/v1 and /apis/GROUP/VERSION */
export function apiResourceList({ group, version, resources }: DiscoverableVersion): APIResourceList {
  const list = resources.flatMap((resource) => [
    apiResource(resource),
    ...subresourceNames(resource).map((name) => apiSubresource(resource, name)),
  ]);
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: list,
  } as APIResourceList;
}

function apiResource(resource: DiscoverableResource): APIResource {
  const hash = storageVersionHash(resource);
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...(resource.listedVerbs ?? resource.verbs)],
    ...(resource.shortNames.length > 0 ? { shortNames: [...resource.shortNames] } : {}),
    ...(resource.categories.length > 0 ? { categories: [...resource.categories] } : {}),
    ...(hash === undefined ? {} : { storageVersionHash: hash }),
  };
}

function apiSubresource(resource: DiscoverableResource, name: string): APIResource {
  const { group, version, kind } = subresourceKind(resource, name);
  return {
    name: `${resource.plural}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    kind,
    verbs: [...(ownValue(resource.subresources, name)?.verbs ?? [])],
  };
}
