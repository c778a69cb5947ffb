const BITS_PER_KEY = 12;
const PROBES = 5;
const MIN_KEYS = 16_384;

/** The keys in the file, with false positives. */
export interface KeyFilter {
  /** Holds more keys than it was sized for: too many false positives. */
  readonly isFull: boolean;
  add(key: string): void;
  mayHave(key: string): boolean;
}

/** The plain counterpart: the file decides. */
export const everyKey: KeyFilter = { isFull: false, add: () => {}, mayHave: () => true };

/**
 * A Bloom filter. Most puts create a key, and finding out in the file that it does not exist means walking the tree to a cold
 * page. A few keys in a thousand are false positives; removed keys stay in the filter until it is rebuilt. Pays for the bench
 * rows `embedded: put 1 KB, 64 writers` and `POST Pod`.
 */
export class BloomFilter implements KeyFilter {
  readonly #words: Uint32Array;
  readonly #mask: number;
  readonly #capacity: number;
  #count = 0;

  /** Sized for twice as many keys. */
  constructor(keys: number) {
    this.#capacity = Math.max(MIN_KEYS, keys * 2);
    const bits = 2 ** Math.ceil(Math.log2(this.#capacity * BITS_PER_KEY));
    this.#words = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  get isFull(): boolean {
    return this.#count > this.#capacity;
  }

  add(key: string): void {
    this.#count++;
    let hash = hashOf(key);
    const step = stepOf(hash);
    for (let i = 0; i < PROBES; i++) {
      const bit = hash & this.#mask;
      this.#words[bit >>> 5]! |= 1 << (bit & 31);
      hash = (hash + step) >>> 0;
    }
  }

  mayHave(key: string): boolean {
    let hash = hashOf(key);
    const step = stepOf(hash);
    for (let i = 0; i < PROBES; i++) {
      const bit = hash & this.#mask;
      if ((this.#words[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
      hash = (hash + step) >>> 0;
    }
    return true;
  }
}

/** FNV-1a, with a finish that spreads the last characters over all bits. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return mix(hash);
}

function mix(hash: number): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Odd, so that the probes of a key fall on different bits. */
const stepOf = (hash: number): number => (mix(hash ^ 0x9e3779b9) | 1) >>> 0;
