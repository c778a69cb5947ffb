/**
 * What everything stands on and nothing of Kubernetes: quoting as Go does it, durations, IP addresses, varints. Pure
 * functions; imports nothing of src/.
 */
export { append } from './append.ts';
export { AddressRange } from './address-range.ts';
export { DurationError, formatDuration, formatDurationNanos, parseDuration, parseDurationNanos } from './duration.ts';
export {
  addressBytes,
  addressText,
  cidrContains,
  formatCidr,
  formatIp,
  isIpv4,
  isIpv6,
  parseCidr,
  parseIp,
  sameAddressBytes,
  type Cidr,
  type IpAddress,
} from './ip.ts';
export { isBroadcast, isGlobalUnicast, isLinkLocalMulticast, isLinkLocalUnicast, isLoopback, isMulticast, isUnspecified } from './ip-classes.ts';
export { ownValue } from './own-value.ts';
export { quote } from './quote.ts';
export { decodeVarint, encodeVarint } from './varint.ts';
