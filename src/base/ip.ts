/** IP addresses and CIDR blocks: Go's parser and the canonical text. */

export interface IpAddress {
  /** 4 or 16 bytes; an IPv4-mapped IPv6 address has 4. */
  readonly bytes: readonly number[];
  readonly family: 4 | 6;
  /** Written as `::ffff:1.2.3.4`. */
  readonly mapped: boolean;
  /** Some part has leading zeros, which some parsers read as octal. */
  readonly leadingZeros: boolean;
}

export interface Cidr {
  readonly ip: IpAddress;
  readonly prefix: number;
  /** The address with the bits beyond the prefix cleared. */
  readonly network: IpAddress;
  readonly leadingZeros: boolean;
}

/** Accepts what Go's old parser accepts: leading zeros in IPv4, but no zones. */
export function parseIp(text: string): IpAddress | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes: number[] = [];
  for (const part of parts) {
    if (!/^\d+$/.test(part)) return undefined;
    const value = Number(part);
    if (value > 255) return undefined;
    bytes.push(value);
  }
  return {
    bytes,
    family: 4,
    mapped: false,
    leadingZeros: parts.some((part) => part.length > 1 && part.startsWith('0')),
  };
}

const MAX_GROUPS = 8;

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::', 3);
  if (halves.length > 2) return undefined;
  let leadingZeros = false;
  const parse = (half: string, last: boolean): number[] | undefined => {
    if (half === '') return [];
    const bytes: number[] = [];
    // One more than an address can have: a long text is refused without being taken apart.
    const groups = half.split(':', MAX_GROUPS + 1);
    if (groups.length > MAX_GROUPS) return undefined;
    for (const [i, group] of groups.entries()) {
      if (group.includes('.')) {
        const v4 = last && i === groups.length - 1 ? parseIpv4(group) : undefined;
        if (!v4) return undefined;
        leadingZeros ||= v4.leadingZeros;
        bytes.push(...v4.bytes);
      } else {
        if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
        const value = parseInt(group, 16);
        bytes.push(value >> 8, value & 0xff);
      }
    }
    return bytes;
  };
  const head = parse(halves[0]!, halves.length === 1);
  const tail = halves.length === 2 ? parse(halves[1]!, true) : [];
  if (!head || !tail) return undefined;
  const missing = 16 - head.length - tail.length;
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined;
  const bytes = [...head, ...new Array<number>(missing).fill(0), ...tail];
  const mapped = bytes.slice(0, 10).every((b) => b === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return mapped
    ? { bytes: bytes.slice(12), family: 4, mapped, leadingZeros }
    : { bytes, family: 6, mapped, leadingZeros };
}

/** RFC 5952 for IPv6, dotted decimal for IPv4. */
export function formatIp(ip: IpAddress): string {
  if (ip.family === 4) return ip.bytes.join('.');
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push(ip.bytes[i]! * 256 + ip.bytes[i + 1]!);
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (at + length < 8 && groups[at + length] === 0) length++;
    if (length > best.length) best = { at, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.at < 0) return hex.join(':');
  return `${hex.slice(0, best.at).join(':')}::${hex.slice(best.at + best.length).join(':')}`;
}

export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const ip = parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (!ip || !/^\d+$/.test(length)) return undefined;
  let prefix = Number(length);
  const bits = ip.mapped ? 128 : ip.bytes.length * 8;
  if (prefix > bits) return undefined;
  if (ip.mapped) prefix = Math.max(0, prefix - 96);
  const network = ip.bytes.map((byte, i) => byte & (0xff << Math.max(0, Math.min(8, 8 - (prefix - i * 8)))) & 0xff);
  const leadingZeros = ip.leadingZeros || (length.length > 1 && length.startsWith('0'));
  return { ip, prefix, network: { ...ip, bytes: network }, leadingZeros };
}

export const formatCidr = (cidr: Cidr): string => `${formatIp(cidr.network)}/${cidr.prefix}`;

export const sameAddressBytes = (a: IpAddress, b: IpAddress): boolean =>
  a.bytes.every((byte, i) => byte === b.bytes[i]);

export const cidrContains = (cidr: Cidr, ip: IpAddress): boolean => {
  if (cidr.ip.family !== ip.family) return false;
  const inside = parseCidr(`${formatIp(ip)}/${cidr.prefix}`);
  return inside !== undefined && sameAddressBytes(inside.network, cidr.network);
};

export const isIpv6 = (text: string): boolean => parseIp(text)?.family === 6;

/** Four bytes or sixteen; an IPv4-mapped IPv6 address has sixteen. Throws for text that is not an IP address. */
export function addressBytes(text: string): Buffer {
  const ip = parseIp(text);
  if (!ip || ip.leadingZeros) throw new Error(`${text} is not an IP address`);
  return Buffer.from(ip.mapped ? [...MAPPED_PREFIX, ...ip.bytes] : ip.bytes);
}

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/** The canonical text of four or sixteen bytes. */
export const addressText = (bytes: Uint8Array): string =>
  formatIp({ bytes: [...bytes], family: bytes.length === 4 ? 4 : 6, mapped: false, leadingZeros: false });
