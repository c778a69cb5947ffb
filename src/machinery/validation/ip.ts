/** Checks of IP addresses and CIDR blocks, with upstream's messages and warnings. */
import {
  formatCidr,
  formatIp,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isUnspecified,
  parseCidr,
  parseIp,
  quote,
  sameAddressBytes,
} from '../../base/index.ts';
import { type FieldError, invalidValue, type Path } from '../errors/index.ts';

const BAD_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const BAD_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** For fields that used to accept sloppy addresses: stored ones are still accepted, with `strict` false. */
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

/** For fields that accept only the canonical form of an address. */
export function checkIp(errors: FieldError[], value: string, at: Path): void {
  const before = errors.length;
  checkLegacyIp(errors, value, at, { strict: true });
  const ip = parseIp(value);
  if (errors.length > before || !ip) return;
  if (value !== formatIp(ip))
    errors.push(invalidValue(at, value, `must be in canonical form (${quote(formatIp(ip))})`));
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
  else if (!sameAddressBytes(cidr.ip, cidr.network))
    errors.push(invalidValue(at, value, 'must not have bits set beyond the prefix length'));
}

export function checkCidr(errors: FieldError[], value: string, at: Path): void {
  const before = errors.length;
  checkLegacyCidr(errors, value, at, { strict: true });
  const cidr = parseCidr(value);
  if (errors.length > before || !cidr) return;
  if (value !== formatCidr(cidr))
    errors.push(invalidValue(at, value, `must be in canonical form (${quote(formatCidr(cidr))})`));
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

/** Warnings about an accepted address that is not in canonical form. */
export function ipWarnings(value: string, at: Path): string[] {
  const ip = parseIp(value);
  if (!ip) return [];
  const canonical = formatIp(ip);
  if (ip.mapped || ip.leadingZeros)
    return [`${at}: non-standard IP address ${quote(value)} is invalid: use ${quote(canonical)}`];
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
  if (!sameAddressBytes(cidr.ip, cidr.network)) {
    const single = `${formatIp(cidr.ip)}/${cidr.ip.bytes.length * 8}`;
    warnings.push(
      `${at}: CIDR value ${quote(value)} is ambiguous in this context (should be ${quote(canonical)} or ${quote(single)}?)`,
    );
  }
  if (cidr.leadingZeros || cidr.ip.mapped) {
    warnings.push(`${at}: non-standard CIDR value ${quote(value)} is invalid: use ${quote(canonical)}`);
  }
  if (warnings.length === 0 && cidr.ip.family === 6 && canonical !== value) {
    warnings.push(
      `${at}: IPv6 CIDR value ${quote(value)} should be in RFC 5952 canonical format (${quote(canonical)})`,
    );
  }
  return warnings;
}

/** Refuses addresses that are not reachable from other machines: loopback, link-local and the like. */
export function validateNonSpecialIp(errors: FieldError[], value: string, at: Path): void {
  const ip = parseIp(value);
  if (!ip) {
    errors.push(invalidValue(at, value, 'must be a valid IP address'));
    return;
  }
  if (isUnspecified(ip)) errors.push(invalidValue(at, value, `may not be unspecified (${value})`));
  if (isLoopback(ip)) errors.push(invalidValue(at, value, 'may not be in the loopback range (127.0.0.0/8, ::1/128)'));
  if (isLinkLocalUnicast(ip))
    errors.push(invalidValue(at, value, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'));
  if (isLinkLocalMulticast(ip))
    errors.push(invalidValue(at, value, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'));
}
