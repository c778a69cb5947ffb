/** Conversion between time stamps and the local time of a time zone. */
interface LocalFields {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

const MINUTE = 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws a RangeError for a zone that does not exist. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

const isUtc = (timeZone: string): boolean => timeZone === 'UTC' || timeZone === 'Etc/UTC';

/** The offset of the zone from UTC, in milliseconds. */
export function offsetAt(at: number, timeZone: string): number {
  if (isUtc(timeZone)) return 0;
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(at))
    if (type !== 'literal') parts[type] = Number(value);
  const shown = Date.UTC(
    parts['year'] ?? 0,
    (parts['month'] ?? 1) - 1,
    parts['day'] ?? 1,
    parts['hour'] ?? 0,
    parts['minute'] ?? 0,
    parts['second'] ?? 0,
  );
  return shown - Math.floor(at / 1000) * 1000;
}

export function localFields(at: number, timeZone: string): LocalFields {
  const shown = new Date(at + offsetAt(at, timeZone));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    weekday: shown.getUTCDay(),
  };
}

/** The start of a day, or the first moment after a skipped midnight. Months and days may overflow. */
export function localTime({ year, month, day }: Pick<LocalFields, 'year' | 'month' | 'day'>, timeZone: string): number {
  const shown = Date.UTC(year, month - 1, day);
  const guess = shown - offsetAt(shown, timeZone);
  const at = shown - offsetAt(guess, timeZone);
  // In a gap of local time neither offset fits, and the later moment is used.
  return at + offsetAt(at, timeZone) === shown ? at : Math.max(at, guess) - (Math.max(at, guess) % MINUTE);
}
