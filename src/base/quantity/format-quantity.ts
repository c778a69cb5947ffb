/** Formats quantities: the canonical text of Kubernetes resource quantities. */

/** The notation in which a quantity was written and is formatted again: `12M`, `12Mi`, `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** The part of Quantity that formatting needs. */
interface Formattable {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  isMultipleOf(scale: number): boolean;
  scaledValue(scale: number): bigint;
}

const DECIMAL_SUFFIXES: Record<number, string> = {
  [-9]: 'n',
  [-6]: 'u',
  [-3]: 'm',
  0: '',
  3: 'k',
  6: 'M',
  9: 'G',
  12: 'T',
  15: 'P',
  18: 'E',
};
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const LARGEST_DECIMAL_SUFFIX = 18;

/**
 * The canonical text: no fraction, no precision lost, the largest suffix that allows both. Binary notation is left for
 * decimal where it would round, and below 1024, where it would have no suffix anyway.
 */
export function formatQuantity(q: Formattable): string {
  if (q.unscaled === 0n) return '0';
  if (q.format === 'BinarySI') {
    const whole = q.scale >= 0 || q.isMultipleOf(0) ? q.scaledValue(0) : undefined;
    if (whole !== undefined && (whole >= 1024n || whole <= -1024n)) return formatBinary(whole);
    return formatDecimal(q, 'DecimalSI');
  }
  return formatDecimal(q, q.format);
}

function formatBinary(value: bigint): string {
  let amount = value;
  let power = 0;
  while (power < BINARY_SUFFIXES.length - 1 && amount % 1024n === 0n) {
    amount /= 1024n;
    power++;
  }
  return `${amount}${BINARY_SUFFIXES[power]!}`;
}

function formatDecimal(q: Formattable, format: 'DecimalSI' | 'DecimalExponent'): string {
  let digits = q.unscaled.toString();
  let exponent = q.scale;
  let zeros = 0;
  while (digits.charCodeAt(digits.length - 1 - zeros) === 48) zeros++;
  digits = digits.slice(0, digits.length - zeros);
  exponent += zeros;
  const largest = format === 'DecimalSI' ? LARGEST_DECIMAL_SUFFIX : Infinity;
  const target = Math.min(Math.floor(exponent / 3) * 3, largest);
  digits += '0'.repeat(Math.min(exponent - target, 4096));
  if (format === 'DecimalExponent') return target === 0 ? digits : `${digits}e${target}`;
  return digits + (DECIMAL_SUFFIXES[target] ?? '');
}
