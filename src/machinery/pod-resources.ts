/** What a pod as a whole asks for and is limited to. */
import type { Container, ContainerStatus, PodSpec, PodStatus } from '../api/generated/core-v1.ts';
import { parseQuantity, type Quantity } from './quantity/index.ts';

export type ResourceTotals = Map<string, Quantity>;

type ResourceList = Readonly<Record<string, string>> | undefined;

export interface PodResourcesOptions {
  /** Count what running containers have now as well as what the spec asks for: during a resize the larger holds. */
  readonly status?: PodStatus | undefined;
  readonly withOverhead: boolean;
}

export function podRequests(spec: PodSpec, { status, withOverhead }: PodResourcesOptions): ResourceTotals {
  const infeasible = status !== undefined && resizeIsInfeasible(status);
  const totals = totalsOfContainers(spec, status, (container, running) => {
    const asked = container.resources?.requests;
    if (!running?.resources) return totalsOf(asked);
    return largest(infeasible ? [running.resources.requests, running.allocatedResources] : [asked, running.resources.requests, running.allocatedResources]);
  });
  const own = spec.resources?.requests;
  const inUse = status?.resources && own ? largest([...(infeasible ? [] : [own]), status.resources.requests, status.allocatedResources]) : undefined;
  for (const [name, quantity] of Object.entries(own ?? {})) if (isPodLevelResource(name)) totals.set(name, inUse?.get(name) ?? parseQuantity(quantity));
  if (withOverhead) add(totals, totalsOf(spec.overhead));
  return totals;
}

export function podLimits(spec: PodSpec, { status, withOverhead }: PodResourcesOptions): ResourceTotals {
  const infeasible = status !== undefined && resizeIsInfeasible(status);
  const totals = totalsOfContainers(spec, status, (container, running) => {
    const asked = container.resources?.limits;
    if (!running?.resources) return totalsOf(asked);
    return largest(infeasible ? [running.resources.limits] : [asked, running.resources.limits]);
  });
  const own = spec.resources?.limits;
  const inUse = status?.resources && own ? largest([...(infeasible ? [] : [own]), status.resources.limits]) : undefined;
  for (const [name, quantity] of Object.entries(own ?? {})) if (isPodLevelResource(name)) totals.set(name, inUse?.get(name) ?? parseQuantity(quantity));
  if (withOverhead) {
    for (const [name, quantity] of totalsOf(spec.overhead)) {
      const limit = totals.get(name);
      if (limit && !limit.isZero()) totals.set(name, limit.add(quantity));
    }
  }
  return totals;
}

export const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

export const hasPodLevelResources = ({ resources }: PodSpec): boolean =>
  [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some(isPodLevelResource);

export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

/** All regular containers and sidecars together, or, if that is more, an init container with the sidecars started before it. */
function totalsOfContainers(spec: PodSpec, status: PodStatus | undefined, resourcesOf: (container: Container, running?: ContainerStatus) => ResourceTotals): ResourceTotals {
  const statuses = new Map([...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map((one) => [one.name, one]));
  const totals: ResourceTotals = new Map();
  for (const container of spec.containers ?? []) add(totals, resourcesOf(container, statuses.get(container.name)));
  const sidecars: ResourceTotals = new Map();
  const peak: ResourceTotals = new Map();
  for (const container of spec.initContainers ?? []) {
    if (isSidecar(container)) {
      const needed = resourcesOf(container, statuses.get(container.name));
      add(totals, needed);
      add(sidecars, needed);
      raise(peak, sidecars);
    } else {
      const needed = resourcesOf(container);
      add(needed, sidecars);
      raise(peak, needed);
    }
  }
  raise(totals, peak);
  return totals;
}

const resizeIsInfeasible = (status: PodStatus): boolean =>
  (status.conditions ?? []).some(({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible');

function totalsOf(list: ResourceList): ResourceTotals {
  const totals: ResourceTotals = new Map();
  for (const name in list) totals.set(name, parseQuantity(list[name]!));
  return totals;
}

function largest(lists: readonly ResourceList[]): ResourceTotals {
  const totals: ResourceTotals = new Map();
  for (const list of lists) raise(totals, totalsOf(list));
  return totals;
}

function add(totals: ResourceTotals, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of more) {
    const before = totals.get(name);
    totals.set(name, before ? before.add(quantity) : quantity);
  }
}

function raise(totals: ResourceTotals, other: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of other) {
    const before = totals.get(name);
    if (!before || quantity.cmp(before) > 0) totals.set(name, quantity);
  }
}
