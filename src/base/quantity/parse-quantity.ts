/** Parses resource quantities, with upstream's errors and rounding. */
import { ParseError } from '../parse-error.ts';
import { divideAwayFromZero } from './decimal.ts';
import type { QuantityFormat } from './format-quantity.ts';
import { Quantity } from './quantity.ts';

/** The text is not a quantity. */
export class QuantityError extends ParseError {
  override name = 'QuantityError';
  override readonly code = 'InvalidQuantity';
}

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = 'unable to parse numeric part of quantity';
const WRONG_SUFFIX = "unable to parse quantity's suffix";

/**
 * Sign, whole digits, fraction digits, suffix. As upstream, more lenient than the error message says. Neighbouring
 * parts cannot match the same text, so matching takes linear time.
 */
const SHAPE = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;

/** Longer numbers are refused: they would only cost time. */
const MAX_LENGTH = 1000;

interface Suffix {
  readonly format: QuantityFormat;
  /** Of 10, or of 2 in BinarySI. */
  readonly exponent: number;
}

const DECIMAL_EXPONENTS = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY_EXPONENTS = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map([
  ...Object.entries(DECIMAL_EXPONENTS).map(([text, exponent]): [string, Suffix] => [
    text,
    { format: 'DecimalSI', exponent },
  ]),
  ...Object.entries(BINARY_EXPONENTS).map(([text, exponent]): [string, Suffix] => [
    text,
    { format: 'BinarySI', exponent },
  ]),
]);

const NANO = -9;
const MAX_INT64 = (1n << 63n) - 1n;
/** Numbers of up to this many digits keep their text if it is canonical. */
const MAX_SHORT_DIGITS = 18;

const MAX_CACHED = 20_000;
const cache = new Map<string, Quantity>();

/** Throws a QuantityError. Spaces around the text are allowed, as they are in JSON. */
export function parseQuantity(text: string): Quantity {
  const cached = cache.get(text);
  if (cached) return cached;
  const parsed = parse(text.trim());
  if (cache.size >= MAX_CACHED) cache.clear();
  if (text.length <= 64) cache.set(text, parsed);
  return parsed;
}

/** The canonical text. Throws a QuantityError. */
export function canonicalQuantity(text: string): string {
  return parseQuantity(text).toString();
}

function parse(text: string): Quantity {
  const match = SHAPE.exec(text);
  if (!match || text === '') throw new QuantityError(WRONG_FORMAT);
  if (text.length > MAX_LENGTH) throw new QuantityError(WRONG_NUMBER);
  const [, sign, wholeDigits = '', fraction = '', suffixText = ''] = match;
  const significant = wholeDigits.replace(/^0+/, '');
  const whole = significant === '' ? '0' : significant;
  const suffix = SUFFIXES.get(suffixText) ?? exponentSuffix(suffixText);
  const negate = sign === '-';
  const digits = whole + fraction;
  const unscaled = BigInt(digits);
  return suffix.format === 'BinarySI'
    ? binary(text, { unscaled, digits, fraction: fraction.length, negate, exponent: suffix.exponent })
    : decimal(text, suffix.format, { unscaled, digits, fraction: fraction.length, negate, exponent: suffix.exponent });
}

function exponentSuffix(text: string): Suffix {
  if (!/^[eE][-+]?[0-9]+$/.test(text)) throw new QuantityError(WRONG_SUFFIX);
  const exponent = BigInt(text.slice(text[1] === '+' ? 2 : 1));
  if (BigInt.asIntN(64, exponent) !== exponent) throw new QuantityError(WRONG_SUFFIX);
  return { format: 'DecimalExponent', exponent: Number(BigInt.asIntN(32, exponent)) };
}

interface Digits {
  readonly unscaled: bigint;
  readonly digits: string;
  readonly fraction: number;
  readonly negate: boolean;
  readonly exponent: number;
}

const signed = (n: bigint, negate: boolean): bigint => (negate ? -n : n);

function decimal(text: string, format: QuantityFormat, d: Digits): Quantity {
  const scale = d.exponent - d.fraction;
  const short = d.digits.length <= MAX_SHORT_DIGITS && scale >= NANO;
  if (short) {
    const canonical = scale % 3 === 0 && !d.digits.endsWith('000') && d.digits[0] !== '0';
    return new Quantity(signed(d.unscaled, d.negate), scale, format, canonical ? text : undefined);
  }
  if (scale >= NANO || d.unscaled === 0n)
    return new Quantity(signed(d.unscaled, d.negate), Math.max(scale, NANO), format);
  // Amounts finer than a nano are rounded up.
  return new Quantity(signed(divideAwayFromZero(d.unscaled, NANO - scale), d.negate), NANO, format);
}

function binary(text: string, d: Digits): Quantity {
  const factor = 1n << BigInt(d.exponent);
  const short = d.fraction === 0 && 15 - d.digits.length - Math.trunc((d.exponent * 3) / 10) - 1 >= 0;
  if (short) {
    const canonical = (d.unscaled & 7n) !== 0n;
    return new Quantity(signed(d.unscaled * factor, d.negate), 0, 'BinarySI', canonical ? text : undefined);
  }
  const exact = d.unscaled * factor;
  const nanos = d.fraction > -NANO ? divideAwayFromZero(exact, d.fraction + NANO) : undefined;
  const amount =
    nanos === undefined ? new Quantity(exact, -d.fraction, 'BinarySI') : new Quantity(nanos, NANO, 'BinarySI');
  const capped = amount.cmp(Quantity.of(MAX_INT64)) > 0 ? Quantity.of(MAX_INT64, 'BinarySI') : amount;
  const format = capped.sign() > 0 && capped.cmp(Quantity.of(1)) < 0 ? 'DecimalSI' : 'BinarySI';
  return new Quantity(signed(capped.unscaled, d.negate), capped.scale, format);
}
