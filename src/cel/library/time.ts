/** The accessors of timestamps and durations: getFullYear(), getHours() and so on. */
import { method, type Library, type Overload } from '../function-table.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.ts';
import { CelError, Duration, Timestamp } from '../values.ts';

interface Fields {
  readonly date: Date;
  readonly nanos: bigint;
}

const NANOS = 1_000_000_000n;

/** A date whose UTC fields are those of the zone. */
function inZone({ nanos }: Timestamp, zone: string): Fields {
  const rest = ((nanos % NANOS) + NANOS) % NANOS;
  const milliseconds = Number((nanos - rest) / 1_000_000n);
  return { date: new Date(milliseconds + offsetOf(zone, milliseconds)), nanos: rest };
}

function offsetOf(zone: string, milliseconds: number): number {
  if (zone === '' || zone === 'UTC') return 0;
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone);
  if (fixed) return (Number(fixed[2]) * 60 + Number(fixed[3])) * 60_000 * (fixed[1] === '-' ? -1 : 1);
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(milliseconds);
    const get = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
    return (
      Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second')) -
      Math.floor(milliseconds / 1000) * 1000
    );
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

function accessor(name: string, read: (fields: Fields) => number): Overload[] {
  const id = name.replace('get', '').toLowerCase();
  return [
    method(`timestamp_to_${id}`, [TIMESTAMP], INT, (value: Timestamp) => BigInt(read(inZone(value, 'UTC')))),
    method(`timestamp_to_${id}_with_tz`, [TIMESTAMP, STRING], INT, (value: Timestamp, zone: string) =>
      BigInt(read(inZone(value, zone))),
    ),
  ];
}

const ofDuration = (id: string, divisor: bigint): Overload =>
  method(id, [DURATION], INT, (value: Duration) => value.nanos / divisor);

export const timeLibrary: Library = {
  functions: {
    getFullYear: accessor('getFullYear', ({ date }) => date.getUTCFullYear()),
    getMonth: accessor('getMonth', ({ date }) => date.getUTCMonth()),
    getDayOfYear: accessor('getDayOfYear', ({ date }) =>
      Math.floor(
        (Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()) -
          Date.UTC(date.getUTCFullYear(), 0, 1)) /
          86_400_000,
      ),
    ),
    getDayOfMonth: accessor('getDayOfMonth', ({ date }) => date.getUTCDate() - 1),
    getDate: accessor('getDate', ({ date }) => date.getUTCDate()),
    getDayOfWeek: accessor('getDayOfWeek', ({ date }) => date.getUTCDay()),
    getHours: [
      ...accessor('getHours', ({ date }) => date.getUTCHours()),
      ofDuration('duration_to_hours', 3600n * NANOS),
    ],
    getMinutes: [
      ...accessor('getMinutes', ({ date }) => date.getUTCMinutes()),
      ofDuration('duration_to_minutes', 60n * NANOS),
    ],
    getSeconds: [
      ...accessor('getSeconds', ({ date }) => date.getUTCSeconds()),
      ofDuration('duration_to_seconds', NANOS),
    ],
    getMilliseconds: [
      ...accessor('getMilliseconds', ({ nanos }) => Number(nanos / 1_000_000n)),
      ofDuration('duration_to_milliseconds', 1_000_000n),
    ],
  },
};
