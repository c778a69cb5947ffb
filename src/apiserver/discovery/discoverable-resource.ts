import { createHash } from 'node:crypto';
import type { APIVersionDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import { apiVersionOf, type GroupVersionKind, type Resource } from '../../api/index.ts';
import { ownValue } from '../../base/index.ts';
import { compareVersions } from './version-order.ts';

/** What discovery has to know of a resource that is served; built-in and custom ones alike. */
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
  /** The version that objects are stored in, where it is not the one that is served. */
  readonly storage?: GroupVersionKind;
}

export interface DiscoverableVersion {
  readonly group: string;
  readonly version: string;
  /** In the order of their names. */
  readonly resources: readonly DiscoverableResource[];
  /** What another server says of a version that it serves; then `resources` is empty. */
  readonly elsewhere?: Pick<APIVersionDiscovery, 'resources' | 'freshness'>;
}

export interface DiscoverableGroup {
  readonly group: string;
  /** The preferred one first. */
  readonly versions: readonly DiscoverableVersion[];
}

/** The groups in the order in which the resources name them first, the core group (named '') among them. */
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

/** The kind that travels over a subresource, where it is not the resource's own: `Kind` or `group/version.Kind`. */
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

/** What upstream stores in another version than it serves; clients compare the hash of it. */
const STORED_ELSEWHERE: ReadonlyMap<string, { readonly group: string; readonly version: string }> = new Map(
  Object.entries<{ readonly group: string; readonly version: string }>({
    'events.k8s.io/v1/Event': { group: '', version: 'v1' },
    'autoscaling/v1/HorizontalPodAutoscaler': { group: 'autoscaling', version: 'v2' },
    'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': {
      group: 'admissionregistration.k8s.io',
      version: 'v1beta1',
    },
    'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': {
      group: 'admissionregistration.k8s.io',
      version: 'v1beta1',
    },
    'apiextensions.k8s.io/v1/CustomResourceDefinition': { group: 'apiextensions.k8s.io', version: 'v1beta1' },
  }),
);

const HASHED_BYTES = 8;

/** Says which version is stored without saying it; undefined for resources that are not stored. */
export function storageVersionHash(resource: DiscoverableResource): string | undefined {
  if (!resource.verbs.includes('watch')) return undefined;
  const elsewhere = resource.custom ? undefined : STORED_ELSEWHERE.get(`${apiVersionOf(resource)}/${resource.kind}`);
  const { group, version } = elsewhere ?? resource.storage ?? resource;
  const digest = createHash('sha256').update(`${group}/${version}/${resource.kind}`).digest();
  return digest.subarray(0, HASHED_BYTES).toString('base64');
}
