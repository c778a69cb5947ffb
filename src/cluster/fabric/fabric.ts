/**
 * The nodes of a cluster on one machine. Each node has a network namespace of its own with its address, its bridge for
 * pods, its pod range and its rules; the fabric joins them and the host by a switch:
 *
 *     host namespace            switch namespace                 node namespaces
 *     k8f<id> 10.64.0.1 ─────── bridge "fabric" ──────── eth0 10.64.0.2 ─ k8ts0 10.244.0.1/24 ─ pods
 *                                               └─────── eth0 10.64.0.3 ─ k8ts0 10.244.1.1/24 ─ pods
 *
 * The switch has a namespace of its own so that frames between nodes never meet the host's firewall. The host keeps one
 * interface, routes to the nodes' pod ranges through it, and blackhole routes below them, so that nothing for a pod or
 * a service leaves the machine; a table of rules keeps others from coming in through the host. Nothing is translated:
 * pods see pods' addresses, nodes see pods' addresses.
 *
 * Nodes have a default route to the host, because the kernel asks for a route before rules can redirect what a node
 * itself sends to a service. Without egress, whatever still has a foreign destination after that is refused on the
 * node, at once.
 *
 * Nodes and pods reach the API server at the host's fabric address (`hostAddresses`): `serveOnHost` listens there.
 */
import type { Socket } from 'node:net';

export interface Fabric {
  /** The cluster's name; interfaces, namespaces and tables derive from it. */
  readonly name: string;
  readonly ranges: FabricRanges;
  /** The host's addresses on the fabric, one per family: where nodes and pods reach the API server. */
  readonly hostAddresses: readonly string[];
  /** Parts of the node ranges that no node gets: addresses for load balancers on the host (`addHostAddress`). */
  readonly loadBalancerRanges: readonly string[];
  /** The host's interface on the fabric. */
  readonly hostInterface: string;
  readonly mtu: number;
  /** The nodes there are, also those of an earlier process. */
  readonly nodes: ReadonlyMap<string, FabricNode>;
  /** Makes the node's namespace and joins it; a node that is there already is repaired and returned. */
  addNode(name: string, options?: AddNodeOptions): Promise<FabricNode>;
  /** Removes the namespace with everything in it, and the routes to it. An unknown node is removed already. */
  removeNode(name: string): Promise<void>;
  /**
   * Unplugs the node's cable, as when a machine loses its network: its processes continue without a connection.
   * `addNode` plugs it in again.
   */
  unplugNode(name: string): Promise<void>;
  /**
   * Sets the pod ranges of a node: adds routes to them on the host and on every other node, and removes routes to
   * former ranges. The route controller of the local cloud calls this, and so does every component that learns
   * `spec.podCIDRs`.
   */
  setPodCidrs(node: string, podCidrs: readonly string[]): Promise<void>;
  /** The routes to pod ranges as the kernel has them in the host's namespace. */
  listPodRoutes(): Promise<readonly PodRoute[]>;
  /**
   * Routes an address of `loadBalancerRanges` to these nodes, each with its share of the connections; without nodes,
   * connections are refused at once.
   */
  routeHostAddress(address: string, nodeAddresses: readonly string[]): Promise<void>;
  unrouteHostAddress(address: string): Promise<void>;
  /** An address more on the host's interface, such as a load balancer's: nodes, pods and the host reach it. */
  addHostAddress(address: string): Promise<void>;
  removeHostAddress(address: string): Promise<void>;
  /**
   * Gives connections to `port` of the host's fabric addresses to `onConnection`, e.g. to a TLS server's "connection"
   * event: the API server answers there as it does on loopback, and sees the real client address. A server that is bound to
   * all addresses (`boundTo`) serves them already.
   */
  serveOnHost(port: number, onConnection: (socket: Socket) => void, boundTo?: string): Promise<HostListener>;
  /** Makes whatever is not as it should be right again; `createFabric` has done so. */
  repair(): Promise<void>;
  /** Removes every node, the switch, the host's interface, routes and rules, and gives the ranges back. */
  destroy(): Promise<void>;
  /** Closes listeners and sockets and leaves the network as it is, for a process that comes back to running pods. */
  close(): Promise<void>;
}

export interface FabricOptions {
  /** The cluster's name: lower-case letters, digits and dashes. */
  readonly name: string;
  /** Where namespaces are pinned and claims are kept; default /run/k8ts. */
  readonly stateDirectory?: string;
  /** Default: IPv4 only. The first one is primary. */
  readonly families?: readonly ('IPv4' | 'IPv6')[];
  /** Ranges to use; whatever is left out is claimed so that no cluster or route of this machine has it. */
  readonly ranges?: Partial<FabricRanges>;
  /** Lets nodes and pods reach what the host reaches, masqueraded. Turns on the host's IP forwarding. Default: no. */
  readonly egress?: boolean;
  /** Default 1500. */
  readonly mtu?: number;
  /** The namespace that is the host's; default: the process's own. */
  readonly hostNetns?: string;
}

/** One CIDR per family in each list. */
export interface FabricRanges {
  /** The nodes' own addresses. */
  readonly nodes: readonly string[];
  /** The cluster's pod range, of which every node has a part. */
  readonly pods: readonly string[];
  readonly services: readonly string[];
}

export interface AddNodeOptions {
  /** Default: none until `setPodCidrs`. */
  readonly podCidrs?: readonly string[];
}

export interface FabricNode {
  readonly name: string;
  /** The pinned namespace: give it to listenIn, connectIn, runIn of src/net/netns, and to the node's PodNetwork. */
  readonly netnsPath: string;
  /** The node's InternalIPs, one per family. */
  readonly addresses: readonly string[];
  readonly podCidrs: readonly string[];
}

export interface PodRoute {
  readonly node: string;
  readonly podCidr: string;
}

export interface HostListener {
  readonly addresses: readonly string[];
  close(): Promise<void>;
}

export class FabricError extends Error {
  constructor(
    readonly code:
      | 'bad-name'
      | 'range-taken'
      | 'no-range-left'
      | 'no-address-left'
      | 'unknown-node'
      | 'bad-configuration'
      | 'claim-differs'
      | 'in-use'
      | 'closed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'FabricError';
  }
}
