/** Arithmetic on the ranges of costs and sizes that cost estimation works with. Values saturate at 2^64. */

/** A range of costs or of sizes. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const MAX = 2 ** 64;
export const cap = (value: number): number => Math.min(value, MAX);
export const exactly = (value: number): Range => ({ min: value, max: value });
export const ZERO = exactly(0);
export const ONE = exactly(1);
export const UNKNOWN: Range = { min: 0, max: MAX };
export const add = (...ranges: readonly Range[]): Range => ({
  min: cap(ranges.reduce((sum, { min }) => sum + min, 0)),
  max: cap(ranges.reduce((sum, { max }) => sum + max, 0)),
});
export const multiply = (a: Range, b: Range): Range => ({ min: cap(a.min * b.min), max: cap(a.max * b.max) });
export const scale = ({ min, max }: Range, factor: number): Range => ({
  min: cap(Math.ceil(min * factor)),
  max: cap(Math.ceil(max * factor)),
});
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });
