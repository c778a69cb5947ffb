/** Defaults of pod-level resources. */
import type { PodSpec, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { isPodLevelResource, podLimits, podRequests } from '../../component-helpers/index.ts';

type ResourceList = Record<string, string>;

const HUGE_PAGES = 'hugepages-';
const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
const CONTAINERS = { withOverhead: false, skipPodLevelResources: true };

/**
 * Hugepage limits default to the sum of the containers' limits. Missing requests default to the sum of the
 * containers' requests, else to the limit.
 */
export function defaultPodLevelResources(spec: PodSpec, given: ResourceRequirements): ResourceRequirements {
  if (isNone(given.limits) && isNone(given.requests)) return given;
  const limits: ResourceList = { ...given.limits };
  for (const [name, limit] of podLimits(spec, CONTAINERS)) {
    if (isHugePages(name) && !Object.hasOwn(given.requests ?? {}, name)) limits[name] ??= limit.toString();
  }
  if (isNone(limits)) return given;
  const requests: ResourceList = { ...given.requests };
  for (const [name, request] of podRequests(spec, CONTAINERS)) {
    if (isPodLevelResource(name) && !isHugePages(name)) requests[name] ??= request.toString();
  }
  for (const [name, limit] of Object.entries(limits)) if (isPodLevelResource(name)) requests[name] ??= limit;
  return { ...given, limits: sortKeys(limits), ...(isNone(requests) ? {} : { requests: sortKeys(requests) }) };
}

const isNone = (list: ResourceList | undefined): boolean => list === undefined || Object.keys(list).length === 0;

const sortKeys = (list: ResourceList): ResourceList =>
  Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
