/**
 * What objects count against a ResourceQuota: the names that quotas may limit, what an object of each kind uses of them,
 * and which objects a quota's scopes select.
 */
export { addUsage, countName, trackedNames, usageOf, type Usage } from './usage.ts';
export { matchesScopes, scopesOf } from './scopes.ts';
export { isCountedPod, podUsage } from './pod-usage.ts';
