/** IP addresses and CIDR blocks: parsing as Go does it, canonical text, and upstream's messages and warnings. */
import { quote } from '../quote.ts';
import { invalidValue, type FieldError, type Path } from './field-error.ts';

export interface IpAddress {
  /** 4 or 16 bytes; an IPv4 address that was written as an IPv6 one has 4. */
  readonly bytes: readonly number[];
  readonly family: 4 | 6;
  /** Written as `::ffff:1.2.3.4`. */
  readonly mapped: boolean;
  /** Some part has zeros before its number, which some parsers read as octal. */
  readonly leadingZeros: boolean;
}

export interface Cidr {
  readonly ip: IpAddress;
  readonly prefix: number;
  /** The address with the bits beyond the prefix cleared. */
  readonly network: IpAddress;
  readonly leadingZeros: boolean;
}

/** Reads what Go's old parser takes: leading zeros in IPv4 are allowed, zones are not. */
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
  return { bytes, family: 4, mapped: false, leadingZeros: parts.some((part) => part.length > 1 && part.startsWith('0')) };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  let leadingZeros = false;
  const parse = (half: string, last: boolean): number[] | undefined => {
    if (half === '') return [];
    const bytes: number[] = [];
    const groups = half.split(':');
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

const sameBytes = (a: IpAddress, b: IpAddress): boolean => a.bytes.every((byte, i) => byte === b.bytes[i]);

export const cidrContains = (cidr: Cidr, ip: IpAddress): boolean => {
  if (cidr.ip.family !== ip.family) return false;
  const inside = parseCidr(`${formatIp(ip)}/${cidr.prefix}`);
  return inside !== undefined && sameBytes(inside.network, cidr.network);
};

export const isIpv4 = (text: string): boolean => parseIp(text)?.family === 4;
export const isIpv6 = (text: string): boolean => parseIp(text)?.family === 6;

const BAD_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const BAD_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** For fields that once took sloppy addresses: those that are stored may stay, with `strict` false. */
export function checkLegacyIp(errors: FieldError[], value: string, at: Path, { strict = true } = {}): void {
  const ip = parseIp(value);
  if (!ip) {
    errors.push(invalidValue(at, value, BAD_IP));
    return;
  }
  if (!strict) return;
  if (ip.leadingZeros) errors.push(invalidValue(at, value, 'must not have leading 0s'));
  if (ip.mapped) errors.push(invalidValue(at, value, 'must not be an IPv4-mapped IPv6 address'));
}

/** For fields that take only the canonical form of an address. */
export function checkIp(errors: FieldError[], value: string, at: Path): void {
  const before = errors.length;
  checkLegacyIp(errors, value, at, { strict: true });
  const ip = parseIp(value);
  if (errors.length > before || !ip) return;
  if (value !== formatIp(ip)) errors.push(invalidValue(at, value, `must be in canonical form (${quote(formatIp(ip))})`));
}

export function checkLegacyCidr(errors: FieldError[], value: string, at: Path, { strict = true } = {}): void {
  const cidr = parseCidr(value);
  if (!cidr) {
    errors.push(invalidValue(at, value, BAD_CIDR));
    return;
  }
  if (!strict) return;
  if (cidr.leadingZeros) errors.push(invalidValue(at, value, 'must not have leading 0s in IP or prefix length'));
  else if (cidr.ip.mapped) errors.push(invalidValue(at, value, 'must not have an IPv4-mapped IPv6 address'));
  else if (!sameBytes(cidr.ip, cidr.network)) errors.push(invalidValue(at, value, 'must not have bits set beyond the prefix length'));
}

export function checkCidr(errors: FieldError[], value: string, at: Path): void {
  const before = errors.length;
  checkLegacyCidr(errors, value, at, { strict: true });
  const cidr = parseCidr(value);
  if (errors.length > before || !cidr) return;
  if (value !== formatCidr(cidr)) errors.push(invalidValue(at, value, `must be in canonical form (${quote(formatCidr(cidr))})`));
}

/** An address with the length of its network: `10.9.8.7/24`. */
export function checkInterfaceAddress(errors: FieldError[], value: string, at: Path): void {
  const cidr = parseCidr(value);
  if (!cidr) {
    errors.push(invalidValue(at, value, 'must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)'));
    return;
  }
  const canonical = `${formatIp(cidr.ip)}/${cidr.prefix}`;
  if (value !== canonical) errors.push(invalidValue(at, value, `must be in canonical form (${quote(canonical)})`));
}

/** What to warn of in an address that was accepted although it is not in good form. */
export function ipWarnings(value: string, at: Path): string[] {
  const ip = parseIp(value);
  if (!ip) return [];
  const canonical = formatIp(ip);
  if (ip.mapped || ip.leadingZeros) return [`${at}: non-standard IP address ${quote(value)} is invalid: use ${quote(canonical)}`];
  if (ip.family === 6 && canonical !== value) {
    return [`${at}: IPv6 address ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`];
  }
  return [];
}

export function cidrWarnings(value: string, at: Path): string[] {
  const cidr = parseCidr(value);
  if (!cidr) return [];
  const warnings: string[] = [];
  const canonical = formatCidr(cidr);
  if (!sameBytes(cidr.ip, cidr.network)) {
    const single = `${formatIp(cidr.ip)}/${cidr.ip.bytes.length * 8}`;
    warnings.push(`${at}: CIDR value ${quote(value)} is ambiguous in this context (should be ${quote(canonical)} or ${quote(single)}?)`);
  }
  if (cidr.leadingZeros || cidr.ip.mapped) {
    warnings.push(`${at}: non-standard CIDR value ${quote(value)} is invalid: use ${quote(canonical)}`);
  }
  if (warnings.length === 0 && cidr.ip.family === 6 && canonical !== value) {
    warnings.push(`${at}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`);
  }
  return warnings;
}

/** Addresses that mean something else on every machine are of no use to others. */
export function validateNonSpecialIp(errors: FieldError[], value: string, at: Path): void {
  const ip = parseIp(value);
  if (!ip) {
    errors.push(invalidValue(at, value, 'must be a valid IP address'));
    return;
  }
  const [first = 0, second = 0, third = 0] = ip.bytes;
  const v4 = ip.family === 4;
  const lastByteOnly = (last: number): boolean => ip.bytes.every((byte, i) => byte === (i === ip.bytes.length - 1 ? last : 0));
  if (lastByteOnly(0)) errors.push(invalidValue(at, value, `may not be unspecified (${value})`));
  if (v4 ? first === 127 : lastByteOnly(1)) {
    errors.push(invalidValue(at, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  }
  if (v4 ? first === 169 && second === 254 : first === 0xfe && (second & 0xc0) === 0x80) {
    errors.push(invalidValue(at, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  }
  if (v4 ? first === 224 && second === 0 && third === 0 : first === 0xff && (second & 0x0f) === 0x02) {
    errors.push(invalidValue(at, value, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'));
  }
}
