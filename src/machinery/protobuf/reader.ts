/** Reads protobuf bytes. Every read checks the end of the message that it is in and throws a StatusError. */
import { badRequest, type StatusError } from '../errors/index.ts';
import { internedString } from './interned-string.ts';

export const VARINT = 0;
export const FIXED64 = 1;
export const LENGTH_DELIMITED = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

/** Limits the recursion of decoders; no real object nests as deeply. */
const MAX_DEPTH = 1000;

export const truncated = (): StatusError => badRequest('unexpected EOF');

export class Reader {
  position = 0;
  #depth = 0;

  constructor(readonly buffer: Buffer) {}

  /** A tag, length or boolean: the low 32 bits of a varint. */
  varint(end: number): number {
    const { buffer } = this;
    if (this.position < end) {
      const first = buffer[this.position]!;
      if (first < 0x80) {
        this.position++;
        return first;
      }
    }
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= end) throw truncated();
      const byte = buffer[this.position++]!;
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw badRequest('proto: integer overflow');
  }

  /** A signed integer of 64 bits; beyond 2^53 the nearest number. */
  int(end: number): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= end) throw truncated();
      const byte = this.buffer[this.position++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else if (shift < 63) high |= bits << (shift - 32);
      else high |= bits << 31;
      if (byte < 0x80) return high * 0x100000000 + (low >>> 0);
    }
    throw badRequest('proto: integer overflow');
  }

  double(end: number): number {
    if (end - this.position < 8) throw truncated();
    const value = this.buffer.readDoubleLE(this.position);
    this.position += 8;
    return value;
  }

  /** The end of the length-delimited value that starts here. */
  delimited(end: number): number {
    const length = this.varint(end);
    const valueEnd = this.position + length;
    if (valueEnd > end) throw truncated();
    return valueEnd;
  }

  string(end: number): string {
    const valueEnd = this.delimited(end);
    const value = internedString(this.buffer, this.position, valueEnd);
    this.position = valueEnd;
    return value;
  }

  bytes(end: number): Buffer {
    const valueEnd = this.delimited(end);
    const value = this.buffer.subarray(this.position, valueEnd);
    this.position = valueEnd;
    return value;
  }

  enter(): void {
    if (++this.#depth > MAX_DEPTH) throw badRequest(`proto: messages are nested deeper than ${MAX_DEPTH} levels`);
  }

  leave(): void {
    this.#depth--;
  }

  /** Skips the value of a field that the schema does not have. */
  skip(wireType: number, end: number): void {
    let groups = 0;
    for (let type = wireType; ; type = this.varint(end) & 7) {
      if (type === VARINT) this.varint(end);
      else if (type === FIXED64) this.position += 8;
      else if (type === LENGTH_DELIMITED) this.position = this.delimited(end);
      else if (type === START_GROUP) groups++;
      else if (type === END_GROUP && groups > 0) groups--;
      else if (type === END_GROUP) throw badRequest('proto: wiretype end group for non-group');
      else if (type === FIXED32) this.position += 4;
      else throw badRequest(`proto: illegal wireType ${type}`);
      if (this.position > end) throw truncated();
      if (groups === 0) return;
    }
  }
}
