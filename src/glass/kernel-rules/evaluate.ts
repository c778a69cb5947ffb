/** Whether an expression of nft's JSON holds for a packet. What cannot be known from outside of the kernel is undefined. */
import { addressBytes, cidrContains, isRecord, parseCidr, parseIp } from '../../base/index.ts';
import type { Expression, Table } from './ruleset.ts';

export interface Packet {
  readonly family: 'IPv4' | 'IPv6';
  readonly source: string;
  readonly destination: string;
  /** `tcp`, `udp`, `sctp` */
  readonly protocol: string;
  readonly port: number;
  /** Its destination was translated. */
  readonly isTranslated: boolean;
  /** Where they are known. */
  readonly inputInterface?: string | undefined;
  readonly outputInterface?: string | undefined;
}

/** Several values at once: a random number, for instance. */
export const ANY = Symbol('any');
type Value = string | number | boolean | typeof ANY | undefined;

/** The first packet of a connection has these. */
const CONNECTION: ReadonlyMap<string, Value> = new Map([
  ['state', 'new'],
  ['direction', 'original'],
]);

export function valueOf(expression: unknown, packet: Packet): Value | Value[] {
  if (!isRecord(expression)) return undefined;
  const [kind = '', inner] = Object.entries(expression)[0] ?? [];
  if (kind === 'concat' && Array.isArray(inner)) return inner.map((part) => valueOf(part, packet) as Value);
  if (kind === 'numgen') return ANY;
  if (!isRecord(inner)) return undefined;
  if (kind === 'payload') return payload(inner, packet);
  if (kind === 'meta') return metaOf(String(inner['key']), packet);
  if (kind === 'ct' && inner['key'] === 'status') return packet.isTranslated ? 'dnat' : '';
  return kind === 'ct' ? CONNECTION.get(String(inner['key'])) : undefined;
}

/** Of another protocol than the packet's: a value that nothing equals. */
const ABSENT = '(none)';

function payload({ protocol, field }: Expression, packet: Packet): Value {
  const own = packet.family === 'IPv4' ? 'ip' : 'ip6';
  if (protocol === 'ip' || protocol === 'ip6') {
    if (protocol !== own) return ABSENT;
    if (field === 'saddr') return packet.source;
    if (field === 'daddr') return packet.destination;
    return field === 'protocol' || field === 'nexthdr' ? packet.protocol : undefined;
  }
  // Pods are taken to send under their own hardware address.
  if (protocol === 'ether') return field === 'saddr' ? ANY : undefined;
  if (protocol === 'th' || protocol === packet.protocol) return field === 'dport' ? packet.port : undefined;
  return ['tcp', 'udp', 'sctp', 'icmp', 'icmpv6', 'arp', 'dccp'].includes(String(protocol)) ? ABSENT : undefined;
}

function metaOf(key: string, { protocol, family, inputInterface, outputInterface }: Packet): Value {
  if (key === 'iifname') return inputInterface;
  if (key === 'oifname') return outputInterface;
  if (key === 'l4proto') return protocol;
  if (key === 'nfproto') return family === 'IPv4' ? 'ipv4' : 'ipv6';
  return key === 'protocol' ? (family === 'IPv4' ? 'ip' : 'ip6') : undefined;
}

/** Of a match statement. */
export function holds({ left, right, op }: Expression, packet: Packet, table: Table): boolean | undefined {
  const value = valueOf(left, packet);
  // A rule about another protocol does not match, however it compares.
  if (value === ABSENT) return false;
  const equal = op === '<' || op === '>' || op === '<=' || op === '>=' ? undefined : isIn(value, right, table);
  return op === '!=' ? (equal === undefined ? undefined : !equal) : equal;
}

/** Whether the value is the right side, or in it. */
function isIn(value: Value | Value[], right: unknown, table: Table): boolean | undefined {
  if (typeof right === 'string' && right.startsWith('@'))
    return among(value, table.elements.get(right.slice(1)) ?? [], table);
  if (isRecord(right) && Array.isArray(right['set'])) return among(value, right['set'] as unknown[], table);
  if (Array.isArray(right)) return among(value, right, table);
  return equals(value, right);
}

function among(value: Value | Value[], elements: readonly unknown[], table: Table): boolean | undefined {
  let result: boolean | undefined = false;
  for (const element of elements) {
    const one = isIn(value, unwrapped(element), table);
    if (one) return true;
    if (one === undefined) result = undefined;
  }
  return result;
}

/** Elements with a timeout, a counter or a comment are wrapped. */
export const unwrapped = (element: unknown): unknown =>
  isRecord(element) && isRecord(element['elem']) ? element['elem']['val'] : element;

export function equals(value: Value | Value[], expected: unknown): boolean | undefined {
  if (Array.isArray(value)) {
    const parts =
      isRecord(expected) && Array.isArray(expected['concat']) ? (expected['concat'] as unknown[]) : undefined;
    if (parts?.length !== value.length) return false;
    const results = value.map((part, i) => equals(part, parts[i]));
    return results.includes(false) ? false : results.includes(undefined) ? undefined : true;
  }
  if (value === undefined) return undefined;
  if (value === ANY) return true;
  if (!isRecord(expected)) return String(value) === String(expected);
  const { prefix, range } = expected;
  if (isRecord(prefix)) return inPrefix(String(value), `${String(prefix['addr'])}/${String(prefix['len'])}`);
  if (Array.isArray(range)) return inRange(value, range as unknown[]);
  return undefined;
}

function inPrefix(address: string, text: string): boolean | undefined {
  const [ip, cidr] = [parseIp(address), parseCidr(text)];
  return ip && cidr ? cidrContains(cidr, ip) : undefined;
}

function inRange(value: string | number | boolean, [from, to]: readonly unknown[]): boolean | undefined {
  const [low, at, high] = [from, value, to].map((one) => sortable(String(one)));
  if (!low || !at || !high || low.length !== at.length || at.length !== high.length) return undefined;
  return Buffer.compare(low, at) <= 0 && Buffer.compare(at, high) <= 0;
}

/** Addresses and ports compare as bytes. */
function sortable(text: string): Buffer | undefined {
  if (parseIp(text)) return addressBytes(text);
  const number = Number(text);
  return Number.isInteger(number) && number >= 0 && number < 2 ** 16
    ? Buffer.from([number >> 8, number & 0xff])
    : undefined;
}
