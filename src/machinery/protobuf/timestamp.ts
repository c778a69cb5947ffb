/**
 * Converts timestamps between JSON text and protobuf. Upstream keeps whole seconds of a Time and whole microseconds
 * of a MicroTime.
 */
import { formatTime, parseTime } from '../../base/index.ts';
import { badRequest } from '../errors/index.ts';

/** Seconds and nanoseconds since 1970. */
export interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

/** Go's zero time. */
const ZERO_SECONDS = -62135596800;
const LAST_SECONDS = 253402300799;
const MICROS_PER_SECOND = 1_000_000;

/** Undefined for the zero time. */
export function timestampOf(text: string): Timestamp | undefined {
  const isPlainUtc = text.length === 20 && text.endsWith('Z');
  const milliseconds = isPlainUtc ? Date.parse(text) : parseTime(text);
  const exact = Number.isNaN(milliseconds) ? parseTime(text) : milliseconds;
  const seconds = Math.floor(exact / 1000);
  const nanos = isPlainUtc ? 0 : Number((/[.,](\d{1,9})/.exec(text)?.[1] ?? '0').padEnd(9, '0'));
  return seconds === ZERO_SECONDS && nanos === 0 ? undefined : { seconds, nanos };
}

export function timeText(seconds: number): string {
  if (!(seconds >= ZERO_SECONDS && seconds <= LAST_SECONDS))
    throw badRequest('Time.MarshalJSON: year outside of range [0,9999]');
  return formatTime(seconds * 1000);
}

export function microTimeText({ seconds, nanos }: Timestamp): string {
  const micros = Math.trunc(nanos / 1000);
  const carry = Math.floor(micros / MICROS_PER_SECOND);
  const text = timeText(seconds + carry);
  return `${text.slice(0, -1)}.${String(micros - carry * MICROS_PER_SECOND).padStart(6, '0')}Z`;
}

export const isZeroTime = ({ seconds, nanos }: Timestamp): boolean => seconds === ZERO_SECONDS && nanos === 0;
