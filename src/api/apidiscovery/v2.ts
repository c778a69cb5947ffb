/** The apidiscovery.k8s.io group, v2. */
import { field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const apidiscoveryV2: PackageDeclaration = {
  alias: 'apidiscovery',
  group: 'apidiscovery.k8s.io',
  version: 'v2',
  prefix: 'io.k8s.api.apidiscovery.v2',
  strings: {
    DiscoveryFreshness: ['Current', 'Stale'],
    ResourceScope: ['Cluster', 'Namespaced'],
  },
  messages: {
    APIGroupDiscovery: object('An API group with its versions and resources.', {
      metadata: field(1, 'meta.ObjectMeta', 'Its name is that of the group; empty for core.'),
      versions: field(2, '[]APIVersionDiscovery', 'Versions of the group, preferred first.'),
    }),
    APIGroupDiscoveryList: listOf('APIGroupDiscovery'),
    APIResourceDiscovery: message('A resource of an API version.', {
      resource: field(1, 'string', 'Plural name of the resource.', { keep: true }),
      responseKind: field(2, '*meta.GroupVersionKind', 'Kind of the objects.'),
      scope: field(3, 'ResourceScope', 'Cluster or Namespaced.', { keep: true }),
      singularResource: field(4, 'string', 'Singular name of the resource.', { keep: true }),
      verbs: field(5, '[]string', 'Verbs that the resource supports.', { keep: true }),
      shortNames: field(6, '[]string', 'Short names, such as po.'),
      categories: field(7, '[]string', 'Categories the resource is in, such as all.'),
      subresources: field(8, '[]APISubresourceDiscovery', 'Its subresources.'),
    }),
    APISubresourceDiscovery: message('A subresource.', {
      subresource: field(1, 'string', 'Name of the subresource, such as scale.', { keep: true }),
      responseKind: field(2, '*meta.GroupVersionKind', 'Kind of the objects; unset if it returns none.'),
      acceptedTypes: field(3, '[]meta.GroupVersionKind', 'Kinds that may be sent.'),
      verbs: field(4, '[]string', 'Verbs that the subresource supports.', { keep: true }),
    }),
    APIVersionDiscovery: message('A version of an API group.', {
      version: field(1, 'string', 'Name of the version.', { keep: true }),
      resources: field(2, '[]APIResourceDiscovery', 'Its resources.'),
      freshness: field(3, 'DiscoveryFreshness', 'Current, or Stale if the server behind it could not be asked.'),
    }),
  },
  kinds: [],
};
