/** Doubles as decimal text, rounded exactly: to the nearest, ties to even, as Go does it. */

interface Decimal {
  /** Without leading zeros; '' for 0. */
  readonly digits: string;
  /** The value is 0.DIGITS × 10^exponent. */
  readonly exponent: number;
}

const BITS = new DataView(new ArrayBuffer(8));

/** The exact value of a finite double that is not negative. */
function exactDecimal(value: number): Decimal {
  BITS.setFloat64(0, value);
  const bits = BITS.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  const power = (biased === 0 ? 1 : biased) - 1075;
  if (mantissa === 0n) return { digits: '', exponent: 0 };
  // m × 2^-n is m × 5^n × 10^-n.
  const digits = (power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power)).toString();
  return { digits, exponent: digits.length + Math.min(power, 0) };
}

/** Keeps so many digits; may add one in front: 9.9 becomes 10. */
function rounded({ digits, exponent }: Decimal, keep: number): Decimal {
  if (keep >= digits.length) return { digits, exponent };
  if (keep < 0) return { digits: '', exponent };
  const head = digits.slice(0, keep);
  const rest = digits.slice(keep);
  const isTie = /^50*$/.test(rest);
  const isOdd = keep > 0 && Number(head.at(-1)) % 2 === 1;
  const up = isTie ? isOdd : rest[0]! >= '5';
  if (!up) return { digits: head, exponent };
  const next = (BigInt(head === '' ? '0' : head) + 1n).toString().padStart(keep, '0');
  return { digits: next, exponent: exponent + (next.length > keep ? 1 : 0) };
}

/** `1234.50` */
export function fixedText(value: number, precision: number): string {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const exact = exactDecimal(Math.abs(value));
  const { digits, exponent } = rounded(exact, exact.exponent + precision);
  const padded = digits.padEnd(Math.max(exponent, 0) + precision, '0');
  const whole = exponent > 0 ? padded.slice(0, exponent) : '0';
  const fraction = (exponent > 0 ? padded.slice(exponent) : '0'.repeat(-exponent) + digits)
    .padEnd(precision, '0')
    .slice(0, precision);
  return `${sign}${whole}${precision > 0 ? `.${fraction}` : ''}`;
}

/** The mantissa with so many decimals, and the exponent: `1.50` and 3. */
export function scientificParts(value: number, precision: number): { mantissa: string; exponent: number } {
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const { digits, exponent } = rounded(exactDecimal(Math.abs(value)), precision + 1);
  const padded = digits.padEnd(precision + 1, '0');
  const fraction = padded.slice(1, precision + 1);
  return {
    mantissa: `${sign}${padded[0]}${precision > 0 ? `.${fraction}` : ''}`,
    exponent: digits === '' ? 0 : exponent - 1,
  };
}
