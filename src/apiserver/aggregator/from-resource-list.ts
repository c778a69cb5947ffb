/** Converts an APIResourceList to aggregated discovery, where subresources are below their resource. */
import type { APIResourceDiscovery, APISubresourceDiscovery } from '../../api/generated/apidiscovery-v2.ts';
import type { APIResource, APIResourceList } from '../../api/generated/meta-v1.ts';

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

export function fromResourceList(own: GroupVersion, list: APIResourceList): APIResourceDiscovery[] {
  const resources = new Map<string, APIResourceDiscovery & { subresources?: APISubresourceDiscovery[] }>();
  for (const resource of list.resources ?? []) {
    const [plural = '', subresource] = resource.name.split('/');
    if (subresource === undefined) {
      resources.set(plural, {
        resource: plural,
        responseKind: responseKind(own, resource),
        scope: resource.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: resource.singularName,
        verbs: [...(resource.verbs ?? [])],
        ...(resource.shortNames?.length ? { shortNames: [...resource.shortNames] } : {}),
        ...(resource.categories?.length ? { categories: [...resource.categories] } : {}),
      });
    }
  }
  for (const resource of list.resources ?? []) {
    const [plural = '', subresource] = resource.name.split('/');
    if (subresource === undefined) continue;
    const parent = resources.get(plural);
    if (parent)
      (parent.subresources ??= []).push({
        subresource,
        responseKind: responseKind(own, resource),
        verbs: [...(resource.verbs ?? [])],
      });
  }
  return [...resources.values()];
}

const responseKind = (
  own: GroupVersion,
  { group, version, kind }: APIResource,
): { group: string; version: string; kind: string } => ({
  group: group || own.group,
  version: version || own.version,
  kind,
});
