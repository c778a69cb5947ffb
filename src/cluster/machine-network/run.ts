/** Keeps this machine's routes and VXLAN interface as the cluster's nodes ask for; repairs what others change. */
import type { Node } from '../../api/generated/core-v1.ts';
import { InformerFactory, type Client } from '../../client/index.ts';
import { podCidrsOf } from '../../component-helpers/index.ts';
import { childContext, RunGroup, type Context } from '../../kernel/index.ts';
import {
  addAddress,
  addNeighbour,
  addRoute,
  addVxlan,
  addVxlanPeer,
  deleteAddress,
  deleteLink,
  deleteNeighbour,
  deleteRoute,
  deleteVxlanPeer,
  findLink,
  listAddresses,
  listLinks,
  listNeighbours,
  listRoutes,
  listVxlanPeers,
  NetlinkSocket,
  routeChanges,
  setLink,
  withoutLinkLocal,
  type Link,
  type Route,
} from '../../net/netns/index.ts';
import { podMtu, type MachineLink } from './machine-link.ts';
import { PendingChanges } from './pending-changes.ts';
import { MACHINE_PROTOCOL, planNetwork, vtepMac, type NetworkNode, type NetworkPlan } from './plan-network.ts';
import { syncWireguard, WIREGUARD_ANNOTATION, WIREGUARD_INTERFACE, type WireguardKeys } from './wireguard.ts';

/** UDP, as flannel uses it. */
const VXLAN_PORT = 8472;
const VXLAN_INTERFACE = 'k8ts.vx';
/** Bridges of pods and the tunnel lead to no other machine. */
const OWN_INTERFACES: readonly string[] = ['lo', 'k8ts0', VXLAN_INTERFACE, WIREGUARD_INTERFACE];
const REPAIR_MS = 5000;

interface MachineNetworkOptions {
  readonly client: Client;
  readonly nodeName: string;
  readonly clusterCidrs: readonly string[];
  readonly vxlanId: number;
  readonly link: MachineLink;
  /** Encrypts with these keys. */
  readonly wireguard?: WireguardKeys | undefined;
  /** Called after the first sync that knew this machine's pod range. */
  readonly onReady?: () => void;
}

export async function runMachineNetwork(outer: Context, options: MachineNetworkOptions): Promise<void> {
  const ctx = childContext(outer, 'machine-network');
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client: options.client });
  const nodes = informers.informer('v1/nodes');
  const changes = new PendingChanges(ctx.clock);
  nodes.addHandler({
    onAdd: () => changes.note(),
    onUpdate: (before, after) => {
      if (JSON.stringify(networkNode(before)) !== JSON.stringify(networkNode(after))) changes.note();
    },
    onDelete: () => changes.note(),
  });
  group.start('informers', () => informers.run());
  group.start('routes', async (signal) => {
    const socket = new NetlinkSocket(undefined);
    try {
      await informers.waitForSync(signal);
      while (!signal.aborted) {
        const list = nodes.list().map(networkNode);
        await sync(socket, options, list).catch((error: unknown) =>
          ctx.logger.error(error, 'Failed to sync the routes to other machines'),
        );
        if (list.some(({ name, podCidrs }) => name === options.nodeName && podCidrs.length > 0)) options.onReady?.();
        await changes.next(signal, REPAIR_MS);
      }
    } finally {
      socket.close();
    }
  });
  await group.wait();
}

/** Tells the others the key that this machine has. */
async function publishKey(
  { client, nodeName, wireguard }: MachineNetworkOptions,
  nodes: readonly NetworkNode[],
): Promise<void> {
  const own = nodes.find(({ name }) => name === nodeName);
  if (wireguard === undefined || own === undefined || own.wireguardKey === wireguard.publicKey) return;
  const annotations = { [WIREGUARD_ANNOTATION]: wireguard.publicKey };
  await client.resource('v1/nodes').patch({ name: nodeName }, { metadata: { annotations } }, { type: 'merge' });
}

const networkNode = (node: Node): NetworkNode => ({
  name: node.metadata.name ?? '',
  addresses: (node.status?.addresses ?? []).filter(({ type }) => type === 'InternalIP').map(({ address }) => address),
  podCidrs: podCidrsOf(node),
  wireguardKey: node.metadata.annotations?.[WIREGUARD_ANNOTATION],
});

