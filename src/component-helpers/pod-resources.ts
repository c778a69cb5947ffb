/**
 * The requests and limits of a pod as a whole, also during an in-place resize. Regular containers and sidecars run
 * together, so their amounts add up. An init container runs beside the sidecars started before it, and the pod needs
 * the larger of both. `spec.resources` replaces the sum for the resources that it names, and the overhead is added.
 */
import type { Container, ContainerStatus, PodSpec, PodStatus } from '../api/generated/core-v1.ts';
import { parseQuantity, type Quantity } from '../base/index.ts';
import { isRestartableInitContainer } from './containers.ts';

export type Amounts<T> = Map<string, T>;

/** The scheduler computes with numbers, quotas and the kubelet with exact quantities. */
export interface Arithmetic<T> {
  parse(resource: string, quantity: string): T;
  add(first: T, second: T): T;
  isLarger(first: T, second: T): boolean;
  isZero(amount: T): boolean;
}

export interface PodResourcesOptions<T = Quantity> {
  /** Also count what the kubelet has allocated and actuated: during a resize the largest of them counts. */
  readonly status?: PodStatus | undefined;
  readonly withOverhead: boolean;
  /** Ignores `spec.resources` and counts only containers. */
  readonly skipPodLevelResources?: boolean;
  /** The requests of containers that have none for these resources. */
  readonly missingRequests?: ReadonlyMap<string, T>;
}

/** The resources that the kubelet reports for a container or the pod. */
type Reported = Pick<ContainerStatus | PodStatus, 'resources' | 'allocatedResources'>;

type ResourceList = Readonly<Record<string, string>> | undefined;

const QUANTITIES: Arithmetic<Quantity> = {
  parse: (_, quantity) => parseQuantity(quantity),
  add: (first, second) => first.add(second),
  isLarger: (first, second) => first.cmp(second) > 0,
  isZero: (amount) => amount.isZero(),
};

export const podRequests = (spec: PodSpec, options: PodResourcesOptions): Amounts<Quantity> =>
  podResourceTotals(spec, 'requests', options, QUANTITIES);

export const podLimits = (spec: PodSpec, options: PodResourcesOptions): Amounts<Quantity> =>
  podResourceTotals(spec, 'limits', options, QUANTITIES);

export function podResourceTotals<T>(
  spec: PodSpec,
  kind: 'requests' | 'limits',
  { status, withOverhead, skipPodLevelResources, missingRequests }: PodResourcesOptions<T>,
  arithmetic: Arithmetic<T>,
): Amounts<T> {
  const isInfeasible = status !== undefined && isPodResizeInfeasible(status);
  /** The effective amounts of a container or of the pod, from its spec and its status. */
  const effective = (requested: ResourceList, reported: Reported | undefined): Amounts<T> => {
    if (!reported?.resources) return parseList(requested, arithmetic);
    const lists = [reported.resources[kind], ...(kind === 'requests' ? [reported.allocatedResources] : [])];
    return largest(isInfeasible ? lists : [requested, ...lists], arithmetic);
  };
  const ofContainer = (container: Container, reported?: ContainerStatus): Amounts<T> => {
    const amounts = effective(container.resources?.[kind], reported);
    if (missingRequests)
      for (const [name, amount] of missingRequests) if (!amounts.has(name)) amounts.set(name, amount);
    return amounts;
  };
  const totals = totalsOfContainers(spec, { status, ofContainer, arithmetic });
  const own = skipPodLevelResources ? undefined : spec.resources?.[kind];
  if (own) {
    const effectiveOwn = effective(own, status);
    for (const [name, quantity] of Object.entries(own)) {
      if (isPodLevelResource(name)) totals.set(name, effectiveOwn.get(name) ?? arithmetic.parse(name, quantity));
    }
  }
  if (withOverhead) addOverhead(totals, parseList(spec.overhead, arithmetic), { kind, arithmetic });
  return totals;
}

export const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

export const hasPodLevelResources = ({ resources }: PodSpec): boolean =>
  [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some(isPodLevelResource);

/** The kubelet reported that the node can never grant the resize, so the pod keeps its current resources. */
const isPodResizeInfeasible = ({ conditions }: PodStatus): boolean =>
  conditions?.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';

interface ContainerTotals<T> {
  readonly status: PodStatus | undefined;
  readonly ofContainer: (container: Container, reported?: ContainerStatus) => Amounts<T>;
  readonly arithmetic: Arithmetic<T>;
}

function totalsOfContainers<T>(spec: PodSpec, { status, ofContainer, arithmetic }: ContainerTotals<T>): Amounts<T> {
  const totals: Amounts<T> = new Map();
  for (const container of spec.containers ?? []) {
    add(totals, ofContainer(container, statusOf(status?.containerStatuses, container)), arithmetic);
  }
  if (!spec.initContainers?.length) return totals;
  const sidecars: Amounts<T> = new Map();
  const peak: Amounts<T> = new Map();
  for (const container of spec.initContainers) {
    if (isRestartableInitContainer(container)) {
      const needed = ofContainer(container, statusOf(status?.initContainerStatuses, container));
      add(totals, needed, arithmetic);
      add(sidecars, needed, arithmetic);
      raise(peak, sidecars, arithmetic);
    } else {
      const needed = ofContainer(container);
      add(needed, sidecars, arithmetic);
      raise(peak, needed, arithmetic);
    }
  }
  raise(totals, peak, arithmetic);
  return totals;
}

const statusOf = (statuses: readonly ContainerStatus[] | undefined, { name }: Container): ContainerStatus | undefined =>
  statuses?.find((status) => status.name === name);

/** Adds the overhead to requests, and to limits that are set. */
function addOverhead<T>(
  totals: Amounts<T>,
  overhead: Amounts<T>,
  { kind, arithmetic }: { kind: 'requests' | 'limits'; arithmetic: Arithmetic<T> },
): void {
  if (kind === 'requests') return add(totals, overhead, arithmetic);
  for (const [name, amount] of overhead) {
    const limit = totals.get(name);
    if (limit !== undefined && !arithmetic.isZero(limit)) totals.set(name, arithmetic.add(limit, amount));
  }
}

function parseList<T>(list: ResourceList, arithmetic: Arithmetic<T>): Amounts<T> {
  const amounts: Amounts<T> = new Map();
  for (const name in list) amounts.set(name, arithmetic.parse(name, list[name]!));
  return amounts;
}

function largest<T>(lists: readonly ResourceList[], arithmetic: Arithmetic<T>): Amounts<T> {
  const amounts: Amounts<T> = new Map();
  for (const list of lists) raise(amounts, parseList(list, arithmetic), arithmetic);
  return amounts;
}

function add<T>(totals: Amounts<T>, more: ReadonlyMap<string, T>, arithmetic: Arithmetic<T>): void {
  for (const [name, amount] of more) {
    const before = totals.get(name);
    totals.set(name, before === undefined ? amount : arithmetic.add(before, amount));
  }
}

function raise<T>(totals: Amounts<T>, other: ReadonlyMap<string, T>, arithmetic: Arithmetic<T>): void {
  for (const [name, amount] of other) {
    const before = totals.get(name);
    if (before === undefined || arithmetic.isLarger(amount, before)) totals.set(name, amount);
  }
}
