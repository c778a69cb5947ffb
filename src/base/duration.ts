/** Durations in Go's syntax: `1h2m3.5s`, `-300ms`, `0`. */
import { ParseError } from './parse-error.ts';
import { quote } from './quote.ts';

/** The text is not a duration; the message is Go's. */
export class DurationError extends ParseError {
  override name = 'DurationError';
  override readonly code = 'InvalidDuration';
}

const NANOS: ReadonlyMap<string, bigint> = new Map(
  Object.entries({
    ns: 1n,
    us: 1000n,
    µs: 1000n,
    μs: 1000n,
    ms: 1_000_000n,
    s: 1_000_000_000n,
    m: 60_000_000_000n,
    h: 3_600_000_000_000n,
  }),
);
const MAX = (1n << 63n) - 1n;

/** Whole digits, fraction digits, unit. */
const TERM = /^(\d*)(?:\.(\d*))?([^.\d]*)/s;
/** More whole digits do not fit into 64 bits; more fraction digits are below a nanosecond. */
const MAX_DIGITS = 19;

const invalid = (text: string): DurationError => new DurationError(`time: invalid duration ${quote(text)}`);

/** Milliseconds; throws a DurationError. */
export const parseDuration = (text: string): number => Number(parseDurationNanos(text)) / 1e6;

export const formatDuration = (milliseconds: number): string =>
  formatDurationNanos(BigInt(Math.round(milliseconds * 1e6)));

export function parseDurationNanos(text: string): bigint {
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw invalid(text);
  let total = 0n;
  while (rest !== '') {
    const [term, whole = '', fraction = '', unit = ''] = TERM.exec(rest)!;
    if (whole === '' && fraction === '') throw invalid(text);
    if (unit === '') throw new DurationError(`time: missing unit in duration ${quote(text)}`);
    const factor = NANOS.get(unit);
    if (factor === undefined) throw new DurationError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    if (whole.replace(/^0+/, '').length > MAX_DIGITS) throw invalid(text);
    const finest = fraction.slice(0, MAX_DIGITS);
    total += BigInt(`0${whole}`) * factor + (BigInt(`0${finest}`) * factor) / 10n ** BigInt(finest.length);
    if (total > MAX + (negative ? 1n : 0n)) throw invalid(text);
    rest = rest.slice(term.length);
  }
  return negative ? -total : total;
}

/** The canonical text. Throws a DurationError. */
export const canonicalDuration = (text: string): string => formatDurationNanos(parseDurationNanos(text));

export function isGoDuration(text: string): boolean {
  try {
    parseDurationNanos(text);
    return true;
  } catch {
    return false;
  }
}

/** As Go prints it: `1h0m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDurationNanos(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const amount = nanos < 0n ? -nanos : nanos;
  if (amount < 1000n) return `${sign}${amount}ns`;
  if (amount < 1_000_000n) return `${sign}${decimal(amount, 3)}µs`;
  if (amount < 1_000_000_000n) return `${sign}${decimal(amount, 6)}ms`;
  const minutes = amount / 60_000_000_000n;
  const seconds = `${decimal(amount % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(amount: bigint, places: number): string {
  const unit = 10n ** BigInt(places);
  const fraction = (amount % unit)
    .toString()
    .padStart(places, '0')
    .replace(/(?<!0)0+$/, '');
  return fraction === '' ? `${amount / unit}` : `${amount / unit}.${fraction}`;
}