async function sync(
  socket: NetlinkSocket,
  options: MachineNetworkOptions,
  nodes: readonly NetworkNode[],
): Promise<void> {
  const interfaces = await listLinks(socket);
  const foreign = new Set(interfaces.filter(({ name }) => !OWN_INTERFACES.includes(name)).map(({ index }) => index));
  await publishKey(options, nodes);
  const { routes, tunnel, encrypted } = planNetwork({
    self: options.nodeName,
    nodes,
    links: (await listAddresses(socket)).filter(({ index }) => foreign.has(index)),
    clusterCidrs: options.clusterCidrs,
    encrypt: options.wireguard !== undefined,
  });
  const secret = await syncEncryption(socket, options, encrypted);
  const vxlan = tunnel.routes.length > 0 ? await syncTunnel(socket, options, tunnel) : undefined;
  const tunnelled = tunnel.routes.map((route): Route => ({
    ...route,
    interfaceIndex: vxlan?.index ?? 0,
    onLink: true,
    protocol: MACHINE_PROTOCOL,
  }));
  await changeRoutes(socket, [...routes, ...tunnelled, ...secret]);
  if (vxlan === undefined) await socket.send([deleteLink({ name: VXLAN_INTERFACE })]);
}

/** The routes through the WireGuard interface, which it makes. */
async function syncEncryption(
  socket: NetlinkSocket,
  { wireguard: keys, link }: MachineNetworkOptions,
  { destinations, peers, addresses }: NetworkPlan['encrypted'],
): Promise<Route[]> {
  if (keys === undefined) return [];
  const interfaceIndex = await syncWireguard(socket, { keys, peers, mtu: podMtu(link, true) });
  await socket.send(addresses.map((address) => addAddress(interfaceIndex, hostCidr(address))));
  return destinations.map((destination) => ({ destination, interfaceIndex, protocol: MACHINE_PROTOCOL }));
}

const hostCidr = (address: string): string => `${address}/${address.includes(':') ? 128 : 32}`;

async function changeRoutes(socket: NetlinkSocket, wanted: readonly Route[]): Promise<void> {
  const { add, remove } = routeChanges(wanted, await listRoutes(socket), MACHINE_PROTOCOL);
  const requests = [...remove.map(deleteRoute), ...add.map(addRoute)];
  if (requests.length > 0) await socket.send(requests);
}

async function syncTunnel(
  socket: NetlinkSocket,
  { nodeName, vxlanId, link }: MachineNetworkOptions,
  tunnel: NetworkPlan['tunnel'],
): Promise<Link> {
  const { index } = await ensureInterface(socket, { nodeName, vxlanId, link });
  const addresses = (await listAddresses(socket)).filter((each) => each.index === index);
  const peers = await listVxlanPeers(socket, index);
  const neighbours = (await listNeighbours(socket)).filter((each) => each.index === index && each.permanent);
  await socket.send([
    ...tunnel.addresses.map((address) => addAddress(index, hostCidr(address))),
    ...addresses
      .filter(({ address }) => !tunnel.addresses.includes(address))
      .map(({ address, length }) => deleteAddress(index, `${address}/${length}`)),
    ...peers
      .filter((peer) => !tunnel.peers.some((each) => each.mac === peer.mac && each.destination === peer.destination))
      .map((peer) => deleteVxlanPeer(index, peer)),
    ...tunnel.peers.map((peer) => addVxlanPeer(index, peer)),
    ...neighbours
      .filter(({ address }) => !tunnel.neighbours.some((each) => each.address === address))
      .map(({ address }) => deleteNeighbour({ index, address })),
    ...tunnel.neighbours.map((neighbour) => addNeighbour({ index, ...neighbour })),
  ]);
  return { ...(await findLink(socket, VXLAN_INTERFACE))! };
}

async function ensureInterface(
  socket: NetlinkSocket,
  { nodeName, vxlanId, link }: Pick<MachineNetworkOptions, 'nodeName' | 'vxlanId' | 'link'>,
): Promise<Link> {
  const mac = vtepMac(nodeName);
  const found = await findLink(socket, VXLAN_INTERFACE);
  if (found !== undefined && (found.kind !== 'vxlan' || found.mac !== mac))
    await socket.send([deleteLink({ name: VXLAN_INTERFACE })]);
  else if (found?.up && found.mtu === podMtu(link)) return found;
  else if (found !== undefined)
    await socket.send([setLink({ index: found.index, name: VXLAN_INTERFACE, up: true, mtu: podMtu(link) })]);
  if (found === undefined || found.mac !== mac) {
    const { address: local, index } = link;
    await socket.send([
      addVxlan({ name: VXLAN_INTERFACE, mac, mtu: podMtu(link), id: vxlanId, local, link: index, port: VXLAN_PORT }),
      withoutLinkLocal(VXLAN_INTERFACE),
      setLink({ name: VXLAN_INTERFACE, up: true }),
    ]);
  }
  const made = await findLink(socket, VXLAN_INTERFACE);
  if (made === undefined) throw new Error(`the interface ${VXLAN_INTERFACE} could not be made`);
  return made;
}

/** Removes what the agent has made. */
export async function removeMachineNetwork(): Promise<void> {
  const socket = new NetlinkSocket(undefined);
  try {
    await changeRoutes(socket, []);
    await socket.send([deleteLink({ name: VXLAN_INTERFACE }), deleteLink({ name: WIREGUARD_INTERFACE })]);
  } finally {
    socket.close();
  }
}
