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
    APIGroupDiscovery: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Its name is that of the group; empty for core.'),
      versions: field(2, '[]APIVersionDiscovery', ''),
    }),
    APIGroupDiscoveryList: listOf('APIGroupDiscovery'),
    APIResourceDiscovery: message('', {
      resource: field(1, 'string', '', { keep: true }),
      responseKind: field(2, '*meta.GroupVersionKind', ''),
      scope: field(3, 'ResourceScope', '', { keep: true }),
      singularResource: field(4, 'string', '', { keep: true }),
      verbs: field(5, '[]string', '', { keep: true }),
      shortNames: field(6, '[]string', ''),
      categories: field(7, '[]string', ''),
      subresources: field(8, '[]APISubresourceDiscovery', ''),
    }),
    APISubresourceDiscovery: message('', {
      subresource: field(1, 'string', '', { keep: true }),
      responseKind: field(2, '*meta.GroupVersionKind', ''),
      acceptedTypes: field(3, '[]meta.GroupVersionKind', ''),
      verbs: field(4, '[]string', '', { keep: true }),
    }),
    APIVersionDiscovery: message('', {
      version: field(1, 'string', '', { keep: true }),
      resources: field(2, '[]APIResourceDiscovery', ''),
      freshness: field(3, 'DiscoveryFreshness', ''),
    }),
  },
  kinds: [
  ],
};
