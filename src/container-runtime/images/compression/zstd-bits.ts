/** Bit readers of zstd (RFC 8878), which reads some streams forwards and others backwards. */

/** The data is not zstd, is damaged, or exceeds a limit. */
export class ZstdError extends Error {
  override readonly name = 'ZstdError';
  readonly code = 'invalid-zstd';
}

/** Reads from the last bit to the first: the end is marked by the highest bit set. */
export class BackwardBits {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Bits left; below zero when more was read than there is. */
  left: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    const last = bytes[end - 1] ?? 0;
    if (end <= start || last === 0) throw new ZstdError('a bit stream has no end');
    this.bytes = bytes;
    this.start = start;
    this.left = (end - start) * 8 - (Math.clz32(last) - 24) - 1;
  }

  /** The next `count` bits, at most 24; bits beyond the start read as zeros. */
  read(count: number): number {
    if (count === 0) return 0;
    const left = (this.left -= count);
    return left >= 0 ? this.#word(left) & ((1 << count) - 1) : this.#beyond(left, count);
  }

  /** The next `count` bits, without consuming them. */
  peek(count: number): number {
    const left = this.left - count;
    return left >= 0 ? this.#word(left) & ((1 << count) - 1) : this.#beyond(left, count);
  }

  /** Up to 31 bits. */
  readLong(count: number): number {
    if (count <= 24) return this.read(count);
    const high = this.read(count - 24);
    return high * 0x1000000 + this.read(24);
  }

  /** At least 24 bits from a position on. */
  #word(position: number): number {
    const { bytes } = this;
    const at = this.start + (position >> 3);
    // Bytes past the end are undefined, which counts as zero here.
    return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> (position & 7);
  }

  #beyond(position: number, count: number): number {
    const there = position + count;
    return there <= 0 ? 0 : ((this.#word(0) & ((1 << there) - 1)) << -position) & ((1 << count) - 1);
  }
}

/** Reads from the first bit to the last. */
export class ForwardBits {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #position: number;

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes;
    this.#position = start * 8;
    this.#end = end * 8;
  }

  read(count: number): number {
    if (this.#position + count > this.#end) throw new ZstdError('a table description is cut short');
    const at = this.#position >> 3;
    const word = (this.#bytes[at] ?? 0) | ((this.#bytes[at + 1] ?? 0) << 8) | ((this.#bytes[at + 2] ?? 0) << 16);
    const value = (word >>> (this.#position & 7)) & ((1 << count) - 1);
    this.#position += count;
    return value;
  }

  back(count: number): void {
    this.#position -= count;
  }

  /** The offset after the last byte read. */
  get byteEnd(): number {
    return (this.#position + 7) >> 3;
  }
}
