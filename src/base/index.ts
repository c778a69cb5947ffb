/**
 * Building blocks without any knowledge of Kubernetes: JSON values (copy, compare, freeze, encode), texts as Go prints them,
 * quantities, durations, times, IP addresses, linear-time regular expressions, PEM and varints. Pure functions; this folder
 * imports nothing from src/.
 */
export { AddressRange } from './address-range.ts';
export { append } from './append.ts';
export { base32 } from './base32.ts';
export { cloneJson } from './clone-json.ts';
export { deepEqual } from './deep-equal.ts';
export { deepFreeze, freezeSteps } from './deep-freeze.ts';
export {
  canonicalDuration,
  DurationError,
  formatDuration,
  formatDurationNanos,
  isGoDuration,
  parseDuration,
  parseDurationNanos,
} from './duration.ts';
export { encodeJson, stringifyIndented, stringifyJson } from './encode-json.ts';
export { fnv128a, fnv32, fnv32a } from './fnv.ts';
export { compareText, floatText, goSyntax, goTypeName, jsonText, plainText, goJsonText } from './go-text.ts';
export { goBoolError, parseGoBool } from './go-bool.ts';
export { humanDuration } from './human-duration.ts';
export { SequenceMemory, type Sequence } from './sequence-memory.ts';
export { getScaledValue } from './int-or-string.ts';
export { isGlobalUnicast, isLinkLocalMulticast, isLinkLocalUnicast, isLoopback, isUnspecified } from './ip-classes.ts';
export {
  addressBytes,
  addressText,
  type Cidr,
  cidrContains,
  formatCidr,
  formatIp,
  type IpAddress,
  isIpv6,
  parseCidr,
  parseIp,
  sameAddressBytes,
} from './ip.ts';
export { isRecord, type JsonObject, type JsonValue } from './json.ts';
export { K8TS_VERSION } from './k8ts-version.ts';
export { editDistance, nearest } from './nearest.ts';
export { getOwn, setOwn } from './own-property.ts';
export { ownValue } from './own-value.ts';
export { ParseError } from './parse-error.ts';
export { pemBlocks } from './pem.ts';
export { canonicalQuantity, parseQuantity, Quantity, QuantityError } from './quantity/index.ts';
export { quote } from './quote.ts';
export { LinearRegexp, RegexpTooLargeError } from './regexp/index.ts';
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseTime } from './rfc3339.ts';
export { fromPieces, type JsonPieces, piecesLength, stringifySteps, toPieces } from './json-slices.ts';
export { runSteps, type Steps } from './steps.ts';
export { decodeVarint, encodeVarint } from './varint.ts';
export { errorMessage } from './error-message.ts';
export { whenDone, type MaybePromise } from './when-done.ts';
