import { divideAwayFromZero, powerOfTen } from './decimal.ts';
import { formatQuantity } from './format-quantity.ts';

/** The notation a quantity was written in, and is written in again: `12M`, `12Mi`, `12e6`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/**
 * Sums and comparisons bring both numbers to the same scale. Beyond this distance the smaller one cannot be seen in
 * any quantity that means something, and writing out the digits would cost memory without bound.
 */
const MAX_SCALE_DISTANCE = 4096;

/** `unscaled` × 10^`scale`. */
export class Quantity {
  #text: string | undefined;

  constructor(
    readonly unscaled: bigint,
    readonly scale: number,
    readonly format: QuantityFormat,
    /** The text, when it is known to be what upstream would write. */
    text?: string,
  ) {
    this.#text = text;
  }

  static zero(format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(0n, 0, format);
  }

  static of(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), 0, format);
  }

  static ofMilli(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
    return new Quantity(BigInt(value), -3, format);
  }

  /** A zero takes the other's notation, as upstream's sums do. */
  add(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a + b);
  }

  sub(other: Quantity): Quantity {
    return this.#combine(other, (a, b) => a - b);
  }

  mul(factor: number | bigint): Quantity {
    return new Quantity(this.unscaled * BigInt(factor), this.scale, this.format);
  }

  neg(): Quantity {
    return new Quantity(-this.unscaled, this.scale, this.format);
  }

  /** Negative, zero or positive as this is less than, equal to or more than the other. */
  cmp(other: Quantity): -1 | 0 | 1 {
    const sign = this.sign();
    if (sign !== other.sign()) return sign < other.sign() ? -1 : 1;
    if (sign === 0) return 0;
    const distance = this.scale - other.scale;
    if (Math.abs(distance) > MAX_SCALE_DISTANCE) {
      const byDigits = digits(this.unscaled) + this.scale - (digits(other.unscaled) + other.scale);
      if (byDigits !== 0) return byDigits > 0 === sign > 0 ? 1 : -1;
      return distance > 0 === sign > 0 ? 1 : -1;
    }
    const [a, b] = align(this, other);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  equals(other: Quantity): boolean {
    return this.cmp(other) === 0;
  }

  isZero(): boolean {
    return this.unscaled === 0n;
  }

  sign(): -1 | 0 | 1 {
    return this.unscaled === 0n ? 0 : this.unscaled < 0n ? -1 : 1;
  }

  /** The number of 10^`scale`s in it, rounded away from zero. */
  scaledValue(scale: number): bigint {
    if (this.unscaled === 0n) return 0n;
    const distance = this.scale - scale;
    if (distance >= 0) return this.unscaled * powerOfTen(Math.min(distance, MAX_SCALE_DISTANCE));
    return divideAwayFromZero(this.unscaled, -distance);
  }

  /** Whole units, rounded away from zero. Exact up to 2^53. */
  value(): number {
    return Number(this.scaledValue(0));
  }

  /** Thousandths, rounded away from zero. Exact up to 2^53. */
  milliValue(): number {
    return Number(this.scaledValue(-3));
  }

  /** Rounded away from zero to a multiple of 10^`scale`. */
  roundUp(scale: number): Quantity {
    return this.scale >= scale ? this : new Quantity(this.scaledValue(scale), scale, this.format);
  }

  /** True if it is a whole number of 10^`scale`s. */
  isMultipleOf(scale: number): boolean {
    return this.scale >= scale || this.cmp(this.roundUp(scale)) === 0;
  }

  toNumber(): number {
    return Number(this.unscaled) * 10 ** this.scale;
  }

  toString(): string {
    return (this.#text ??= formatQuantity(this));
  }

  toJSON(): string {
    return this.toString();
  }

  #combine(other: Quantity, operation: (a: bigint, b: bigint) => bigint): Quantity {
    const format = this.isZero() ? other.format : this.format;
    const distance = this.scale - other.scale;
    if (Math.abs(distance) > MAX_SCALE_DISTANCE && !this.isZero() && !other.isZero()) {
      const larger = distance > 0 ? this.unscaled : operation(0n, other.unscaled);
      return new Quantity(larger, Math.max(this.scale, other.scale), format);
    }
    if (this.isZero()) return new Quantity(operation(0n, other.unscaled), other.scale, format);
    if (other.isZero()) return new Quantity(this.unscaled, this.scale, format);
    const [a, b, scale] = align(this, other);
    return new Quantity(operation(a, b), scale, format);
  }
}

function align(a: Quantity, b: Quantity): [bigint, bigint, number] {
  if (a.scale === b.scale) return [a.unscaled, b.unscaled, a.scale];
  if (a.scale > b.scale) return [a.unscaled * powerOfTen(a.scale - b.scale), b.unscaled, b.scale];
  return [a.unscaled, b.unscaled * powerOfTen(b.scale - a.scale), a.scale];
}

const digits = (n: bigint): number => (n < 0n ? -n : n).toString().length;
