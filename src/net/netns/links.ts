/** Requests for network interfaces, and how the kernel lists them. */
import net from 'node:net';
import { addressBytes } from '../../base/index.ts';
import {
  attribute,
  decodeAttributes,
  NLM_F_CREATE,
  NLM_F_EXCL,
  u32,
  u8,
  zeroTerminated,
  type NetlinkMessage,
  type NetlinkRequest,
  type NetlinkSocket,
} from './netlink.ts';

const RTM_NEWLINK = 16;
const RTM_DELLINK = 17;
const RTM_GETLINK = 18;

const IFLA_ADDRESS = 1;
const IFLA_IFNAME = 3;
const IFLA_MTU = 4;
const IFLA_MASTER = 10;
const IFLA_OPERSTATE = 16;
const IFLA_LINKINFO = 18;
const IFLA_IFALIAS = 20;
const IFLA_AF_SPEC = 26;
const IFLA_GROUP = 27;
const IFLA_NET_NS_FD = 28;
const IFLA_INFO_KIND = 1;
const IFLA_INFO_DATA = 2;
const IFLA_INFO_SLAVE_KIND = 4;
const IFLA_INFO_SLAVE_DATA = 5;
const VETH_INFO_PEER = 1;
const IFLA_INET6_ADDR_GEN_MODE = 8;
const IN6_ADDR_GEN_MODE_NONE = 1;
const AF_INET6 = 10;
const IFLA_BR_MCAST_SNOOPING = 23;
const IFLA_BRPORT_MODE = 4;
const IFLA_BRPORT_LEARNING = 8;
const IFLA_BRPORT_ISOLATED = 33;
const IFLA_BRPORT_LOCKED = 39;

const IFLA_VXLAN_ID = 1;
const IFLA_VXLAN_LINK = 3;
const IFLA_VXLAN_LOCAL = 4;
const IFLA_VXLAN_LEARNING = 7;
const IFLA_VXLAN_PORT = 15;
const IFLA_VXLAN_LOCAL6 = 17;

const IFF_UP = 1;
const IF_OPER_UP = 6;

/** `struct ifinfomsg`: family u8, pad, type u16, index i32, flags u32, change u32. */
function header(index = 0, { up, family = 0 }: { up?: boolean; family?: number } = {}): Buffer {
  const body = Buffer.alloc(16);
  body.writeUInt8(family, 0);
  body.writeInt32LE(index, 4);
  if (up !== undefined) {
    body.writeUInt32LE(up ? IFF_UP : 0, 8);
    body.writeUInt32LE(IFF_UP, 12);
  }
  return body;
}

interface LinkSettings {
  readonly name?: string;
  /** The interface index; a new interface takes the next one unless it is given. */
  readonly index?: number;
  readonly up?: boolean;
  readonly mtu?: number;
  /** 02:00:00:00:00:01 */
  readonly mac?: string;
  /** The bridge's index. */
  readonly master?: number;
  /** An alias that `ip link` shows, such as the owner. Only for interfaces that exist (`setLink`). */
  readonly alias?: string;
  /** A group number: `deleteLinkGroup` deletes all interfaces of a group. */
  readonly group?: number;
  /** A file descriptor of the namespace in which the interface is created, or to which it moves. */
  readonly netnsFd?: number;
}

function settings({ name, mtu, mac, master, alias, group, netnsFd }: LinkSettings): Buffer[] {
  return [
    ...(name === undefined ? [] : [attribute(IFLA_IFNAME, zeroTerminated(name))]),
    ...(mtu === undefined ? [] : [attribute(IFLA_MTU, u32(mtu))]),
    ...(mac === undefined ? [] : [attribute(IFLA_ADDRESS, macBytes(mac))]),
    ...(master === undefined ? [] : [attribute(IFLA_MASTER, u32(master))]),
    ...(alias === undefined ? [] : [attribute(IFLA_IFALIAS, Buffer.from(alias))]),
    ...(group === undefined ? [] : [attribute(IFLA_GROUP, u32(group))]),
    ...(netnsFd === undefined ? [] : [attribute(IFLA_NET_NS_FD, u32(netnsFd))]),
  ];
}

export function addBridge(link: LinkSettings & { readonly name: string }): NetlinkRequest {
  // Multicast is flooded: without a querier, snooping would drop neighbour discovery.
  const data = [attribute(IFLA_BR_MCAST_SNOOPING, u8(0))];
  const info = attribute(IFLA_LINKINFO, [
    attribute(IFLA_INFO_KIND, zeroTerminated('bridge')),
    attribute(IFLA_INFO_DATA, data),
  ]);
  return {
    type: RTM_NEWLINK,
    flags: NLM_F_CREATE | NLM_F_EXCL,
    body: Buffer.concat([header(link.index, { up: link.up }), ...settings(link), info]),
    what: `add the bridge ${link.name}`,
  };
}

