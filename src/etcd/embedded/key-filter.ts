/**
 * Which keys are certainly not in the file. Most writes make keys that never existed, and finding that out in the file
 * means walking its tree to a page that nobody has read lately. A Bloom filter: every key that is there is known, a few
 * in a thousand that are not seem to be. Keys that are removed stay known until the filter is made anew.
 */
const BITS_PER_KEY = 12;
const PROBES = 5;
const LEAST_KEYS = 16_384;

export class KeyFilter {
  readonly #words: Uint32Array;
  readonly #mask: number;
  readonly #capacity: number;
  #count = 0;

  /** For so many keys, and as many again. */
  constructor(keys: number) {
    this.#capacity = Math.max(LEAST_KEYS, keys * 2);
    const bits = 2 ** Math.ceil(Math.log2(this.#capacity * BITS_PER_KEY));
    this.#words = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  /** It holds more keys than it was made for, and lets too many others pass. */
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
