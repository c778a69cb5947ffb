/** Requests for addresses, routes and neighbours, and how the kernel lists them. */
import net from 'node:net';
import { addressBytes, addressText } from '../../base/index.ts';
import { macBytes, macText } from './links.ts';
import {
  attribute,
  decodeAttributes,
  NLM_F_CREATE,
  NLM_F_REPLACE,
  u32,
  type NetlinkMessage,
  type NetlinkRequest,
  type NetlinkSocket,
} from './netlink.ts';

const RTM_NEWADDR = 20;
const RTM_DELADDR = 21;
const RTM_GETADDR = 22;
const RTM_NEWROUTE = 24;
const RTM_DELROUTE = 25;
const RTM_GETROUTE = 26;
const RTM_NEWNEIGH = 28;
const RTM_DELNEIGH = 29;
const RTM_GETNEIGH = 30;

const AF_INET = 2;
const AF_INET6 = 10;
const AF_BRIDGE = 7;

const IFA_ADDRESS = 1;
const IFA_LOCAL = 2;
const IFA_CACHEINFO = 6;
const IFA_F_NODAD = 0x02;

const RTA_DST = 1;
const RTA_OIF = 4;
const RTA_GATEWAY = 5;
const RTA_PRIORITY = 6;
const RTA_PREFSRC = 7;
const RTA_MULTIPATH = 9;
const RTA_TABLE = 15;
const RT_TABLE_MAIN = 254;
const RT_SCOPE_UNIVERSE = 0;
const RT_SCOPE_LINK = 253;
const RT_SCOPE_NOWHERE = 255;
const RTN_UNICAST = 1;
const RTN_LOCAL = 2;
const RTN_BLACKHOLE = 6;
const RTN_UNREACHABLE = 7;
const RTNH_F_ONLINK = 4;
/** The protocol of a route, which names its creator; default: an administrator. */
const RTPROT_STATIC = 4;

const NDA_DST = 1;
const NDA_LLADDR = 2;
const NUD_PERMANENT = 0x80;
const NUD_NOARP = 0x40;
const NTF_SELF = 0x02;
const NTF_MASTER = 0x04;

const familyOf = (address: string): number => (net.isIPv6(address) ? AF_INET6 : AF_INET);

interface Prefix {
  readonly address: string;
  readonly length: number;
}

/** 10.0.0.0/24 → its address and length; an address alone is a host. Throws for anything else. */
function parsePrefix(cidr: string): Prefix {
  const [address = '', length] = cidr.split('/');
  const family = net.isIP(address);
  const most = family === 6 ? 128 : 32;
  const bits = length === undefined ? most : Number(length);
  if (family === 0 || (length !== undefined && !/^\d+$/.test(length)) || bits > most)
    throw new Error(`${cidr} is not an address range (CIDR)`);
  return { address, length: bits };
}

/**
 * `cidr` is the address with the length of its network, such as 10.0.0.1/24. After `validSeconds` the kernel removes it, and
 * until then it does not send from it by itself; adding it again renews it.
 */
export function addAddress(index: number, cidr: string, validSeconds?: number): NetlinkRequest {
  const { address, length } = parsePrefix(cidr);
  const lifetimes = Buffer.alloc(16);
  lifetimes.writeUInt32LE(validSeconds ?? 0, 4);
  return {
    type: RTM_NEWADDR,
    flags: NLM_F_CREATE | NLM_F_REPLACE,
    body: Buffer.concat([
      addressBody(index, address, length),
      ...(validSeconds === undefined ? [] : [attribute(IFA_CACHEINFO, lifetimes)]),
    ]),
    what: `add the address ${cidr}`,
  };
}

export function deleteAddress(index: number, cidr: string): NetlinkRequest {
  const { address, length } = parsePrefix(cidr);
  return {
    type: RTM_DELADDR,
    flags: 0,
    body: addressBody(index, address, length),
    what: `delete the address ${cidr}`,
    accept: ['EADDRNOTAVAIL', 'ENODEV'],
  };
}

