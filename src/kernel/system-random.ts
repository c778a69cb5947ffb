import { randomFillSync } from 'node:crypto';
import { checkBound, nameSuffixFrom, type Random } from './random.ts';

const POOL_SIZE = 4096;
const NUMBER_BYTES = 8;
/** Longer requests get a system call of their own. */
const POOLED_BYTES = 64;

const UID_BYTES = 16;
const UID_LENGTH = 36;
const HEX = Buffer.from('0123456789abcdef');
const DASH = 0x2d;
const uidText = Buffer.alloc(UID_LENGTH);

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

  /** Not crypto.randomUUID, whose result is a rope of twenty strings that retains 640 bytes. */
  uid(): string {
    const at = this.#draw(UID_BYTES);
    const pool = this.#pool;
    pool[at + 6] = (pool[at + 6]! & 0x0f) | 0x40;
    pool[at + 8] = (pool[at + 8]! & 0x3f) | 0x80;
    let to = 0;
    for (let i = 0; i < UID_BYTES; i++) {
      if (i === 4 || i === 6 || i === 8 || i === 10) uidText[to++] = DASH;
      uidText[to++] = HEX[pool[at + i]! >> 4]!;
      uidText[to++] = HEX[pool[at + i]! & 0x0f]!;
    }
    return uidText.toString('latin1');
  }

  nameSuffix(length?: number): string {
    return nameSuffixFrom(this, length);
  }

  fork(): SystemRandom {
    return this;
  }

  /** The offset of the next unused bytes. */
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
