/** Pure: which routes a namespace of the fabric should have, and what to change for that. */
import { AddressRange } from '../../base/index.ts';
import { type ListedRoute, type Route } from '../../net/netns/index.ts';
import type { FabricRanges } from './fabric.ts';
import type { NodeRecord } from './node-records.ts';

/** Marks the fabric's routes: others are never touched. */
export const FABRIC_PROTOCOL = 83;
/** The metric of a fabric's blackholes: below every other route to the same range, and a mark of whose they are. */
export const blackholeMetric = (fabricId: string): number =>
  0x4000_0000 + (Number.parseInt(fabricId, 16) & 0x3fff_ffff);

interface RouteView {
  readonly blackholeMetric: number;
  readonly ranges: FabricRanges;
  readonly nodes: Iterable<NodeRecord>;
  readonly hostAddresses: readonly string[];
  /** The namespace's interface on the fabric. */
  readonly interfaceIndex: number;
}

const familyOf = (cidr: string): 4 | 6 => AddressRange.parse(cidr).family;

/** Of the host: pods through their nodes, and nothing else of the cluster anywhere. */
export function hostRoutes(view: RouteView): Route[] {
  return [...podRoutes(view), ...blackholes(view, [...view.ranges.pods, ...view.ranges.services])];
}

/**
 * Of a node: other nodes' pods through them, unknown pods nowhere, everything else to the host. Services have no
 * blackhole here: what the node itself sends to one would find it before the service's rules can redirect it.
 */
export function nodeRoutes(view: RouteView, node: NodeRecord): Route[] {
  return [
    ...podRoutes({ ...view, nodes: [...view.nodes].filter(({ name }) => name !== node.name) }),
    ...blackholes(view, view.ranges.pods),
    ...view.hostAddresses.map((gateway): Route => ({
      destination: 'default',
      gateway,
      interfaceIndex: view.interfaceIndex,
      protocol: FABRIC_PROTOCOL,
    })),
  ];
}

function podRoutes({ nodes, interfaceIndex }: RouteView): Route[] {
  return [...nodes].flatMap(({ podCidrs, addresses }) =>
    podCidrs.flatMap((cidr): Route[] => {
      const range = AddressRange.parse(cidr);
      const gateway = addresses.find((address) => AddressRange.parse(`${address}/0`).family === range.family);
      return gateway === undefined
        ? []
        : [{ destination: range.toString(), gateway, interfaceIndex, protocol: FABRIC_PROTOCOL }];
    }),
  );
}

const blackholes = ({ blackholeMetric: metric }: RouteView, ranges: readonly string[]): Route[] =>
  ranges.map((destination) => ({ destination, type: 'blackhole', metric, protocol: FABRIC_PROTOCOL }));

/** Differences between what is wanted and what the kernel lists; only the fabric's own routes are deleted. */
export function routeChanges(
  wanted: readonly Route[],
  listed: readonly ListedRoute[],
): { add: Route[]; remove: ListedRoute[] } {
  const own = listed.filter(({ protocol }) => protocol === FABRIC_PROTOCOL);
  const present = new Set(own.map(identity));
  const kept = new Set(wanted.map(identity));
  return {
    add: wanted.filter((route) => !present.has(identity(route))),
    remove: own.filter((route) => !kept.has(identity(route))),
  };
}

function identity({ type = 'unicast', destination, family, gateway, interfaceIndex, metric }: Route): string {
  const version = destination === 'default' ? (family ?? familyOf(`${gateway ?? '0.0.0.0'}/0`)) : familyOf(destination);
  // The kernel names a metric and, for blackholes of IPv6, the loopback interface where we named none.
  const through = type === 'blackhole' ? metric : `${gateway} ${interfaceIndex}`;
  return [version, type, destination, through].join(' ');
}