/** `struct ifaddrmsg`: family, prefix length, flags, scope, index u32. */
function addressBody(index: number, address: string, length: number): Buffer {
  const family = familyOf(address);
  const body = Buffer.alloc(8);
  // The address is unique by construction; duplicate address detection would delay IPv6 by a second.
  body.set([family, length, family === AF_INET6 ? IFA_F_NODAD : 0, RT_SCOPE_UNIVERSE]);
  body.writeUInt32LE(index, 4);
  const bytes = addressBytes(address);
  return Buffer.concat([body, attribute(IFA_LOCAL, bytes), attribute(IFA_ADDRESS, bytes)]);
}

export interface Route {
  /** The range, or "default" with the family of the gateway. */
  readonly destination: string;
  readonly family?: 4 | 6;
  readonly type?: 'unicast' | 'blackhole' | 'unreachable' | 'local';
  readonly interfaceIndex?: number;
  readonly gateway?: string;
  /** Multipath: several gateways on the interface, each for its share of the connections. */
  readonly gateways?: readonly string[];
  /** The gateway is on the link although no address of the interface contains it. */
  readonly onLink?: boolean;
  readonly source?: string;
  readonly metric?: number;
  readonly table?: number;
  /** Identifies the owner of the route. */
  readonly protocol?: number;
}

const ROUTE_TYPES = {
  unicast: RTN_UNICAST,
  local: RTN_LOCAL,
  blackhole: RTN_BLACKHOLE,
  unreachable: RTN_UNREACHABLE,
} as const;

export function addRoute(route: Route): NetlinkRequest {
  return {
    type: RTM_NEWROUTE,
    flags: NLM_F_CREATE | NLM_F_REPLACE,
    body: routeBody(route),
    what: `add the route ${routeText(route)}`,
  };
}

/** Deletes a route of any protocol, unless one is given. */
export function deleteRoute(route: Route): NetlinkRequest {
  return {
    type: RTM_DELROUTE,
    flags: 0,
    body: routeBody(
      { protocol: 0, ...route },
      { anyScope: route.gateway === undefined && route.interfaceIndex === undefined },
    ),
    what: `delete the route ${routeText(route)}`,
    accept: ['ESRCH', 'ENODEV'],
  };
}

/** `struct rtmsg`: family, dst_len, src_len, tos, table, protocol, scope, type, flags u32. */
function routeBody(route: Route, { anyScope = false } = {}): Buffer {
  const {
    destination,
    gateway,
    gateways,
    interfaceIndex,
    source,
    metric,
    table = RT_TABLE_MAIN,
    type = 'unicast',
    protocol = RTPROT_STATIC,
  } = route;
  const prefix = destination === 'default' ? undefined : parsePrefix(destination);
  const family = familyOf(prefix?.address ?? gateway ?? (route.family === 6 ? '::' : '0.0.0.0'));
  const isDirect = family === AF_INET && type === 'unicast' && gateway === undefined && gateways === undefined;
  const scope = anyScope ? RT_SCOPE_NOWHERE : isDirect ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
  const body = Buffer.alloc(12);
  body.set([family, prefix?.length ?? 0, 0, 0, table < 256 ? table : 0, protocol, scope, ROUTE_TYPES[type]]);
  body.writeUInt32LE(route.onLink ? RTNH_F_ONLINK : 0, 8);
  return Buffer.concat([
    body,
    ...(prefix === undefined ? [] : [attribute(RTA_DST, addressBytes(prefix.address))]),
    ...(interfaceIndex === undefined || gateways !== undefined ? [] : [attribute(RTA_OIF, u32(interfaceIndex))]),
    ...(gateways === undefined
      ? []
      : [
          attribute(
            RTA_MULTIPATH,
            gateways.map((each) => nextHop(each, interfaceIndex ?? 0)),
          ),
        ]),
    ...(gateway === undefined ? [] : [attribute(RTA_GATEWAY, addressBytes(gateway))]),
    ...(source === undefined ? [] : [attribute(RTA_PREFSRC, addressBytes(source))]),
    ...(metric === undefined ? [] : [attribute(RTA_PRIORITY, u32(metric))]),
    attribute(RTA_TABLE, u32(table)),
  ]);
}

/** `struct rtnexthop`: length u16, flags u8, weight - 1 u8, interface index i32; then attributes. */
function nextHop(gateway: string, interfaceIndex: number): Buffer {
  const attributes = attribute(RTA_GATEWAY, addressBytes(gateway));
  const header = Buffer.alloc(8);
  header.writeUInt16LE(8 + attributes.length, 0);
  header.writeInt32LE(interfaceIndex, 4);
  return Buffer.concat([header, attributes]);
}

function routeText({ type, destination, gateway, metric }: Route): string {
  return [
    type === undefined || type === 'unicast' ? '' : `${type} `,
    destination,
    gateway === undefined ? '' : ` via ${gateway}`,
    metric === undefined ? '' : ` metric ${metric}`,
  ].join('');
}

export interface ListedRoute extends Route {
  readonly protocol: number;
}

/** The routes of the main table, in both families. */
export async function listRoutes(socket: NetlinkSocket): Promise<ListedRoute[]> {
  const dumps = [
    await socket.dump(RTM_GETROUTE, routeHeader(AF_INET)),
    await socket.dump(RTM_GETROUTE, routeHeader(AF_INET6)),
  ];
  return dumps
    .flat()
    .map(decodeRoute)
    .filter((route) => route.table === RT_TABLE_MAIN);
}

/** Whether the address is local to the namespace. */
export async function isLocalAddress(socket: NetlinkSocket, address: string): Promise<boolean> {
  const header = routeHeader(familyOf(address));
  header.writeUInt8(net.isIPv6(address) ? 128 : 32, 1);
  const body = Buffer.concat([header, attribute(RTA_DST, addressBytes(address))]);
  const answer = await socket.get({
    type: RTM_GETROUTE,
    flags: 0,
    body,
    what: `find the route to ${address}`,
    accept: ['ENETUNREACH', 'EHOSTUNREACH', 'EINVAL', 'EACCES'],
  });
  return answer?.body.readUInt8(7) === RTN_LOCAL;
}

function routeHeader(family: number): Buffer {
  const body = Buffer.alloc(12);
  body.writeUInt8(family, 0);
  return body;
}

function decodeRoute({ body }: NetlinkMessage): ListedRoute {
  const attributes = decodeAttributes(body.subarray(12));
  const destination = attributes.get(RTA_DST);
  const gateway = attributes.get(RTA_GATEWAY);
  const source = attributes.get(RTA_PREFSRC);
  const type = (Object.keys(ROUTE_TYPES) as (keyof typeof ROUTE_TYPES)[]).find(
    (name) => ROUTE_TYPES[name] === body.readUInt8(7),
  );
  return {
    destination: destination === undefined ? 'default' : `${addressText(destination)}/${body.readUInt8(1)}`,
    family: body.readUInt8(0) === AF_INET6 ? 6 : 4,
    ...(type === undefined ? {} : { type }),
    interfaceIndex: attributes.get(RTA_OIF)?.readUInt32LE(),
    gateway: gateway && addressText(gateway),
    source: source && addressText(source),
    metric: attributes.get(RTA_PRIORITY)?.readUInt32LE(),
    table: attributes.get(RTA_TABLE)?.readUInt32LE() ?? body.readUInt8(4),
    protocol: body.readUInt8(5),
  };
}

/** A permanent neighbour: the kernel neither sends requests for it nor accepts other answers. */
export function addNeighbour({ index, address, mac }: { index: number; address: string; mac: string }): NetlinkRequest {
  const body = neighbourHeader(familyOf(address), index, NUD_PERMANENT, 0);
  return {
    type: RTM_NEWNEIGH,
    flags: NLM_F_CREATE | NLM_F_REPLACE,
    body: Buffer.concat([body, attribute(NDA_DST, addressBytes(address)), attribute(NDA_LLADDR, macBytes(mac))]),
    what: `add the neighbour ${address}`,
  };
}

export function deleteNeighbour({ index, address }: { index: number; address: string }): NetlinkRequest {
  const body = neighbourHeader(familyOf(address), index, 0, 0);
  return {
    type: RTM_DELNEIGH,
    flags: 0,
    body: Buffer.concat([body, attribute(NDA_DST, addressBytes(address))]),
    what: `delete the neighbour ${address}`,
    accept: ['ENOENT', 'ENODEV'],
  };
}

interface Neighbour {
  readonly index: number;
  readonly address: string;
  readonly permanent: boolean;
}

