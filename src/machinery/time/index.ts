/**
 * Times, durations and the int-or-percent values of the API: their texts as upstream reads and writes them. In memory
 * a time stays the text that travels; these functions go between that text and milliseconds since 1970.
 */
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime, TimeError } from './rfc3339.ts';
export { canonicalDuration, formatDuration, formatDurationNanos, parseDuration, parseDurationNanos } from './duration.ts';
export { humanDuration, shortHumanDuration } from './human-duration.ts';
export { getScaledValue, intOrStringValue, isPercent } from './int-or-string.ts';
