/**
 * Resource quantities: `500m`, `1.5Gi`, `12e6`. Exact decimal arithmetic, the three notations and the canonical text of
 * each. Parsed quantities are immutable and remembered by their text, since a cluster uses few different ones.
 */
export { Quantity, type QuantityFormat } from './quantity.ts';
export { canonicalQuantity, parseQuantity, QuantityError } from './parse-quantity.ts';
