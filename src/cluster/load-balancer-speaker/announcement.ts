/** Gratuitous ARP: tells every machine of the link which hardware address an IP address has now. */
import { addressBytes } from '../../base/index.ts';
import { macBytes } from '../../net/netns/index.ts';

const BROADCAST = 'ff:ff:ff:ff:ff:ff';
const ETHERTYPE_ARP = 0x0806;
const REQUEST = 1;
const REPLY = 2;

/** As a request and as an answer: some systems believe one of them only. */
export const gratuitousArp = (address: string, mac: string): Buffer[] =>
  [REQUEST, REPLY].map((operation) => frame(operation, addressBytes(address), macBytes(mac)));

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
