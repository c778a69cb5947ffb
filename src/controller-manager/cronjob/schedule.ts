/** Parses cron schedules and finds the next run, in the local time of a time zone. */
import { parseDurationNanos } from '../../base/index.ts';
import { localFields, localTime } from './local-time.ts';

const MINUTE = 60_000;
const DESCRIPTORS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '@yearly': '0 0 1 1 *',
    '@annually': '0 0 1 1 *',
    '@monthly': '0 0 1 * *',
    '@weekly': '0 0 * * 0',
    '@daily': '0 0 * * *',
    '@midnight': '0 0 * * *',
    '@hourly': '0 * * * *',
  }),
);
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** 29 February occurs at least every eight years, so a schedule without a run in that time has none. */
const HORIZON_MS = 8 * 366 * 24 * 60 * MINUTE;

export interface Schedule {
  /** The first time after `after`; undefined if there never is one. Milliseconds since 1970. */
  next(after: number): number | undefined;
}

interface Field {
  readonly values: ReadonlySet<number>;
  readonly isStar: boolean;
}

/** Throws for an invalid schedule, which the API server should have refused. */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  const zoned = /^(?:CRON_)?TZ=(\S+)\s+(\S.*)?$/.exec(text);
  if (zoned) return parseSchedule(zoned[2] ?? '', zoned[1]);
  if (text.startsWith('@every ')) return every(text.slice('@every '.length));
  const fields = (DESCRIPTORS.get(text) ?? text).trim().split(/\s+/);
  if (fields.length !== 5) throw new Error(`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`);
  const [minute, hour, day, month, weekday] = [
    parseField(fields[0], 0, 59, []),
    parseField(fields[1], 0, 23, []),
    parseField(fields[2], 1, 31, []),
    parseField(fields[3], 1, 12, MONTHS),
    parseField(fields[4], 0, 6, DAYS),
  ] as const;
  const dayMatches = (d: number, w: number): boolean =>
    day.isStar || weekday.isStar
      ? day.values.has(d) && weekday.values.has(w)
      : day.values.has(d) || weekday.values.has(w);

  return {
    next(after) {
      let at = (Math.floor(after / MINUTE) + 1) * MINUTE;
      while (at < after + HORIZON_MS) {
        const local = localFields(at, timeZone);
        if (!month.values.has(local.month))
          at = later(at, localTime({ year: local.year, month: local.month + 1, day: 1 }, timeZone));
        else if (!dayMatches(local.day, local.weekday))
          at = later(at, localTime({ year: local.year, month: local.month, day: local.day + 1 }, timeZone));
        else if (!hour.values.has(local.hour)) at += (60 - local.minute) * MINUTE;
        else if (!minute.values.has(local.minute)) at += MINUTE;
        else return at;
      }
      return undefined;
    },
  };
}

/** Where clocks are put back at midnight, a day may start before the last moment that was checked. */
const later = (at: number, candidate: number): number => (candidate > at ? candidate : at + 60 * MINUTE);

function every(duration: string): Schedule {
  const nanos = parseDurationNanos(duration);
  const periodMs = Math.max(1, Math.floor(Number(nanos) / 1e9)) * 1000;
  return { next: (after) => Math.floor(after / 1000) * 1000 + periodMs };
}

function parseField(text = '', min: number, max: number, names: readonly string[]): Field {
  const values = new Set<number>();
  let isStar = false;
  const number = (word: string): number => {
    const named = names.indexOf(word.toLowerCase());
    const value = named >= 0 ? named + min : Number(word);
    if (!Number.isInteger(value) || value < min || value > max)
      throw new Error(`value ${word} is not within ${min} and ${max}`);
    return value;
  };
  for (const part of text.split(',').filter((word) => word !== '')) {
    const [span = '', stepText] = part.split('/');
    const step = stepText === undefined ? 1 : Number(stepText);
    if (!Number.isInteger(step) || step < 1) throw new Error(`step of range should be a positive number: ${part}`);
    const anywhere = span === '*' || span === '?';
    const [first, last] = anywhere ? [undefined, undefined] : span.split('-');
    const start = first === undefined ? min : number(first);
    const end = anywhere || (last === undefined && stepText !== undefined) ? max : number(last ?? first ?? '');
    if (anywhere && step === 1) isStar = true;
    for (let value = start; value <= end; value += step) values.add(value);
  }
  return { values, isStar };
}
