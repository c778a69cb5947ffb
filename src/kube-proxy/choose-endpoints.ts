/** Which of a Service port's endpoints a node sends traffic to. */
import type { EndpointSlice } from '../api/generated/discovery-v1.ts';

export interface EndpointAddress {
  readonly ip: string;
  readonly port: number;
}

/** An endpoint with what the choice depends on. */
interface Endpoint extends EndpointAddress {
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly nodeName: string | undefined;
  readonly zones: readonly string[];
  readonly nodes: readonly string[];
}

/** Where this node is. */
export interface NodePlace {
  readonly name: string;
  readonly zone?: string;
}

export interface ChosenEndpoints {
  /** For traffic that may go to any node. */
  readonly cluster: readonly EndpointAddress[];
  /** For traffic that has to stay on this node. */
  readonly local: readonly EndpointAddress[];
  /** Ready ones on this node, terminating ones not counted: what a load balancer's health check asks for. */
  readonly readyLocal: number;
  /** Addresses of those that may be on this node, and so may reach themselves through the Service. */
  readonly here: readonly string[];
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
          zones: (hints.forZones ?? []).map(({ name }) => name),
          nodes: (hints.forNodes ?? []).map(({ name }) => name),
        };
        // An endpoint that moves between slices is in both for a moment; the better news wins.
        const known = found.get(`${ip} ${port.port}`);
        if (!known || (!known.ready && next.ready)) found.set(`${ip} ${port.port}`, next);
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.ip === b.ip ? a.port - b.port : a.ip < b.ip ? -1 : 1));
}

export function chooseEndpoints(endpoints: readonly Endpoint[], node: NodePlace): ChosenEndpoints {
  const isLocal = (endpoint: Endpoint): boolean => endpoint.nodeName === node.name;
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  // When nothing else is left, those that are on their way out but still serve are better than nobody.
  const leaving = endpoints.filter((endpoint) => endpoint.serving && endpoint.terminating);
  const cluster = ready.length > 0 ? near(ready, node) : leaving;
  const readyLocal = ready.filter(isLocal);
  const local = readyLocal.length > 0 ? readyLocal : leaving.filter(isLocal);
  const here = [
    ...new Set(
      [...cluster, ...local]
        .filter((endpoint) => endpoint.nodeName === undefined || isLocal(endpoint))
        .map(({ ip }) => ip),
    ),
  ];
  return { cluster: cluster.map(addressOf), local: local.map(addressOf), readyLocal: readyLocal.length, here };
}

const addressOf = ({ ip, port }: Endpoint): EndpointAddress => ({ ip, port });

/** Follows the hints only if all endpoints have them and some are for this node; else traffic could pile up or starve. */
function near(endpoints: readonly Endpoint[], node: NodePlace): readonly Endpoint[] {
  if (endpoints.every(({ nodes }) => nodes.length > 0)) {
    const same = endpoints.filter(({ nodes }) => nodes.includes(node.name));
    if (same.length > 0) return same;
  }
  if (node.zone === undefined || !endpoints.every(({ zones }) => zones.length > 0)) return endpoints;
  const same = endpoints.filter(({ zones }) => zones.includes(node.zone!));
  return same.length > 0 ? same : endpoints;
}
