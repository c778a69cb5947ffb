/** 64-bit integers with overflow checks. */
import { CelError, Uint } from '../values.ts';

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;
const UINT_MAX = 2n ** 64n - 1n;

export function int(value: bigint): bigint {
  if (value < INT_MIN || value > INT_MAX) throw new CelError('integer overflow');
  return value;
}

export function uint(value: bigint): Uint {
  if (value < 0n || value > UINT_MAX) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

/** A double truncated to an integer; NaN and infinities overflow. */
export function truncated(value: number): bigint {
  if (!Number.isFinite(value)) throw new CelError('integer overflow');
  return BigInt(Math.trunc(value));
}