/**
 * A veth pair; the peer is created in the namespace of its `netnsFd`. The peer cannot be created up, because its pair
 * does not exist yet.
 */
export function addVeth(
  link: LinkSettings & { readonly name: string },
  peer: Omit<LinkSettings, 'up'> & { readonly name: string },
): NetlinkRequest {
  const peerInfo = attribute(VETH_INFO_PEER, [header(peer.index), ...settings(peer)]);
  const info = attribute(IFLA_LINKINFO, [
    attribute(IFLA_INFO_KIND, zeroTerminated('veth')),
    attribute(IFLA_INFO_DATA, [peerInfo]),
  ]);
  return {
    type: RTM_NEWLINK,
    flags: NLM_F_CREATE | NLM_F_EXCL,
    body: Buffer.concat([header(link.index, { up: link.up }), ...settings(link), info]),
    what: `add the interface pair ${link.name} and ${peer.name}`,
  };
}

/** Disables the automatic IPv6 link-local address of an interface that is down. */
export function withoutLinkLocal(name: string): NetlinkRequest {
  const none = attribute(IFLA_AF_SPEC, [
    attribute(AF_INET6, [attribute(IFLA_INET6_ADDR_GEN_MODE, u8(IN6_ADDR_GEN_MODE_NONE))]),
  ]);
  return {
    type: RTM_NEWLINK,
    flags: 0,
    body: Buffer.concat([header(), attribute(IFLA_IFNAME, zeroTerminated(name)), none]),
    what: `disable the link-local address of the interface ${name}`,
    // A kernel without IPv6 assigns none.
    accept: ['EAFNOSUPPORT', 'EOPNOTSUPP'],
  };
}

/** By `index`, or without it by `name`. */
export function setLink(link: LinkSettings): NetlinkRequest {
  const subject = link.index === undefined ? link : { ...link, name: undefined };
  return {
    type: RTM_NEWLINK,
    flags: 0,
    body: Buffer.concat([header(link.index, { up: link.up }), ...settings(subject)]),
    what: `change the interface ${link.name ?? link.index}`,
  };
}

interface BridgePortSettings {
  /** Hairpin mode: frames may leave by the port on which they arrived. */
  readonly hairpin?: boolean;
  /** Sends no frames to other isolated ports: neighbours communicate through the router. */
  readonly isolated?: boolean;
  readonly learning?: boolean;
  /** Accepts only frames from hardware addresses that the forwarding table has on this port. */
  readonly locked?: boolean;
}

export function setBridgePort(index: number, port: BridgePortSettings, name = String(index)): NetlinkRequest {
  const flag = (type: number, value: boolean | undefined): Buffer[] =>
    value === undefined ? [] : [attribute(type, u8(value ? 1 : 0))];
  const data = [
    ...flag(IFLA_BRPORT_MODE, port.hairpin),
    ...flag(IFLA_BRPORT_ISOLATED, port.isolated),
    ...flag(IFLA_BRPORT_LEARNING, port.learning),
    ...flag(IFLA_BRPORT_LOCKED, port.locked),
  ];
  const info = attribute(IFLA_LINKINFO, [
    attribute(IFLA_INFO_SLAVE_KIND, zeroTerminated('bridge')),
    attribute(IFLA_INFO_SLAVE_DATA, data),
  ]);
  return {
    type: RTM_NEWLINK,
    flags: 0,
    body: Buffer.concat([header(index), info]),
    what: `set the bridge port ${name}`,
  };
}

/** By `index`, or without it by `name`. */
export function deleteLink(link: { readonly name?: string; readonly index?: number }): NetlinkRequest {
  const byName =
    link.index === undefined && link.name !== undefined ? [attribute(IFLA_IFNAME, zeroTerminated(link.name))] : [];
  return {
    type: RTM_DELLINK,
    flags: 0,
    body: Buffer.concat([header(link.index), ...byName]),
    what: `delete the interface ${link.name ?? link.index}`,
    accept: ['ENODEV'],
  };
}

/** All interfaces of a group in one request: each request waits until no reader of the kernel uses the old state. */
export function deleteLinkGroup(group: number): NetlinkRequest {
  return {
    type: RTM_DELLINK,
    flags: 0,
    body: Buffer.concat([header(), attribute(IFLA_GROUP, u32(group))]),
    what: `delete the interfaces of the group ${group}`,
    accept: ['ENODEV'],
  };
}

export interface Link {
  readonly name: string;
  readonly index: number;
  readonly up: boolean;
  /** Up, connected, and forwarding if it is a port of a bridge. */
  readonly operational: boolean;
  readonly mtu: number;
  readonly mac: string | undefined;
  readonly master: number | undefined;
  readonly alias: string | undefined;
  /** bridge, veth, …; undefined for hardware and loopback. */
  readonly kind: string | undefined;
}

/** An intermediate functional block: queues frames that are redirected to it from another interface. */
export const addIfb = (link: LinkSettings & { readonly name: string }): NetlinkRequest =>
  addLink({ ...link, kind: 'ifb' });

/** An interface of a kind that needs no settings of its own. */
export function addLink({
  kind,
  ...link
}: LinkSettings & { readonly name: string; readonly kind: string }): NetlinkRequest {
  const info = attribute(IFLA_LINKINFO, [attribute(IFLA_INFO_KIND, zeroTerminated(kind))]);
  return {
    type: RTM_NEWLINK,
    flags: NLM_F_CREATE | NLM_F_EXCL,
    body: Buffer.concat([header(link.index, { up: link.up }), ...settings(link), info]),
    what: `add the interface ${link.name}`,
  };
}

interface VxlanSettings {
  readonly name: string;
  readonly mac: string;
  readonly mtu: number;
  /** The network identifier, 24 bits. */
  readonly id: number;
  /** The source address of its packets, of this machine. */
  readonly local: string;
  /** The interface that has that address. */
  readonly link: number;
  /** UDP */
  readonly port: number;
}

/** A VXLAN interface that learns nothing: its peers are forwarding entries with their addresses. */
export function addVxlan({ name, mac, mtu, id, local, link, port }: VxlanSettings): NetlinkRequest {
  const portBytes = Buffer.alloc(2);
  portBytes.writeUInt16BE(port);
  const data = [
    attribute(IFLA_VXLAN_ID, u32(id)),
    attribute(IFLA_VXLAN_LINK, u32(link)),
    attribute(net.isIPv6(local) ? IFLA_VXLAN_LOCAL6 : IFLA_VXLAN_LOCAL, addressBytes(local)),
    attribute(IFLA_VXLAN_LEARNING, u8(0)),
    attribute(IFLA_VXLAN_PORT, portBytes),
  ];
  const info = attribute(IFLA_LINKINFO, [
    attribute(IFLA_INFO_KIND, zeroTerminated('vxlan')),
    attribute(IFLA_INFO_DATA, data),
  ]);
  return {
    type: RTM_NEWLINK,
    flags: NLM_F_CREATE | NLM_F_EXCL,
    body: Buffer.concat([header(0), ...settings({ name, mac, mtu }), info]),
    what: `add the VXLAN interface ${name}`,
  };
}

/** Undefined when there is no interface of that name. */
export async function findLink(socket: NetlinkSocket, name: string): Promise<Link | undefined> {
  const body = Buffer.concat([header(), attribute(IFLA_IFNAME, zeroTerminated(name))]);
  const answer = await socket.get({
    type: RTM_GETLINK,
    flags: 0,
    body,
    what: `find the interface ${name}`,
    accept: ['ENODEV'],
  });
  return answer && decodeLink(answer);
}

export async function listLinks(socket: NetlinkSocket): Promise<Link[]> {
  return (await socket.dump(RTM_GETLINK, header())).map(decodeLink);
}

function decodeLink({ body }: NetlinkMessage): Link {
  const attributes = decodeAttributes(body.subarray(16));
  const text = (type: number): string | undefined =>
    attributes
      .get(type)
      ?.toString('utf8')
      .replace(/(?<!\0)\0+$/, '');
  const info = attributes.get(IFLA_LINKINFO);
  const mac = attributes.get(IFLA_ADDRESS);
  return {
    name: text(IFLA_IFNAME) ?? '',
    index: body.readInt32LE(4),
    up: (body.readUInt32LE(8) & IFF_UP) !== 0,
    operational: attributes.get(IFLA_OPERSTATE)?.readUInt8() === IF_OPER_UP,
    mtu: attributes.get(IFLA_MTU)?.readUInt32LE() ?? 0,
    mac: mac === undefined ? undefined : macText(mac),
    master: attributes.get(IFLA_MASTER)?.readUInt32LE(),
    alias: text(IFLA_IFALIAS),
    kind:
      info &&
      decodeAttributes(info)
        .get(IFLA_INFO_KIND)
        ?.toString('utf8')
        .replace(/(?<!\0)\0+$/, ''),
  };
}

export const macBytes = (mac: string): Buffer => Buffer.from(mac.replaceAll(':', ''), 'hex');
export const macText = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
