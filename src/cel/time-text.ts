/** Parses and formats the timestamps and durations of CEL. */
import { parseDurationNanos } from '../base/index.ts';
import { CelError, Duration, Timestamp } from './values.ts';

const NANOS = 1_000_000_000n;
const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

export function parseTimestampText(text: string): Timestamp {
  const match = RFC3339.exec(text);
  if (!match) throw new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHour = '0', zoneMinute = '0'] = match;
  const milliseconds = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const date = new Date(milliseconds);
  if (Number(year) < 100) date.setUTCFullYear(Number(year));
  const valid =
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60;
  if (!valid) throw new CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  const offset = (Number(zoneHour) * 60 + Number(zoneMinute)) * 60 * (sign === '-' ? -1 : 1);
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return new Timestamp((BigInt(date.getTime()) / 1000n - BigInt(offset)) * NANOS + nanos);
}

/** A date of the schema format `date`. */
export function parseDateText(text: string): Timestamp {
  return parseTimestampText(`${text}T00:00:00Z`);
}

export function parseDurationText(text: string): Duration {
  try {
    return new Duration(parseDurationNanos(text));
  } catch {
    throw new CelError("type conversion error from 'string' to 'google.protobuf.Duration'");
  }
}

/** In UTC, without trailing zeros of the fraction. */
export function timestampText({ nanos }: Timestamp): string {
  const rest = ((nanos % NANOS) + NANOS) % NANOS;
  const text = new Date(Number((nanos - rest) / 1_000_000n)).toISOString().slice(0, 19);
  const fraction =
    rest === 0n
      ? ''
      : `.${rest
          .toString()
          .padStart(9, '0')
          .replace(/(?<!0)0+$/, '')}`;
  return `${text}${fraction}Z`;
}

/** `90s`, `0.5s`. */
export function formatSeconds({ nanos }: Duration): string {
  const negative = nanos < 0n;
  const magnitude = negative ? -nanos : nanos;
  const fraction = magnitude % NANOS;
  const text =
    fraction === 0n
      ? ''
      : `.${fraction
          .toString()
          .padStart(9, '0')
          .replace(/(?<!0)0+$/, '')}`;
  return `${negative ? '-' : ''}${magnitude / NANOS}${text}s`;
}
