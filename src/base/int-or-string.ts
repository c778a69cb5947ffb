/** IntOrString values: numbers and percentages. */
import { ParseError } from './parse-error.ts';
import { quote } from './quote.ts';

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
