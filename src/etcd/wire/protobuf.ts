/**
 * The part of the protobuf wire format that etcd's messages use. Revisions, versions and counts fit a double; ids do
 * not and are bigints. Keys are strings of one Latin-1 code unit per byte, as everywhere in the store.
 */
export class MalformedMessage extends Error {
  override name = 'MalformedMessage';
}

export const VARINT = 0;
const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** Transactions nest, but only an attack on the stack nests them this deeply. */
const MAX_NESTING = 300;

/** How many bytes a number takes that is not negative. */
export function varintBytes(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  if (value < 0x10000000) return 4;
  return 4 + varintBytes(Math.floor(value / 0x10000000));
}

export class WireReader {
  #depth = 0;

  constructor(
    readonly bytes: Buffer,
    public position = 0,
    public end = bytes.length,
  ) {}

  get done(): boolean {
    return this.position >= this.end;
  }

  /** A varint below 2^53, or a negative int64. */
  number(): number {
    const { bytes } = this;
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    let scale = 128;
    for (let i = 1; i < 10; i++) {
      if (this.position >= this.end) break;
      const byte = bytes[this.position++]!;
      if (i >= 8) {
        // More than 56 bits: exact arithmetic, which also finds the sign.
        this.position -= i + 1;
        return Number(this.int64());
      }
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new MalformedMessage('unexpected EOF');
  }

  /** The low 49 bits as a number and the rest: arithmetic on bigints costs an allocation each. */
  uint64(): bigint {
    let low = 0;
    let middle = 0;
    let high = 0;
    for (let i = 0; i < 10; i++) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (i < 4) low += bits << (7 * i);
      else if (i < 7) middle += bits << (7 * (i - 4));
      else high += bits << (7 * (i - 7));
      if (byte >= 0x80) continue;
      const small = BigInt(middle * 2 ** 28 + low);
      return high === 0 ? small : BigInt.asUintN(64, small | (BigInt(high) << 49n));
    }
    throw new MalformedMessage('proto: integer overflow');
  }

  int64(): bigint {
    return BigInt.asIntN(64, this.uint64());
  }

  /** A view of the length-delimited bytes; it shares the message's memory. */
  view(): Buffer {
    const start = this.#lengthPrefixed();
    return this.bytes.subarray(start, this.position);
  }

  latin1(): string {
    const start = this.#lengthPrefixed();
    return this.bytes.toString('latin1', start, this.position);
  }

  utf8(): string {
    const start = this.#lengthPrefixed();
    return this.bytes.toString('utf8', start, this.position);
  }

  /** Runs `read` confined to the length-delimited bytes. */
  nested<T>(read: (reader: WireReader) => T): T {
    if (++this.#depth > MAX_NESTING) throw new MalformedMessage('proto: message is nested too deeply');
    const start = this.#lengthPrefixed();
    const after = this.position;
    const outerEnd = this.end;
    this.position = start;
    this.end = after;
    const value = read(this);
    this.position = after;
    this.end = outerEnd;
    this.#depth--;
    return value;
  }

  skip(wireType: number): void {
    if (wireType === VARINT) this.uint64();
    else if (wireType === LENGTH_DELIMITED) this.#lengthPrefixed();
    else if (wireType === FIXED64 || wireType === FIXED32) this.#advance(wireType === FIXED64 ? 8 : 4);
    else throw new MalformedMessage(`proto: illegal wireType ${wireType}`);
  }

  #byte(): number {
    if (this.position >= this.end) throw new MalformedMessage('unexpected EOF');
    return this.bytes[this.position++]!;
  }

  #lengthPrefixed(): number {
    const length = this.number();
    if (length < 0) throw new MalformedMessage('proto: negative length found during unmarshaling');
    const start = this.position;
    this.#advance(length);
    return start;
  }

  #advance(length: number): void {
    if (this.position + length > this.end) throw new MalformedMessage('unexpected EOF');
    this.position += length;
  }
}

/** A call into Node costs more than the characters of a shorter text. */
const SHORT_TEXT = 48;

export class WireWriter {
  #bytes: Buffer;
  #position: number;

  /** `reserve` bytes are left free at the beginning, for a frame's header. */
  constructor(sizeHint = 256, reserve = 0) {
    this.#bytes = Buffer.allocUnsafe(sizeHint + reserve);
    this.#position = reserve;
  }

  finish(): Buffer {
    return this.#bytes.subarray(0, this.#position);
  }

  /** What has been written so far, and the reserved bytes. */
  get length(): number {
    return this.#position;
  }

  /** Writes from the beginning again, over what `finish` returned. */
  restart(): void {
    this.#position = 0;
  }

  /** A field of a number, or the length of one of bytes. */
  tagged(tag: number, value: number): void {
    this.number(tag);
    this.number(value);
  }

  number(value: number): void {
    this.#reserve(10);
    if (value < 0) return this.bigint(BigInt(value));
    const bytes = this.#bytes;
    let position = this.#position;
    let rest = value;
    // Beyond 31 bits the operators on integers do not work.
    while (rest > 0x7fffffff) {
      bytes[position++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 0x80) {
      bytes[position++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[position++] = rest;
    this.#position = position;
  }

  bigint(value: bigint): void {
    this.#reserve(10);
    // As two numbers: arithmetic on bigints costs an allocation each.
    let low = Number(BigInt.asUintN(49, value));
    const high = Number(BigInt.asUintN(64, value) >> 49n);
    if (high === 0) return this.number(low);
    for (let i = 0; i < 7; i++) {
      this.#bytes[this.#position++] = (low % 128) | 0x80;
      low = Math.floor(low / 128);
    }
    this.number(high);
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#position);
    this.#position += value.length;
  }

  lengthDelimited(value: Uint8Array): void {
    this.number(value.length);
    this.raw(value);
  }

  latin1(value: string): void {
    const { length } = value;
    this.number(length);
    this.#reserve(length);
    if (length > SHORT_TEXT) {
      this.#position += this.#bytes.write(value, this.#position, 'latin1');
      return;
    }
    const bytes = this.#bytes;
    let position = this.#position;
    for (let i = 0; i < length; i++) bytes[position++] = value.charCodeAt(i);
    this.#position = position;
  }

  utf8(value: string): void {
    this.lengthDelimited(Buffer.from(value));
  }

  /** A nested message: its length is written in front of it once it is known. */
  nested(write: () => void): void {
    this.#reserve(2);
    const start = this.#position;
    // Most nested messages are pairs, whose length takes two bytes.
    this.#position += 2;
    write();
    const length = this.#position - start - 2;
    const lengthBytes = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x200000 ? 3 : length < 0x10000000 ? 4 : 5;
    if (lengthBytes !== 2) {
      this.#reserve(3);
      this.#bytes.copyWithin(start + lengthBytes, start + 2, this.#position);
    }
    this.#position = start;
    this.number(length);
    this.#position = start + lengthBytes + length;
  }

  #reserve(count: number): void {
    if (this.#position + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#position + count));
    this.#bytes.copy(larger, 0, 0, this.#position);
    this.#bytes = larger;
  }
}
