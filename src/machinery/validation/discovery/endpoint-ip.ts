/** Addresses that endpoints may have: none that mean a host itself or reach only its own link. */
import { type Cidr, cidrContains, parseCidr, parseIp } from '../../../base/index.ts';
import { type FieldError, invalidValue, type Path } from '../../errors/index.ts';

const FORBIDDEN: readonly (readonly [cidrs: readonly Cidr[], message: string])[] = [
  [['127.0.0.0/8', '::1/128'], 'may not be in the loopback range (127.0.0.0/8, ::1/128)'],
  [['169.254.0.0/16', 'fe80::/10'], 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
  [['224.0.0.0/24', 'ff02::/16'], 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)'],
].map(([cidrs, message]) => [(cidrs as string[]).map((cidr) => parseCidr(cidr)!), message as string] as const);

export function validateEndpointIp(errors: FieldError[], address: string, at: Path): void {
  const ip = parseIp(address);
  if (!ip) return;
  if (ip.bytes.every((byte) => byte === 0)) {
    errors.push(invalidValue(at, address, `may not be unspecified (${ip.family === 4 ? '0.0.0.0' : '::'})`));
  }
  for (const [cidrs, message] of FORBIDDEN) {
    if (cidrs.some((cidr) => cidrContains(cidr, ip))) errors.push(invalidValue(at, address, message));
  }
}
