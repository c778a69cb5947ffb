import { checkBound, formatUid, nameSuffixFrom, type Random } from './random.ts';

/** The same seed gives the same sequence on every machine (xoshiro128**). Never for keys or tokens. */
export class SeededRandom implements Random {
  readonly seed: string;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number | string) {
    this.seed = String(seed);
    const mix = splitMix(hash(this.seed));
    this.#a = mix();
    this.#b = mix();
    this.#c = mix();
    this.#d = mix() | 1;
  }

  next(): number {
    return (this.#word() * 2 ** 21 + (this.#word() >>> 11)) / 2 ** 53;
  }

  integer(bound: number): number {
    checkBound(bound);
    return Math.floor(this.next() * bound);
  }

  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i += 4) {
      const word = this.#word();
      for (let j = 0; j < 4 && i + j < length; j++) bytes[i + j] = (word >>> (8 * j)) & 0xff;
    }
    return bytes;
  }

  uid(): string {
    return formatUid(this.bytes(16));
  }

  nameSuffix(length?: number): string {
    return nameSuffixFrom(this, length);
  }

  fork(label: string): SeededRandom {
    return new SeededRandom(`${this.seed}/${label}`);
  }

  #word(): number {
    const result = Math.imul(rotateLeft(Math.imul(this.#b, 5), 7), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = rotateLeft(this.#d, 11);
    return result;
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** FNV-1a over the code units of the seed. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return state >>> 0;
}

/** Spreads one word over the whole state, so that similar seeds do not give similar sequences. */
function splitMix(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let word = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    return (word ^ (word >>> 15)) >>> 0;
  };
}
