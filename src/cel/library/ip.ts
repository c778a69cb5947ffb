/** The ip and cidr libraries: IP addresses and CIDR networks. */
import {
  type Cidr,
  cidrContains,
  formatCidr,
  formatIp,
  type IpAddress,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  parseCidr,
  parseIp,
  quote,
} from '../../base/index.ts';
import { method, overload, type Library } from '../function-table.ts';
import { BOOL, INT, STRING, opaque } from '../types.ts';
import { CelError, LibraryValue, type Value } from '../values.ts';
import { parseAddrError, parsePrefixError } from './netip-errors.ts';

const IP = opaque('net.IP');
const CIDR = opaque('net.CIDR');

class IpValue extends LibraryValue {
  readonly typeName = IP.name;

  constructor(readonly ip: IpAddress) {
    super();
  }

  override equals(other: Value): boolean {
    return other instanceof IpValue && formatIp(other.ip) === formatIp(this.ip);
  }

  override get size(): number {
    return this.ip.bytes.length;
  }
}

class CidrValue extends LibraryValue {
  readonly typeName = CIDR.name;

  constructor(readonly cidr: Cidr) {
    super();
  }

  override equals(other: Value): boolean {
    return other instanceof CidrValue && cidrText(other.cidr) === cidrText(this.cidr);
  }

  override get size(): number {
    return Math.ceil(this.cidr.prefix / 8);
  }
}

const cidrText = ({ ip, prefix }: Cidr): string => `${formatIp(ip)}/${prefix}`;

/** Parses as Go's netip: no leading zeros. IPv4-mapped IPv6 addresses are refused. */
function readIp(text: string): IpAddress | string {
  if (/%/.test(text) && parseIp(text.split('%')[0]!)?.family === 6)
    return `IP address ${quote(text)} with zone value is not allowed`;
  const ip = parseIp(text);
  if (!ip || ip.leadingZeros)
    return `IP Address ${quote(text)} parse error during conversion from string: ${parseAddrError(text)}`;
  return ip.mapped ? `IPv4-mapped IPv6 address ${quote(text)} is not allowed` : ip;
}

const CIDR_PARSE_ERROR = 'network address parse error during conversion from string';

function readCidr(text: string): Cidr | string {
  const cidr = parseCidr(text);
  if (!cidr || cidr.leadingZeros)
    return `${CIDR_PARSE_ERROR}: ${parsePrefixError(text, (address) => parseIp(address)?.leadingZeros === false)}`;
  return cidr.ip.mapped ? `IPv4-mapped IPv6 address ${quote(text)} is not allowed` : cidr;
}

/** Upstream puts this text before the error of the conversion once more. */
function toCidr(text: string): Cidr {
  const cidr = readCidr(text);
  if (typeof cidr === 'string') throw new CelError(`${CIDR_PARSE_ERROR}: ${cidr}`);
  return cidr;
}

function required<T>(value: T | string): T {
  if (typeof value === 'string') throw new CelError(value);
  return value;
}

const of =
  (holds: (ip: IpAddress) => boolean) =>
  ({ ip }: IpValue): boolean =>
    holds(ip);

function isCanonical(text: string): boolean {
  return formatIp(required(readIp(text))) === text;
}

export const ipLibrary: Library = {
  types: { [IP.name]: IP },
  functions: {
    ip: [overload('string_to_ip', [STRING], IP, (text: string) => new IpValue(required(readIp(text))))],
    isIP: [overload('is_ip', [STRING], BOOL, (text: string) => typeof readIp(text) !== 'string')],
    'ip.isCanonical': [overload('ip_is_canonical', [STRING], BOOL, isCanonical)],
    family: [method('ip_family', [IP], INT, ({ ip }: IpValue) => BigInt(ip.family))],
    isUnspecified: [method('ip_is_unspecified', [IP], BOOL, of(isUnspecified))],
    isLoopback: [method('ip_is_loopback', [IP], BOOL, of(isLoopback))],
    isLinkLocalMulticast: [method('ip_is_link_local_multicast', [IP], BOOL, of(isLinkLocalMulticast))],
    isLinkLocalUnicast: [method('ip_is_link_local_unicast', [IP], BOOL, of(isLinkLocalUnicast))],
    isGlobalUnicast: [method('ip_is_global_unicast', [IP], BOOL, of(isGlobalUnicast))],
    string: [overload('ip_to_string', [IP], STRING, ({ ip }: IpValue) => formatIp(ip))],
  },
};

const contains = (cidr: Cidr, ip: IpAddress): boolean => cidr.ip.family === ip.family && cidrContains(cidr, ip);
const containsCidr = (outer: Cidr, inner: Cidr): boolean =>
  outer.prefix <= inner.prefix && contains(outer, inner.network);

export const cidrLibrary: Library = {
  types: { [CIDR.name]: CIDR },
  functions: {
    cidr: [overload('string_to_cidr', [STRING], CIDR, (text: string) => new CidrValue(toCidr(text)))],
    isCIDR: [overload('is_cidr', [STRING], BOOL, (text: string) => typeof readCidr(text) !== 'string')],
    containsIP: [
      method('cidr_contains_ip_string', [CIDR, STRING], BOOL, ({ cidr }: CidrValue, text: string) =>
        contains(cidr, required(readIp(text))),
      ),
      method('cidr_contains_ip_ip', [CIDR, IP], BOOL, ({ cidr }: CidrValue, { ip }: IpValue) => contains(cidr, ip)),
    ],
    containsCIDR: [
      method('cidr_contains_cidr_string', [CIDR, STRING], BOOL, ({ cidr }: CidrValue, text: string) =>
        containsCidr(cidr, required(readCidr(text))),
      ),
      method('cidr_contains_cidr', [CIDR, CIDR], BOOL, (outer: CidrValue, inner: CidrValue) =>
        containsCidr(outer.cidr, inner.cidr),
      ),
    ],
    ip: [method('cidr_ip', [CIDR], IP, ({ cidr }: CidrValue) => new IpValue(cidr.ip))],
    masked: [
      method('cidr_masked', [CIDR], CIDR, ({ cidr }: CidrValue) => new CidrValue(required(readCidr(formatCidr(cidr))))),
    ],
    prefixLength: [method('cidr_prefix_length', [CIDR], INT, ({ cidr }: CidrValue) => BigInt(cidr.prefix))],
    string: [overload('cidr_to_string', [CIDR], STRING, ({ cidr }: CidrValue) => cidrText(cidr))],
  },
};
