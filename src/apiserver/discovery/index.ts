/**
 * API discovery: the documents of /api, /apis, /apis/GROUP and /apis/GROUP/VERSION, aggregated discovery, and OpenAPI.
 * Groups are listed in the order of the resources: built-in resources in the order of the schema, then custom ones.
 */
export { apiGroup, apiGroupList, apiResourceList, apiVersions } from './api-groups.ts';
export { apiGroupDiscoveryList, discoveryEtag } from './aggregated.ts';
export { discoverableGroups, type DiscoverableResource } from './discoverable-resource.ts';
