/**
 * Chooses the endpoints that a node sends a Service port's traffic to, from its EndpointSlices: readiness, traffic
 * policies and topology hints. Upstream's `CategorizeEndpoints`.
 */
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';

export interface EndpointAddress {
  readonly ip: string;
  readonly port: number;
}

interface Endpoint extends EndpointAddress {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName: string | undefined;
  /** Topology hints of the EndpointSlice: the zones and the nodes that should use this endpoint. */
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
}

export interface NodeTopology {
  readonly name: string;
  readonly zone?: string;
  /** The node's address in each family. */
  readonly addresses?: readonly string[];
}

export interface ChosenEndpoints {
  /** Endpoints for traffic policy Cluster. */
  readonly cluster: readonly EndpointAddress[];
  /** Endpoints for traffic policy Local: those on this node. */
  readonly local: readonly EndpointAddress[];
  /**
   * The number of ready endpoints on this node, which the health check of a load balancer reports. Terminating ones do
   * not count.
   */
  readonly readyLocal: number;
  /**
   * Endpoints that may be on this node. They need masquerading when they reach themselves through the Service.
   */
  readonly hairpins: readonly EndpointAddress[];
}

export function endpointsOfPort(
  slices: readonly EndpointSlice[],
  wanted: { family: string; portName: string; protocol: string },
): Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const slice of slices) {
    if (slice.addressType !== wanted.family) continue;
    for (const port of slice.ports ?? []) {
      if ((port.name ?? '') !== wanted.portName || (port.protocol ?? 'TCP') !== wanted.protocol || !port.port) continue;
      for (const endpoint of slice.endpoints ?? []) {
        const [ip] = endpoint.addresses;
        if (ip === undefined) continue;
        const { conditions = {}, hints = {} } = endpoint;
        const ready = conditions.ready ?? true;
        const next: Endpoint = {
          ip,
          port: port.port,
          ready,
          serving: conditions.serving ?? ready,
          terminating: conditions.terminating ?? false,
          nodeName: endpoint.nodeName,
          zoneHints: (hints.forZones ?? []).map(({ name }) => name),
          nodeHints: (hints.forNodes ?? []).map(({ name }) => name),
        };
        // While an endpoint moves from one slice to another it is in both; the ready one wins.
        const known = found.get(`${ip} ${port.port}`);
        if (!known || (!known.ready && next.ready)) found.set(`${ip} ${port.port}`, next);
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.ip === b.ip ? a.port - b.port : a.ip < b.ip ? -1 : 1));
}

export function chooseEndpoints(endpoints: readonly Endpoint[], node: NodeTopology): ChosenEndpoints {
  const isLocal = (endpoint: Endpoint): boolean => endpoint.nodeName === node.name;
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  // Without a ready endpoint, traffic goes to endpoints that still serve while they terminate.
  const servingTerminating = endpoints.filter((endpoint) => endpoint.serving && endpoint.terminating);
  const cluster = ready.length > 0 ? followHints(ready, node) : servingTerminating;
  const readyLocal = ready.filter(isLocal);
  const local = readyLocal.length > 0 ? readyLocal : servingTerminating.filter(isLocal);
  const hairpins = [...new Set([...cluster, ...local])].filter(
    (endpoint) => endpoint.nodeName === undefined || isLocal(endpoint),
  );
  return {
    cluster: cluster.map(addressOf),
    local: local.map(addressOf),
    readyLocal: readyLocal.length,
    hairpins: hairpins.map(addressOf),
  };
}

const addressOf = ({ ip, port }: Endpoint): EndpointAddress => ({ ip, port });

/**
 * Applies topology hints only if every endpoint has them and at least one is for this node or zone. With partial
 * hints, traffic could overload some endpoints.
 */
function followHints(endpoints: readonly Endpoint[], node: NodeTopology): readonly Endpoint[] {
  if (endpoints.every(({ nodeHints }) => nodeHints.length > 0)) {
    const sameNode = endpoints.filter(({ nodeHints }) => nodeHints.includes(node.name));
    if (sameNode.length > 0) return sameNode;
  }
  if (node.zone === undefined || !endpoints.every(({ zoneHints }) => zoneHints.length > 0)) return endpoints;
  const sameZone = endpoints.filter(({ zoneHints }) => zoneHints.includes(node.zone!));
  return sameZone.length > 0 ? sameZone : endpoints;
}
