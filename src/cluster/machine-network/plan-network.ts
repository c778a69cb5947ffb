/** Pure: from the cluster's nodes and this machine's links to its routes and VXLAN peers. */
import { createHash } from 'node:crypto';
import { AddressRange } from '../../base/index.ts';
import type { Route, VxlanPeer } from '../../net/netns/index.ts';

/** Marks this agent's routes: others are never touched. */
export const MACHINE_PROTOCOL = 84;
/** Below every other route to the same range. */
const BLACKHOLE_METRIC = 0x4000_0000;

export interface NetworkNode {
  readonly name: string;
  /** InternalIPs */
  readonly addresses: readonly string[];
  readonly podCidrs: readonly string[];
  /** Its public key, if it encrypts. */
  readonly wireguardKey?: string | undefined;
}

interface InterfaceAddress {
  readonly index: number;
  readonly address: string;
  readonly length: number;
}

interface NetworkView {
  /** The name of this machine's node. */
  readonly self: string;
  readonly nodes: readonly NetworkNode[];
  /** The addresses of the interfaces that lead to other machines. */
  readonly links: readonly InterfaceAddress[];
  /** The cluster's pod ranges. */
  readonly clusterCidrs: readonly string[];
  /** Sends pods' packets to other machines encrypted, or not at all. */
  readonly encrypt?: boolean;
}

export interface NetworkPlan {
  /** To machines on the same link, and nowhere for what no node has. */
  readonly routes: readonly Route[];
  readonly tunnel: Tunnel;
  readonly encrypted: Encrypted;
}

export interface WireguardPeer {
  readonly publicKey: string;
  readonly address: string;
  /** What is sent to it, and what it may send. */
  readonly ranges: readonly string[];
}

interface Encrypted {
  /** Through the WireGuard interface. */
  readonly destinations: readonly string[];
  readonly peers: readonly WireguardPeer[];
  /** This machine's addresses inside. */
  readonly addresses: readonly string[];
}

interface Tunnel {
  /** Through the VXLAN interface, whose index the caller knows. */
  readonly routes: readonly Pick<Route, 'destination' | 'gateway'>[];
  readonly peers: readonly VxlanPeer[];
  readonly neighbours: readonly { readonly address: string; readonly mac: string }[];
  /** This machine's addresses inside the tunnel, the source of what the machine itself sends to pods. */
  readonly addresses: readonly string[];
}

export function planNetwork(view: NetworkView): NetworkPlan {
  const { self, nodes, links, clusterCidrs, encrypt = false } = view;
  const own = nodes.find(({ name }) => name === self);
  const routes: Route[] = clusterCidrs.map((destination) => ({
    destination,
    type: 'blackhole',
    metric: BLACKHOLE_METRIC,
    protocol: MACHINE_PROTOCOL,
  }));
  const tunnelled: { cidr: AddressRange; node: NetworkNode; machine: string }[] = [];
  for (const node of encrypt ? [] : nodes) {
    if (node.name === self) continue;
    for (const cidr of node.podCidrs.map((text) => AddressRange.parse(text))) {
      if (!isInside(cidr, clusterCidrs)) continue;
      const direct = directRoute(cidr, node, links);
      const machine = tunnelEnd(node, own);
      if (direct) routes.push(direct);
      else if (machine !== undefined) tunnelled.push({ cidr, node, machine });
    }
  }
  return {
    routes,
    tunnel: {
      routes: tunnelled.map(({ cidr }) => ({ destination: cidr.toString(), gateway: cidr.at(0) })),
      neighbours: tunnelled.map(({ cidr, node }) => ({ address: cidr.at(0), mac: vtepMac(node.name) })),
      peers: [...new Map(tunnelled.map(({ node, machine }) => [node.name, machine]))].map(([name, destination]) => ({
        mac: vtepMac(name),
        destination,
      })),
      addresses: tunnelled.length === 0 ? [] : insideAddresses(own),
    },
    encrypted: encrypt ? planEncryption(view, own) : { destinations: [], peers: [], addresses: [] },
  };
}

const insideAddresses = (own: NetworkNode | undefined): string[] =>
  (own?.podCidrs ?? []).map((cidr) => AddressRange.parse(cidr).at(0));

/** Nodes without a key get no route: nothing leaves in the clear. */
function planEncryption({ self, nodes, clusterCidrs }: NetworkView, own: NetworkNode | undefined): Encrypted {
  const peers = nodes.flatMap((node): WireguardPeer[] => {
    const address = tunnelEnd(node, own);
    const ranges = node.podCidrs.filter((cidr) => isInside(AddressRange.parse(cidr), clusterCidrs));
    return node.name === self || node.wireguardKey === undefined || address === undefined || ranges.length === 0
      ? []
      : [{ publicKey: node.wireguardKey, address, ranges }];
  });
  return { destinations: peers.flatMap(({ ranges }) => ranges), peers, addresses: insideAddresses(own) };
}

/** A Node may claim any range; only those of the cluster are routed. */
const isInside = (cidr: AddressRange, clusterCidrs: readonly string[]): boolean =>
  clusterCidrs.some((text) => {
    const range = AddressRange.parse(text);
    return range.family === cidr.family && range.prefixLength <= cidr.prefixLength && range.overlaps(cidr);
  });

function directRoute(cidr: AddressRange, node: NetworkNode, links: readonly InterfaceAddress[]): Route | undefined {
  for (const gateway of node.addresses) {
    if (familyOf(gateway) !== cidr.family) continue;
    const link = links.find(
      ({ address, length }) =>
        familyOf(address) === cidr.family && AddressRange.parse(`${address}/${length}`).contains(gateway),
    );
    if (link !== undefined)
      return { destination: cidr.toString(), gateway, interfaceIndex: link.index, protocol: MACHINE_PROTOCOL };
  }
  return undefined;
}

/** Both ends of a tunnel have addresses of one family: that of this machine's first one. */
function tunnelEnd(node: NetworkNode, own: NetworkNode | undefined): string | undefined {
  const [first] = own?.addresses ?? [];
  return first === undefined ? undefined : node.addresses.find((address) => familyOf(address) === familyOf(first));
}

const familyOf = (address: string): 4 | 6 => (address.includes(':') ? 6 : 4);

/** The hardware address of a node's VXLAN interface: every machine derives it alike. */
export function vtepMac(node: string): string {
  const digest = createHash('sha256').update(`vtep/${node}`).digest('hex');
  return ['0e', ...[0, 2, 4, 6, 8].map((at) => digest.slice(at, at + 2))].join(':');
}
