/** Numbers that may be given as a share of the whole: `3` or `25%`. */
import { type FieldError, invalidValue, type Path } from '../../errors/index.ts';
import { percent } from '../../names/index.ts';
import { validateNonnegative } from '../object-meta.ts';

export type IntOrString = number | string;

export function validatePositiveIntOrPercent(errors: FieldError[], value: IntOrString, at: Path): void {
  if (typeof value === 'number') validateNonnegative(errors, value, at);
  else for (const message of percent(value)) errors.push(invalidValue(at, value, message));
}

export function validateNotMoreThan100Percent(errors: FieldError[], value: IntOrString, at: Path): void {
  const share = percentOf(value);
  if (share !== undefined && share > 100) errors.push(invalidValue(at, value, 'must not be greater than 100%'));
}

/** The number in front of the percent sign, or the number itself; 0 for text that is neither. */
export const intOrPercentValue = (value: IntOrString): number =>
  percentOf(value) ?? (typeof value === 'number' ? value : /^[+-]?\d+$/.test(value) ? Number(value) : 0);

const percentOf = (value: IntOrString): number | undefined =>
  typeof value === 'string' && percent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
