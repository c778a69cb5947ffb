import { ParseError } from './parse-error.ts';
import { quote } from './quote.ts';

/** True for a text like `25%`. */
export const isPercent = (value: number | string): boolean => typeof value === 'string' && /^[0-9]+%$/.test(value);

/** The number, or the number that the text is; 0 for any other text. */
export function intOrStringValue(value: number | string): number {
  if (typeof value === 'number') return value;
  return /^[-+]?\d+$/.test(value) ? Number(value) : 0;
}

/** A number as it is, a percentage of the total rounded up or down. Throws a ParseError for any other text. */
export function getScaledValue(value: number | string | undefined, total: number, rounding: 'up' | 'down'): number {
  if (value === undefined) throw new ParseError('nil value for IntOrString');
  if (typeof value === 'number') return value;
  if (!value.endsWith('%'))
    throw new ParseError('invalid value for IntOrString: invalid type: string is not a percentage');
  const digits = value.slice(0, -1);
  if (!/^[-+]?\d+$/.test(digits)) {
    throw new ParseError(
      `invalid value for IntOrString: invalid value ${quote(value)}: strconv.Atoi: parsing ${quote(digits)}: invalid syntax`,
    );
  }
  const scaled = (Number(digits) * total) / 100;
  return rounding === 'up' ? Math.ceil(scaled) : Math.floor(scaled);
}
