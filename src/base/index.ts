/**
 * What everything stands on and nothing of Kubernetes: quoting as Go does it, durations, IP addresses, varints. Pure
 * functions; imports nothing of src/.
 */
export { append } from './append.ts';
export { AddressRange } from './address-range.ts';
export {
  canonicalDuration,
  DurationError,
  formatDuration,
  formatDurationNanos,
  isGoDuration,
  parseDuration,
  parseDurationNanos,
} from './duration.ts';
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
export {
  isBroadcast,
  isGlobalUnicast,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isMulticast,
  isUnspecified,
} from './ip-classes.ts';
export { ownValue } from './own-value.ts';
export { quote } from './quote.ts';
export { decodeVarint, encodeVarint } from './varint.ts';
export { cloneJson } from './clone-json.ts';
export { whenDone, type MaybePromise } from './when-done.ts';
export { deepEqual } from './deep-equal.ts';
export { deepFreeze } from './deep-freeze.ts';
export { errorMessage } from './error-message.ts';
export { pemBlocks } from './pem.ts';
export { humanDuration, shortHumanDuration } from './human-duration.ts';
export { getScaledValue, intOrStringValue, isPercent } from './int-or-string.ts';
export { ParseError } from './parse-error.ts';
export { canonicalQuantity, parseQuantity, Quantity, QuantityError, type QuantityFormat } from './quantity/index.ts';
export {
  canonicalMicroTime,
  canonicalTime,
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
  TimeError,
} from './rfc3339.ts';
export { isRecord, type JsonObject, type JsonValue } from './json.ts';
export { getOwn, setOwn } from './own-property.ts';
export { encodeJson, stringifyJson } from './encode-json.ts';
export {
  compareText,
  escapeForGo,
  floatText,
  goJsonText,
  goSyntax,
  goTypeName,
  jsonText,
  plainText,
} from './go-text.ts';
export { runSteps, type Steps } from './steps.ts';
export { LinearRegexp, RegexpTooLargeError } from './regexp/index.ts';
