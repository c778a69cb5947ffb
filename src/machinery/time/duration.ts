/** Durations in API objects and requests: what is not one is a bad request. */
import { DurationError, formatDurationNanos, parseDurationNanos as parseNanos } from '../../base/index.ts';
import { badRequest } from '../status.ts';

export { formatDuration, formatDurationNanos } from '../../base/index.ts';

/** Nanoseconds; throws a StatusError. */
export function parseDurationNanos(text: string): bigint {
  try {
    return parseNanos(text);
  } catch (error) {
    throw error instanceof DurationError ? badRequest(error.message) : error;
  }
}

/** Milliseconds; throws a StatusError. */
export const parseDuration = (text: string): number => Number(parseDurationNanos(text)) / 1e6;

export const canonicalDuration = (text: string): string => formatDurationNanos(parseDurationNanos(text));

export function isGoDuration(text: string): boolean {
  try {
    parseNanos(text);
    return true;
  } catch {
    return false;
  }
}
