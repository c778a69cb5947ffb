import type { Container, PodSpec, ResourceRequirements } from '../../api/generated/core-v1.ts';
import { parseQuantity, type Quantity } from '../quantity/index.ts';

type ResourceList = Record<string, string>;

const HUGE_PAGES = 'hugepages-';
const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

/**
 * Resources of a Pod as a whole. Limits of huge pages follow from the containers' limits; requests that are missing beside
 * a limit follow from the containers' requests, or else are the limit.
 */
export function defaultPodLevelResources(spec: PodSpec, given: ResourceRequirements): ResourceRequirements {
  if (isNone(given.limits) && isNone(given.requests)) return given;
  const limits: ResourceList = { ...given.limits };
  for (const [name, limit] of aggregate(spec, 'limits')) {
    if (isHugePages(name) && !Object.hasOwn(given.requests ?? {}, name)) limits[name] ??= limit.toString();
  }
  if (isNone(limits)) return given;
  const requests: ResourceList = { ...given.requests };
  for (const [name, request] of aggregate(spec, 'requests')) {
    if (isPodLevelResource(name) && !isHugePages(name)) requests[name] ??= request.toString();
  }
  for (const [name, limit] of Object.entries(limits)) if (isPodLevelResource(name)) requests[name] ??= limit;
  return { ...given, limits: sortKeys(limits), ...(isNone(requests) ? {} : { requests: sortKeys(requests) }) };
}

/** What the containers need together: those that run side by side add up, an init container needs its share before them. */
function aggregate(spec: PodSpec, which: 'requests' | 'limits'): Map<string, Quantity> {
  const of = (container: Container): [string, Quantity][] =>
    Object.entries(container.resources?.[which] ?? {}).map(([name, text]) => [name, parseQuantity(text)]);
  const total = new Map<string, Quantity>();
  for (const container of spec.containers ?? []) addAll(total, of(container));

  const sidecars = new Map<string, Quantity>();
  const initialising = new Map<string, Quantity>();
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      addAll(total, of(container));
      addAll(sidecars, of(container));
      raiseAll(initialising, sidecars);
    } else {
      const needed = new Map(sidecars);
      addAll(needed, of(container));
      raiseAll(initialising, needed);
    }
  }
  raiseAll(total, initialising);
  return total;
}

function addAll(to: Map<string, Quantity>, amounts: Iterable<[string, Quantity]>): void {
  for (const [name, amount] of amounts) to.set(name, to.get(name)?.add(amount) ?? amount);
}

function raiseAll(to: Map<string, Quantity>, amounts: Iterable<[string, Quantity]>): void {
  for (const [name, amount] of amounts) {
    const known = to.get(name);
    if (!known || known.cmp(amount) < 0) to.set(name, amount);
  }
}

const isNone = (list: ResourceList | undefined): boolean => list === undefined || Object.keys(list).length === 0;

const sortKeys = (list: ResourceList): ResourceList => Object.fromEntries(Object.entries(list).sort(([a], [b]) => (a < b ? -1 : 1)));
