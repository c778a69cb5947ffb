/** The class of service that a pod's resources put it in. */
import type { PodSpec } from '../../../api/generated/core-v1.ts';
import { compareQuantities, isPositiveQuantity } from '../quantities.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const RESOURCES = ['cpu', 'memory'];

type ResourceList = Readonly<Record<string, string>>;

/** The quantities of cpu and memory that are more than nothing. */
const positive = (list: ResourceList = {}): ResourceList =>
  Object.fromEntries(Object.entries(list).filter(([name, quantity]) => RESOURCES.includes(name) && isPositiveQuantity(quantity)));

/**
 * Guaranteed: every container has limits of both resources, and requests that are equal to them. BestEffort: nothing
 * is asked for. Resources of the pod as a whole decide where it has any.
 */
export function podQosClass(spec: PodSpec): QosClass {
  const ofPod = spec.resources;
  const hasOwn = Object.keys({ ...ofPod?.requests, ...ofPod?.limits }).some((name) => RESOURCES.includes(name));
  const lists = hasOwn ? [ofPod] : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources);
  let asked = false;
  let guaranteed = true;
  for (const resources of lists) {
    const limits = positive(resources?.limits);
    const requests = positive(resources?.requests);
    if (Object.keys(limits).length + Object.keys(requests).length > 0) asked = true;
    for (const name of RESOURCES) {
      const limit = limits[name];
      if (limit === undefined || (requests[name] !== undefined && compareQuantities(requests[name], limit) !== 0)) guaranteed = false;
    }
  }
  if (!asked) return 'BestEffort';
  return guaranteed ? 'Guaranteed' : 'Burstable';
}
