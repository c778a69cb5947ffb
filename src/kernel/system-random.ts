import { randomFillSync, randomUUID } from 'node:crypto';
import { checkBound, nameSuffixFrom, type Random } from './random.ts';

const POOL_SIZE = 4096;
const NUMBER_BYTES = 8;

/** The operating system's entropy, drawn in pages because a system call per number is slow. Fit for keys and tokens. */
export class SystemRandom implements Random {
  readonly #pool = Buffer.allocUnsafe(POOL_SIZE);
  #used = POOL_SIZE;

  next(): number {
    if (this.#used + NUMBER_BYTES > POOL_SIZE) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const high = this.#pool.readUInt32LE(this.#used);
    const low = this.#pool.readUInt32LE(this.#used + 4);
    this.#used += NUMBER_BYTES;
    return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  }

  integer(bound: number): number {
    checkBound(bound);
    return Math.floor(this.next() * bound);
  }

  bytes(length: number): Uint8Array {
    return randomFillSync(new Uint8Array(length));
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
}
