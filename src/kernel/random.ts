/** Randomness as a component sees it: seeded in tests and simulations, the system's entropy otherwise. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, bound). */
  integer(bound: number): number;
  bytes(length: number): Uint8Array;
  /** A version 4 UUID. */
  uid(): string;
  /** A suffix as generateName appends it: characters from the alphabet `bcdfghjklmnpqrstvwxz2456789`. */
  nameSuffix(length?: number): string;
  /**
   * A stream of its own for the part named `label`: what one component draws then never shifts what another one gets.
   */
  fork(label: string): Random;
}

/** No vowels and no look-alikes, so that suffixes neither spell words nor get misread. */
export const NAME_SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
export const NAME_SUFFIX_LENGTH = 5;

/** The suffix from any source of uniform integers; shared by the implementations. */
export function nameSuffixFrom(random: Pick<Random, 'integer'>, length = NAME_SUFFIX_LENGTH): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += NAME_SUFFIX_ALPHABET[random.integer(NAME_SUFFIX_ALPHABET.length)];
  return suffix;
}

/** Sixteen bytes as a version 4, variant 1 UUID. */
export function formatUid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.subarray(0, 16));
  hex[6] = (hex.readUInt8(6) & 0x0f) | 0x40;
  hex[8] = (hex.readUInt8(8) & 0x3f) | 0x80;
  const text = hex.toString('hex');
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20, 32)].join('-');
}

export function checkBound(bound: number): void {
  if (!Number.isSafeInteger(bound) || bound <= 0) {
    throw new RangeError(`a bound must be a positive safe integer, got ${bound}`);
  }
}
