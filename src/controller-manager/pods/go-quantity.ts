/**
 * A quantity as Go prints its private fields: a number of 64 bits where upstream's parser takes its quick way, and a big one
 * otherwise; the text only where the parser sees at once that it is canonical.
 */
const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

const MAX_DECIMAL_DIGITS = 18;
const MAX_BINARY_DIGITS = 14;
const NANO_SCALE = 9;
const MAX_INT64 = (1n << 63n) - 1n;
const WORD_BITS = 64n;

export function goQuantity(value: string | number | undefined): string {
  if (value === undefined) return quantityText({ value: 0n, scale: 0, text: '', format: '' });
  const text = String(value);
  const [, sign = '', digits = '0', suffix = ''] = /^(-?)(\d+)([a-zA-Z]*(?:-?\d+)?)$/.exec(text) ?? [];
  const binary = BINARY_EXPONENTS[suffix];
  const number = BigInt(sign + digits);
  if (binary !== undefined) {
    const amount = number << BigInt(binary);
    const isShort = MAX_BINARY_DIGITS - digits.length - Math.floor((binary * 3) / 10) >= 0;
    if (!isShort) return bigQuantityText(amount > MAX_INT64 ? MAX_INT64 : amount, 'BinarySI');
    const isCanonical = (BigInt(digits) & 7n) !== 0n;
    return quantityText({ value: amount, scale: 0, text: isCanonical ? text : '', format: 'BinarySI' });
  }
  const decimal = DECIMAL_EXPONENTS[suffix];
  const scale = decimal ?? Number(suffix.slice(1));
  const format = decimal === undefined ? 'DecimalExponent' : 'DecimalSI';
  if (digits.length > MAX_DECIMAL_DIGITS || scale < -NANO_SCALE)
    return bigQuantityText(number * 10n ** BigInt(scale), format);
  const isCanonical = text === '0' || (scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0'));
  return quantityText({ value: number, scale, text: isCanonical ? text : '', format });
}

interface Parts {
  readonly value: bigint;
  readonly scale: number;
  readonly text: string;
  readonly format: string;
  readonly decimal?: string;
}

const quantityText = ({ value, scale, text, format, decimal = '<nil>' }: Parts): string =>
  `{i:(resource.int64Amount){value:(int64)${value} scale:(resource.Scale)${scale}} ` +
  `d:(resource.infDecAmount){Dec:(*inf.Dec)${decimal}} s:(string)${text} Format:(resource.Format)${format}}`;

/** Upstream's parser rounds such a number to billionths, and writes it with that many decimal places. */
function bigQuantityText(value: bigint, format: string): string {
  const unscaled = value * 10n ** BigInt(NANO_SCALE);
  const words: bigint[] = [];
  for (let rest = unscaled < 0n ? -unscaled : unscaled; rest > 0n; rest >>= WORD_BITS)
    words.push(BigInt.asUintN(Number(WORD_BITS), rest));
  const number = `{neg:(bool)${unscaled < 0n} abs:(big.nat)${words.length === 0 ? '<nil>' : `[${words.join(' ')}]`}}`;
  const decimal = `{unscaled:(big.Int)${number} scale:(inf.Scale)${NANO_SCALE}}`;
  return quantityText({ value: 0n, scale: 0, text: '', format, decimal });
}
