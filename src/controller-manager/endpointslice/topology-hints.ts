/**
 * Topology aware routing: a Service with the annotation `service.kubernetes.io/topology-mode: Auto` has hints at its
 * endpoints, so that each zone gets as many of them as its share of the cluster's CPUs.
 */
import type { Node, Service } from '../../api/generated/core-v1.ts';
import type { Endpoint } from '../../api/generated/discovery-v1.ts';
import { ownValue, parseQuantity } from '../../base/index.ts';
import type { EndpointGroup } from './slice-plan.ts';

const ANNOTATIONS = ['service.kubernetes.io/topology-aware-hints', 'service.kubernetes.io/topology-mode'];
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const EXCLUDED_LABELS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];
/** How much more than its share a zone may get. */
const OVERLOAD_THRESHOLD = 0.2;

/** The share of each zone in the CPUs of the cluster. */
type ZoneShares = ReadonlyMap<string, number>;

export function wantsTopologyHints({ metadata: { annotations } }: Service): boolean {
  const value = ANNOTATIONS.map((name) => ownValue(annotations, name)).find((text) => text !== undefined);
  return value === 'Auto' || value === 'auto';
}

/** What of a node counts for the shares. */
export function zoneCpu({ metadata: { labels = {} }, status }: Node): { zone: string; cpu: number } | undefined {
  const isReady = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  if (!isReady || EXCLUDED_LABELS.some((label) => Object.hasOwn(labels, label))) return undefined;
  return {
    zone: labels[ZONE_LABEL] ?? '',
    cpu: parseQuantity(String(status.allocatable?.['cpu'] ?? '0')).milliValue(),
  };
}

/** Undefined when there are fewer than two zones, or a node has no zone or CPU. */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const byZone = new Map<string, number>();
  let total = 0;
  for (const counted of nodes.map(zoneCpu)) {
    if (counted === undefined) continue;
    if (counted.zone === '' || counted.cpu === 0) return undefined;
    byZone.set(counted.zone, (byZone.get(counted.zone) ?? 0) + counted.cpu);
    total += counted.cpu;
  }
  if (byZone.size < 2) return undefined;
  return new Map([...byZone].map(([zone, cpu]) => [zone, cpu / total]));
}

interface Allocation {
  readonly desired: number;
  readonly maximum: number;
}

/** How many endpoints each zone should have, or why that cannot be. */
function allocationsOf(shares: ZoneShares | undefined, endpoints: number): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined)
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`;
  const minimums = new Map(
    [...shares].map(([zone, share]) => [zone, Math.ceil((share * endpoints) / (1 + OVERLOAD_THRESHOLD))]),
  );
  const left = endpoints - [...minimums.values()].reduce((sum, minimum) => sum + minimum, 0);
  if (left < 0)
    return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`;
  return new Map(
    [...shares].map(([zone, share]) => {
      const minimum = minimums.get(zone) ?? 0;
      return [zone, { desired: Math.max(share * endpoints, minimum), maximum: minimum + left }];
    }),
  );
}

interface HintOptions {
  readonly shares: ZoneShares | undefined;
  /** The zone for which an endpoint is used now. */
  currentZone(endpoint: Endpoint): string | undefined;
}

/** The groups of one address type with hints, or the reason why they have none. */
export function withTopologyHints(
  groups: readonly EndpointGroup[],
  { shares, currentZone }: HintOptions,
): { readonly groups: readonly EndpointGroup[]; readonly problem?: string } {
  const ready = groups.flatMap(({ endpoints }) => endpoints).filter(({ conditions }) => conditions?.ready);
  const allocations = allocationsOf(shares, ready.length);
  if (typeof allocations === 'string') return { groups, problem: allocations };
  if (ready.some(({ zone }) => !zone)) return { groups, problem: 'One or more endpoints do not have a zone specified' };
  const zones = assignZones(ready, allocations, currentZone);
  if (zones.size === 0) return { groups, problem: 'No hints allocated for zones' };
  return {
    groups: groups.map((group) => ({
      ...group,
      endpoints: group.endpoints.map((endpoint) => {
        const zone = zones.get(endpoint);
        return zone === undefined ? endpoint : { ...endpoint, hints: { forZones: [{ name: zone }] } };
      }),
    })),
  };
}

/** An endpoint stays with its zone, or the one that it is used for, as long as that has not too many. */
function assignZones(
  endpoints: readonly Endpoint[],
  allocations: ReadonlyMap<string, Allocation>,
  currentZone: HintOptions['currentZone'],
): Map<Endpoint, string> {
  const zones = new Map<Endpoint, string>();
  const counts = new Map<string, number>();
  const countOf = (zone: string): number => counts.get(zone) ?? 0;
  const assign = (endpoint: Endpoint, zone: string): void => {
    zones.set(endpoint, zone);
    counts.set(zone, countOf(zone) + 1);
  };
  const left = endpoints.filter((endpoint) => {
    const zone = currentZone(endpoint);
    const allocation = zone === undefined ? undefined : allocations.get(zone);
    if (zone === undefined || allocation === undefined || countOf(zone) >= allocation.maximum) return true;
    assign(endpoint, zone);
    return false;
  });
  for (const endpoint of left) assign(endpoint, endpoint.zone ?? '');
  const { giving, receiving } = imbalance(allocations, counts);
  for (const endpoint of left) {
    const zone = endpoint.zone ?? '';
    const receiver = [...receiving].find(([, count]) => count > 0)?.[0];
    if (receiver === undefined) break;
    const surplus = giving.get(zone) ?? 0;
    if (surplus === 0) continue;
    giving.set(zone, surplus - 1);
    receiving.set(receiver, (receiving.get(receiver) ?? 0) - 1);
    zones.set(endpoint, receiver);
  }
  return zones;
}

/** How many endpoints zones give to others, and receive of them. */
function imbalance(
  allocations: ReadonlyMap<string, Allocation>,
  counts: ReadonlyMap<string, number>,
): { giving: Map<string, number>; receiving: Map<string, number> } {
  const surplus = new Map([...allocations].map(([zone, { desired }]) => [zone, (counts.get(zone) ?? 0) - desired]));
  const [giving, receiving] = [new Map<string, number>(), new Map<string, number>()];
  for (;;) {
    const sorted = [...surplus].sort(([, a], [, b]) => b - a);
    const [[giver, give] = ['', 0], [receiver, lack] = ['', 0]] = [sorted[0], sorted.at(-1)];
    const receive = -lack;
    if ((give < 1 && receive < 1) || give < 0.5 || receive < 0.5) return { giving, receiving };
    surplus.set(giver, give - 1);
    surplus.set(receiver, lack + 1);
    giving.set(giver, (giving.get(giver) ?? 0) + 1);
    receiving.set(receiver, (receiving.get(receiver) ?? 0) + 1);
  }
}
