/** Checks of quantities in canonical text; common cases need no arithmetic. */
import { parseQuantity, Quantity, QuantityError } from '../../base/index.ts';

const ZERO = Quantity.zero();

/** An absent quantity is zero. */
export const quantityOf = (text: string | undefined): Quantity => (text === undefined ? ZERO : parseQuantity(text));

/** For a text that may not be a quantity, such as a part of a resource's name. */
export function quantityOrUndefined(text: string): Quantity | undefined {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

export const compareQuantities = (a: string | undefined, b: string | undefined): -1 | 0 | 1 =>
  a === b ? 0 : quantityOf(a).cmp(quantityOf(b));

export const isNegativeQuantity = (text: string): boolean => text.charCodeAt(0) === 0x2d && quantityOf(text).sign() < 0;

export const isPositiveQuantity = (text: string): boolean => quantityOf(text).sign() > 0;

/** Whether it is an integer after rounding up to thousandths. */
export const isWholeQuantity = (text: string): boolean =>
  /^-?\d+$/.test(text) || quantityOf(text).scaledValue(-3) % 1000n === 0n;
