import { randomFillSync, randomUUID } from 'node:crypto';
import { checkBound, nameSuffixFrom, type Random } from './random.ts';

const POOL_SIZE = 4096;
const NUMBER_BYTES = 8;
/** Longer ones are worth a system call of their own. */
const POOLED_BYTES = 64;

/** The operating system's entropy, drawn in pages because a system call per number is slow. Fit for keys and tokens. */
export class SystemRandom implements Random {
  readonly #pool = Buffer.allocUnsafe(POOL_SIZE);
  #used = POOL_SIZE;

  next(): number {
    const at = this.#draw(NUMBER_BYTES);
    const high = this.#pool.readUInt32LE(at);
    const low = this.#pool.readUInt32LE(at + 4);
    return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  }

  integer(bound: number): number {
    checkBound(bound);
    return Math.floor(this.next() * bound);
  }

  bytes(length: number): Uint8Array {
    if (length > POOLED_BYTES) return randomFillSync(new Uint8Array(length));
    const at = this.#draw(length);
    return new Uint8Array(this.#pool.subarray(at, at + length));
  }

  uid(): string {
    return randomUUID();
  }

  nameSuffix(length?: number): string {
    return nameSuffixFrom(this, length);
  }

  fork(): SystemRandom {
    return this;
  }

  /** Where the next bytes are that nobody has had. */
  #draw(length: number): number {
    if (this.#used + length > POOL_SIZE) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const at = this.#used;
    this.#used += length;
    return at;
  }
}
