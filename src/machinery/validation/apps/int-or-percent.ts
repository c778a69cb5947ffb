/** Validates IntOrString fields that are a number or a percentage: `3` or `25%`. */
import { type FieldError, invalidValue, type Path } from '../../errors/index.ts';
import { percent } from '../../names/index.ts';
import { validateNonnegative } from '../object-meta.ts';

type IntOrString = number | string;

export function validatePositiveIntOrPercent(errors: FieldError[], value: IntOrString, at: Path): void {
  if (typeof value === 'number') validateNonnegative(errors, value, at);
  else for (const message of percent(value)) errors.push(invalidValue(at, value, message));
}

export function validateNotMoreThan100Percent(errors: FieldError[], value: IntOrString, at: Path): void {
  const share = percentOf(value);
  if (share !== undefined && share > 100) errors.push(invalidValue(at, value, 'must not be greater than 100%'));
}

/** The number, or the number before the percent sign; 0 for other text. */
export const intOrPercentValue = (value: IntOrString): number =>
  percentOf(value) ?? (typeof value === 'number' ? value : /^[+-]?\d+$/.test(value) ? Number(value) : 0);

const percentOf = (value: IntOrString): number | undefined =>
  typeof value === 'string' && percent(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
