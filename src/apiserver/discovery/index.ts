/**
 * Discovery: what the server says it serves. Pure functions from the served resources to the documents of /api, /apis,
 * /apis/GROUP, /apis/GROUP/VERSION, and to the aggregated document that has all of it. Pass the built-in resources in the
 * order of the schema and custom ones after them, by group: groups are listed in that order.
 */
export { apiGroup, apiGroupList, apiResourceList, apiVersions } from './api-groups.ts';
export { apiGroupDiscoveryList, discoveryEtag } from './aggregated.ts';
export {
  discoverableGroups,
  type DiscoverableGroup,
  type DiscoverableResource,
  type DiscoverableVersion,
} from './discoverable-resource.ts';
export { compareVersions } from './version-order.ts';
