/** Chance as a component sees it: seeded in tests and simulations, the system's entropy otherwise. */
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
}
