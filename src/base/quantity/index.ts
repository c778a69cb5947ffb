/**
 * Resource quantities: `500m`, `1.5Gi`, `12e6`. Exact decimal arithmetic, three notations, and the canonical text of
 * each. Quantities are immutable, and parsed ones are cached by their text, because a cluster uses few different
 * ones.
 */
export { canonicalQuantity, parseQuantity, QuantityError } from './parse-quantity.ts';
export { Quantity } from './quantity.ts';
