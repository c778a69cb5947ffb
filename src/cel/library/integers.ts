/** 64-bit integers that refuse to overflow. */
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

/** A double as an integer; what has no place there is a range error. */
export function truncated(value: number): bigint {
  if (!Number.isFinite(value)) throw new CelError('integer overflow');
  return BigInt(Math.trunc(value));
}
