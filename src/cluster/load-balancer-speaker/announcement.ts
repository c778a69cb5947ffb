/** Gratuitous ARP, and its counterpart of IPv6: tell every machine of the link which hardware address an IP address has now. */
import { addressBytes } from '../../base/index.ts';
import { macBytes } from '../../net/netns/index.ts';

const BROADCAST = 'ff:ff:ff:ff:ff:ff';
const ETHERTYPE_ARP = 0x0806;
const REQUEST = 1;
const REPLY = 2;

/** As a request and as an answer: some systems believe one of them only. */
export const gratuitousArp = (address: string, mac: string): Buffer[] =>
  [REQUEST, REPLY].map((operation) => frame(operation, addressBytes(address), macBytes(mac)));

const ALL_NODES = { mac: '33:33:00:00:00:01', address: 'ff02::1' };
const ETHERTYPE_IPV6 = 0x86dd;
const ICMPV6 = 58;
const NEIGHBOR_ADVERTISEMENT = 136;
const OVERRIDE = 0x20;
const TARGET_LINK_LAYER_ADDRESS = 2;

/**
 * An unsolicited neighbor advertisement that overrides what others remember.
 *
 *     Ethernet  destination 6 | source 6 | type u16
 *     IPv6      version 4 bits | … | payload length u16 | next header u8 | hop limit u8 | source 16 | destination 16
 *     ICMPv6    type u8 | code u8 | checksum u16 | flags u32 | target 16 | option: type u8, length u8, mac 6
 */
export function neighborAdvertisement(address: string, mac: string): Buffer {
  const [own, all] = [addressBytes(address), addressBytes(ALL_NODES.address)];
  const message = Buffer.concat([
    Buffer.from([NEIGHBOR_ADVERTISEMENT, 0, 0, 0, OVERRIDE, 0, 0, 0]),
    own,
    Buffer.from([TARGET_LINK_LAYER_ADDRESS, 1]),
    macBytes(mac),
  ]);
  const pseudoHeader = Buffer.concat([own, all, Buffer.from([0, 0, 0, message.length, 0, 0, 0, ICMPV6])]);
  message.writeUInt16BE(internetChecksum(Buffer.concat([pseudoHeader, message])), 2);
  const head = Buffer.from([0x60, 0, 0, 0, 0, message.length, ICMPV6, 255]);
  const type = Buffer.alloc(2);
  type.writeUInt16BE(ETHERTYPE_IPV6);
  return Buffer.concat([macBytes(ALL_NODES.mac), macBytes(mac), type, head, own, all, message]);
}

/** The ones' complement of the ones' complement sum; the length is even. */
function internetChecksum(bytes: Buffer): number {
  let sum = 0;
  for (let offset = 0; offset < bytes.length; offset += 2) sum += bytes.readUInt16BE(offset);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/**
 *     Ethernet  destination 6 | source 6 | type u16
 *     ARP       hardware type u16 | protocol u16 | lengths u8 u8 | operation u16 | sender mac, ip | target mac, ip
 */
function frame(operation: number, address: Buffer, mac: Buffer): Buffer {
  const numbers = Buffer.alloc(10);
  numbers.writeUInt16BE(ETHERTYPE_ARP, 0);
  numbers.writeUInt16BE(1, 2);
  numbers.writeUInt16BE(0x0800, 4);
  numbers.set([6, 4], 6);
  numbers.writeUInt16BE(operation, 8);
  return Buffer.concat([macBytes(BROADCAST), mac, numbers, mac, address, macBytes(BROADCAST), address]);
}
