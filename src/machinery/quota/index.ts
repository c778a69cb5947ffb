/**
 * Quota evaluation: the names that a ResourceQuota may limit, what an object of each kind uses of them, and which objects the
 * scopes of a quota select.
 */
export { isCountedPod, type Usage } from './pod-usage.ts';
export { attributesClassesOf, matchesScopes, scopesOf } from './scopes.ts';
export { addUsage, trackedNames, usageOf } from './usage.ts';
