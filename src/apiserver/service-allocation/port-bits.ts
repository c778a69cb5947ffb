/**
 * The allocated ports of a range, a bit for each, as a RangeAllocation stores them: a big-endian number without leading
 * zeros, whose lowest bit is the first port.
 */
import type { PortRange } from './port-range.ts';

export class PortBits {
  readonly #range: PortRange;
  /** The lowest byte first. */
  readonly #bytes: Uint8Array;

  constructor(range: PortRange) {
    this.#range = range;
    this.#bytes = new Uint8Array(Math.ceil(range.size / 8));
  }

  static decode(range: PortRange, base64: string): PortBits {
    const bits = new PortBits(range);
    const number = Buffer.from(base64, 'base64').reverse();
    bits.#bytes.set(number.subarray(0, bits.#bytes.length));
    return bits;
  }

  encode(): string {
    const number = Buffer.from(this.#bytes).reverse();
    const start = number.findIndex((byte) => byte !== 0);
    return start < 0 ? '' : number.subarray(start).toString('base64');
  }

  get count(): number {
    let count = 0;
    for (let byte of this.#bytes) for (; byte !== 0; byte &= byte - 1) count++;
    return count;
  }

  has(port: number): boolean {
    const offset = port - this.#range.first;
    return ((this.#bytes[offset >> 3] ?? 0) & (1 << (offset & 7))) !== 0;
  }

  add(port: number): void {
    const offset = port - this.#range.first;
    this.#bytes[offset >> 3]! |= 1 << (offset & 7);
  }

  remove(port: number): void {
    const offset = port - this.#range.first;
    this.#bytes[offset >> 3]! &= ~(1 << (offset & 7));
  }

  *[Symbol.iterator](): Generator<number> {
    for (let offset = 0; offset < this.#range.size; offset++) {
      if (this.has(this.#range.first + offset)) yield this.#range.first + offset;
    }
  }
}
