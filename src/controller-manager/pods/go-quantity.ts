/**
 * A quantity as Go prints its private fields: a number of 64 bits where upstream's parser takes its quick way, and a big one
 * otherwise; the text only where the parser sees at once that it is canonical.
 */
const DECIMAL_EXPONENTS: ReadonlyMap<string, number> = new Map(
  ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, i) => [suffix, 3 * (i - 3)]),
);
const BINARY_EXPONENTS: ReadonlyMap<string, number> = new Map(
  ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].map((suffix, i) => [suffix, 10 * (i + 1)]),
);

const MAX_DECIMAL_DIGITS = 18;
const MAX_BINARY_DIGITS = 14;
const NANO_SCALE = 9;
const BILLION = 10n ** BigInt(NANO_SCALE);
const MAX_INT64 = (1n << 63n) - 1n;
const WORD_BITS = 64n;

export function goQuantity(value: string | number | undefined): string {
  if (value === undefined) return quantityText({ value: 0n, scale: 0, text: '', format: '' });
  const text = String(value);
  const [, sign = '', digits = '0', suffix = ''] = /^(-?)(\d+)((?:[a-zA-Z]+(?:-?\d+)?)?)$/.exec(text) ?? [];
  const binary = BINARY_EXPONENTS.get(suffix);
  const number = BigInt(sign + digits);
  if (binary !== undefined) {
    const amount = number << BigInt(binary);
    const isShort = MAX_BINARY_DIGITS - digits.length - Math.floor((binary * 3) / 10) >= 0;
    if (!isShort) return bigQuantityText((amount > MAX_INT64 ? MAX_INT64 : amount) * BILLION, 'BinarySI');
    const isCanonical = (BigInt(digits) & 7n) !== 0n;
    return quantityText({ value: amount, scale: 0, text: isCanonical ? text : '', format: 'BinarySI' });
  }
  const decimal = DECIMAL_EXPONENTS.get(suffix);
  const scale = decimal ?? Number(suffix.slice(1));
  const format = decimal === undefined ? 'DecimalExponent' : 'DecimalSI';
  if (digits.length > MAX_DECIMAL_DIGITS || scale < -NANO_SCALE)
    return bigQuantityText(billionths(number, scale), format);
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

/** Rounded away from zero. */
function billionths(number: bigint, scale: number): bigint {
  const exponent = scale + NANO_SCALE;
  if (exponent >= 0) return number * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  const rest = number % divisor;
  return number / divisor + (rest === 0n ? 0n : rest > 0n ? 1n : -1n);
}

/** Upstream's parser rounds such a number to billionths, and writes it with that many decimal places. */
function bigQuantityText(unscaled: bigint, format: string): string {
  const words: bigint[] = [];
  for (let rest = unscaled < 0n ? -unscaled : unscaled; rest > 0n; rest >>= WORD_BITS)
    words.push(BigInt.asUintN(Number(WORD_BITS), rest));
  const number = `{neg:(bool)${unscaled < 0n} abs:(big.nat)${words.length === 0 ? '<nil>' : `[${words.join(' ')}]`}}`;
  const decimal = `{unscaled:(big.Int)${number} scale:(inf.Scale)${NANO_SCALE}}`;
  return quantityText({ value: 0n, scale: 0, text: '', format, decimal });
}
