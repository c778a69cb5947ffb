import { createHash } from 'node:crypto';
import type { APIVersionDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import { type GroupVersionKind, type Resource } from '../../api/index.ts';
import { ownValue } from '../../base/index.ts';
import { compareVersions } from '../../machinery/index.ts';
import { storageVersionOf } from '../registry/storage-versions.ts';

/** The fields of a served resource that discovery needs. */
export interface DiscoverableResource extends Pick<
  Resource,
  | 'group'
  | 'version'
  | 'kind'
  | 'plural'
  | 'singular'
  | 'namespaced'
  | 'verbs'
  | 'shortNames'
  | 'categories'
  | 'subresources'
> {
  readonly custom?: boolean;
  /** What is listed instead of `verbs`. */
  readonly listedVerbs?: readonly string[];
  /** The storage version, if it is not the served version. */
  readonly storage?: GroupVersionKind;
}

/** Sorted; those of a custom resource are status and then scale. */
export function subresourceNames({ custom, subresources }: DiscoverableResource): string[] {
  const names = Object.keys(subresources);
  return custom ? names : names.sort();
}

export interface DiscoverableVersion {
  readonly group: string;
  readonly version: string;
  /** Sorted by name. */
  readonly resources: readonly DiscoverableResource[];
  /** The discovery of an aggregated version; then `resources` is empty. */
  readonly aggregated?: Pick<APIVersionDiscovery, 'resources' | 'freshness'>;
}

export interface DiscoverableGroup {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly DiscoverableVersion[];
}

/** Groups are in the order of their first resource; the core group is ''. */
export function discoverableGroups(resources: readonly DiscoverableResource[]): DiscoverableGroup[] {
  const groups = new Map<string, Map<string, DiscoverableResource[]>>();
  for (const resource of resources) {
    const versions = getOrAdd(groups, resource.group, () => new Map<string, DiscoverableResource[]>());
    getOrAdd(versions, resource.version, () => []).push(resource);
  }
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions]
      .sort(([a], [b]) => compareVersions(a, b))
      .map(([version, list]) => ({
        group,
        version,
        resources: [...list].sort((a, b) => (a.plural < b.plural ? -1 : 1)),
      })),
  }));
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** The kind of a subresource: the resource's own, or a declared `Kind` or `group/version.Kind`. */
export function subresourceKind(
  resource: DiscoverableResource,
  subresource: string,
): Partial<GroupVersionKind> & { readonly kind: string } {
  const declared = ownValue(resource.subresources, subresource)?.kind;
  if (declared === undefined) return { kind: resource.kind };
  const slash = declared.indexOf('/');
  if (slash < 0) return { kind: declared };
  const dot = declared.indexOf('.', slash);
  return { group: declared.slice(0, slash), version: declared.slice(slash + 1, dot), kind: declared.slice(dot + 1) };
}

/** Upstream stores definitions in a version that is not served. Clients compare the hash of the storage version. */
const STORAGE_VERSIONS: ReadonlyMap<string, string> = new Map([
  ['apiextensions.k8s.io/customresourcedefinitions', 'v1beta1'],
]);

const HASHED_BYTES = 8;

/** storageVersionHash: a hash of the storage version; undefined for resources that are not stored. */
export function storageVersionHash(resource: DiscoverableResource): string | undefined {
  if (!resource.verbs.includes('watch')) return undefined;
  const { group, version } = hashedVersionOf(resource);
  const digest = createHash('sha256').update(`${group}/${version}/${resource.kind}`).digest();
  return digest.subarray(0, HASHED_BYTES).toString('base64');
}

function hashedVersionOf(resource: DiscoverableResource): { readonly group: string; readonly version: string } {
  if (resource.custom) return resource.storage ?? resource;
  const version = STORAGE_VERSIONS.get(`${resource.group}/${resource.plural}`);
  if (version !== undefined) return { group: resource.group, version };
  return resource.storage ?? storageVersionOf(resource);
}