export async function listNeighbours(socket: NetlinkSocket): Promise<Neighbour[]> {
  const dumps = [
    await socket.dump(RTM_GETNEIGH, neighbourHeader(AF_INET, 0, 0, 0)),
    await socket.dump(RTM_GETNEIGH, neighbourHeader(AF_INET6, 0, 0, 0)),
  ];
  return dumps.flat().flatMap(({ body }) => {
    const address = decodeAttributes(body.subarray(12)).get(NDA_DST);
    return address === undefined
      ? []
      : [
          {
            index: body.readInt32LE(4),
            address: addressText(address),
            permanent: body.readUInt16LE(8) === NUD_PERMANENT,
          },
        ];
  });
}

/** A static entry in the forwarding table of a bridge. */
export function addForwardingEntry({ index, mac }: { index: number; mac: string }): NetlinkRequest {
  const body = neighbourHeader(AF_BRIDGE, index, NUD_NOARP, NTF_MASTER);
  return {
    type: RTM_NEWNEIGH,
    flags: NLM_F_CREATE | NLM_F_REPLACE,
    body: Buffer.concat([body, attribute(NDA_LLADDR, macBytes(mac))]),
    what: `add the forwarding entry ${mac}`,
  };
}

/** Where a VXLAN interface sends frames for a hardware address: to the machine with `destination`. */
export interface VxlanPeer {
  readonly mac: string;
  readonly destination: string;
}

export function addVxlanPeer(index: number, { mac, destination }: VxlanPeer): NetlinkRequest {
  return {
    type: RTM_NEWNEIGH,
    flags: NLM_F_CREATE | NLM_F_REPLACE,
    body: vxlanPeerBody(index, { mac, destination }),
    what: `add the VXLAN peer ${destination}`,
  };
}

export function deleteVxlanPeer(index: number, peer: VxlanPeer): NetlinkRequest {
  return {
    type: RTM_DELNEIGH,
    flags: 0,
    body: vxlanPeerBody(index, peer),
    what: `delete the VXLAN peer ${peer.destination}`,
    accept: ['ENOENT', 'ENODEV'],
  };
}

const vxlanPeerBody = (index: number, { mac, destination }: VxlanPeer): Buffer =>
  Buffer.concat([
    neighbourHeader(AF_BRIDGE, index, NUD_PERMANENT, NTF_SELF),
    attribute(NDA_LLADDR, macBytes(mac)),
    attribute(NDA_DST, addressBytes(destination)),
  ]);

export async function listVxlanPeers(socket: NetlinkSocket, index: number): Promise<VxlanPeer[]> {
  const messages = await socket.dump(RTM_GETNEIGH, neighbourHeader(AF_BRIDGE, index, 0, 0));
  return messages.flatMap(({ body }) => {
    const attributes = decodeAttributes(body.subarray(12));
    const [mac, destination] = [attributes.get(NDA_LLADDR), attributes.get(NDA_DST)];
    return body.readInt32LE(4) !== index || mac === undefined || destination === undefined
      ? []
      : [{ mac: macText(mac), destination: addressText(destination) }];
  });
}

/** `struct ndmsg`: family, pad ×3, index i32, state u16, flags u8, type u8. */
function neighbourHeader(family: number, index: number, state: number, flags: number): Buffer {
  const body = Buffer.alloc(12);
  body.writeUInt8(family, 0);
  body.writeInt32LE(index, 4);
  body.writeUInt16LE(state, 8);
  body.writeUInt8(flags, 10);
  return body;
}

interface InterfaceAddress {
  readonly index: number;
  readonly address: string;
  readonly length: number;
}

export async function listAddresses(socket: NetlinkSocket): Promise<InterfaceAddress[]> {
  const messages = await socket.dump(RTM_GETADDR, Buffer.alloc(8));
  return messages.flatMap(({ body }) => {
    const attributes = decodeAttributes(body.subarray(8));
    const address = attributes.get(IFA_LOCAL) ?? attributes.get(IFA_ADDRESS);
    return address === undefined
      ? []
      : [{ index: body.readUInt32LE(4), address: addressText(address), length: body.readUInt8(1) }];
  });
}
