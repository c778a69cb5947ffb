/** Pure: which routes a namespace of the fabric should have, and what to change for that. */
import { AddressRange } from '../../base/index.ts';
import type { Route } from '../../net/netns/index.ts';
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
