/** Powers of ten, and rounding away from zero, the only rounding of quantities. */
const POWERS: bigint[] = [1n];

export function powerOfTen(exponent: number): bigint {
  if (exponent > 64) return 10n ** BigInt(exponent);
  for (let i = POWERS.length; i <= exponent; i++) POWERS.push(POWERS[i - 1]! * 10n);
  return POWERS[exponent]!;
}

/** n / 10^exponent, rounded away from zero. */
export function divideAwayFromZero(n: bigint, exponent: number): bigint {
  if (n === 0n) return 0n;
  const one = n < 0n ? -1n : 1n;
  // A number with fewer digits than the divisor has zeros is less than one: no need to write the divisor out.
  if (exponent > 64 && exponent > n.toString().length) return one;
  const divisor = powerOfTen(exponent);
  return n % divisor === 0n ? n / divisor : n / divisor + one;
}
