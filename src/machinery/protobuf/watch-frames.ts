/**
 * Watch events of `application/vnd.kubernetes.protobuf;stream=watch`. A frame is a length of four bytes (big endian)
 * and a WatchEvent { type = 1, object = 2 { raw = 1 } } without envelope; `raw` is the object in its envelope.
 */
import { badRequest } from '../errors/index.ts';
import { readFields } from './decode-scalar.ts';
import { encodeWith } from './encode-message.ts';
import { LENGTH_DELIMITED, Reader } from './reader.ts';

export interface WatchFrame {
  readonly type: string;
  /** The object in its envelope. */
  readonly object: Buffer;
}

const LENGTH_BYTES = 4;
/** Larger than any object; a greater length is garbage. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

export function encodeWatchFrame(type: string, object: Uint8Array): Buffer {
  const frame = encodeWith((writer) => {
    const raw = writer.mark();
    writer.bytes(object);
    writer.length(raw);
    writer.byte(0x0a);
    writer.length(raw);
    writer.byte(0x12);
    writer.string(type);
    writer.byte(0x0a);
    for (let byte = 0; byte < LENGTH_BYTES; byte++) writer.byte(0);
  });
  frame.writeUInt32BE(frame.length - LENGTH_BYTES, 0);
  return frame;
}

/** Collects chunks of a stream and returns the complete events. */
export class WatchFrameParser {
  #pending: Buffer = Buffer.alloc(0);

  push(chunk: Uint8Array): WatchFrame[] {
    this.#pending = this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk]);
    const frames: WatchFrame[] = [];
    let at = 0;
    while (this.#pending.length - at >= LENGTH_BYTES) {
      const length = this.#pending.readUInt32BE(at);
      if (length > MAX_FRAME_BYTES) throw badRequest(`a watch event of ${length} bytes is too large`);
      if (this.#pending.length - at - LENGTH_BYTES < length) break;
      at += LENGTH_BYTES;
      frames.push(decodeWatchEvent(this.#pending.subarray(at, at + length)));
      at += length;
    }
    this.#pending = this.#pending.subarray(at);
    return frames;
  }

  /** Whether the stream ended within an event. */
  get isIncomplete(): boolean {
    return this.#pending.length > 0;
  }
}

/** A WatchEvent without the frame's length. */
export function decodeWatchEvent(bytes: Buffer): WatchFrame {
  const reader = new Reader(bytes);
  const end = bytes.length;
  let type = '';
  let object: Buffer = Buffer.alloc(0);
  while (reader.position < end) {
    const tag = reader.varint(end);
    if (tag === 0x0a) {
      type = reader.string(end);
    } else if (tag === 0x12) {
      readFields(reader, end, (number, wireType, valueEnd) => {
        if (number !== 1 || wireType !== LENGTH_DELIMITED) return false;
        object = reader.bytes(valueEnd);
        return true;
      });
    } else {
      reader.skip(tag & 7, end);
    }
  }
  return { type, object };
}
