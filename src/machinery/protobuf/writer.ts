/**
 * Writes protobuf from the end to the front, so the length of a value is known when it has to be written, and one
 * pass is enough: write the content, then `length(mark)`, then the tag.
 */
export class BackwardWriter {
  #buffer: Buffer;
  #position: number;

  constructor(capacity = 16 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(capacity);
    this.#position = capacity;
  }

  reset(): void {
    this.#position = this.#buffer.length;
  }

  /** The bytes written since the last reset, in a buffer of their own. */
  take(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#position));
  }

  /** The current position; `length` counts the bytes written after it. */
  mark(): number {
    return this.#buffer.length - this.#position;
  }

  /** Prefixes what was written since the mark with its length. */
  length(mark: number): void {
    this.varint(this.#buffer.length - this.#position - mark);
  }

  byte(value: number): void {
    if (this.#position === 0) this.#grow(1);
    this.#buffer[--this.#position] = value;
  }

  /** A tag or length: an unsigned integer below 2^32. */
  varint(value: number): void {
    if (value < 0x80) {
      this.byte(value);
      return;
    }
    let size = 2;
    for (let rest = value >>> 14; rest > 0; rest >>>= 7) size++;
    this.#reserve(size);
    let at = (this.#position -= size);
    for (; value >= 0x80; value >>>= 7) this.#buffer[at++] = (value & 0x7f) | 0x80;
    this.#buffer[at] = value;
  }

  /** A signed integer; negative ones take ten bytes, as two's complement of 64 bits. */
  int(value: number): void {
    if (value >= 0 && value < 0x80000000) {
      this.varint(value);
      return;
    }
    let low = (value % 0x100000000) >>> 0;
    let high = Math.floor(value / 0x100000000) >>> 0;
    const bytes: number[] = [];
    while (high !== 0 || low >= 0x80) {
      bytes.push((low & 0x7f) | 0x80);
      low = ((low >>> 7) | (high << 25)) >>> 0;
      high >>>= 7;
    }
    bytes.push(low);
    for (let i = bytes.length - 1; i >= 0; i--) this.byte(bytes[i]!);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#position -= 8;
    this.#buffer.writeDoubleLE(value, this.#position);
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#position -= value.length;
    this.#buffer.set(value, this.#position);
  }

  /** The text without its length. */
  text(value: string): void {
    const { length } = value;
    if (length <= 32) {
      this.#reserve(length);
      const buffer = this.#buffer;
      let at = this.#position;
      let i = length - 1;
      for (; i >= 0; i--) {
        const code = value.charCodeAt(i);
        if (code >= 0x80) break;
        buffer[--at] = code;
      }
      if (i < 0) {
        this.#position = at;
        return;
      }
    }
    const size = Buffer.byteLength(value);
    this.#reserve(size);
    this.#position -= size;
    this.#buffer.write(value, this.#position, size, 'utf8');
  }

  /** The text with its length. */
  string(value: string): void {
    const mark = this.mark();
    this.text(value);
    this.length(mark);
  }

  #reserve(size: number): void {
    if (this.#position < size) this.#grow(size);
  }

  #grow(size: number): void {
    const used = this.#buffer.length - this.#position;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, used + size));
    this.#buffer.copy(larger, larger.length - used, this.#position);
    this.#position = larger.length - used;
    this.#buffer = larger;
  }
}
