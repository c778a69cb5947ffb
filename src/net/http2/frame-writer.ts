/**
 * Writes frames. Frames of one turn of the event loop leave in one write: a write per frame would be one TLS record and
 * one call into OpenSSL per frame.
 */
import type { Duplex } from 'node:stream';
import {
  DATA,
  END_HEADERS,
  FRAME_HEADER_BYTES,
  HEADERS,
  CONTINUATION,
  MIN_MAX_FRAME_BYTES,
  WINDOW_UPDATE,
} from './frames.ts';
import { HpackEncoder, ownBytes, writeOwn, type Head } from './hpack-encoder.ts';

const BUFFER_BYTES = 64 * 1024;
/** Shorter writes are copied, so that the buffer is free again at once. */
const SMALL_BYTES = 4 * 1024;
const MAX_FREE_BUFFERS = 64;
/** With more than this unsent, streams wait. */
const CONGESTED_BYTES = 256 * 1024;

const free: Buffer[] = [];

export class FrameWriter {
  readonly encoder = new HpackEncoder();
  #buffer: Buffer | undefined;
  #length = 0;
  #waiting = false;
  readonly #socket: Duplex;

  constructor(socket: Duplex) {
    this.#socket = socket;
  }

  /** Whether DATA frames have to wait until the socket has drained. */
  get congested(): boolean {
    return this.#socket.writableLength > CONGESTED_BYTES;
  }

  /** A frame other than HEADERS and DATA. */
  control(type: number, flags: number, stream: number, payload: Uint8Array): void {
    const buffer = this.#reserve(FRAME_HEADER_BYTES + payload.length);
    const at = this.#frameHeader(buffer, type, flags, stream, payload.length);
    buffer.set(payload, at);
    this.#length += FRAME_HEADER_BYTES + payload.length;
  }

  windowUpdate(stream: number, bytes: number): void {
    const payload = Buffer.allocUnsafe(4);
    payload.writeUInt32BE(bytes);
    this.control(WINDOW_UPDATE, 0, stream, payload);
  }

  data(stream: number, flags: number, bytes: Uint8Array, from: number, to: number): void {
    const buffer = this.#reserve(FRAME_HEADER_BYTES + to - from);
    const at = this.#frameHeader(buffer, DATA, flags, stream, to - from);
    buffer.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), at);
    this.#length += FRAME_HEADER_BYTES + to - from;
  }

  headers(stream: number, flags: number, common: Head, own: Head): void {
    const block = this.encoder.common(common);
    const maxBytes = block.length + ownBytes(own);
    if (maxBytes > MIN_MAX_FRAME_BYTES) return this.#longHeaders(stream, flags, block, own);
    const buffer = this.#reserve(FRAME_HEADER_BYTES + maxBytes);
    const begin = this.#length + FRAME_HEADER_BYTES;
    const end = writeOwn(own, buffer, begin + block.copy(buffer, begin));
    this.#frameHeader(buffer, HEADERS, flags | END_HEADERS, stream, end - begin);
    this.#length = end;
  }

  #longHeaders(stream: number, flags: number, common: Buffer, own: Head): void {
    const whole = Buffer.allocUnsafe(common.length + ownBytes(own));
    const length = writeOwn(own, whole, common.copy(whole));
    for (let at = 0; at < length; at += MIN_MAX_FRAME_BYTES) {
      const to = Math.min(length, at + MIN_MAX_FRAME_BYTES);
      this.control(
        at === 0 ? HEADERS : CONTINUATION,
        (at === 0 ? flags : 0) | (to === length ? END_HEADERS : 0),
        stream,
        whole.subarray(at, to),
      );
    }
  }

  /** Returns the offset of the payload. */
  #frameHeader(buffer: Buffer, type: number, flags: number, stream: number, length: number): number {
    const at = this.#length;
    buffer[at] = length >>> 16;
    buffer[at + 1] = length >>> 8;
    buffer[at + 2] = length;
    buffer[at + 3] = type;
    buffer[at + 4] = flags;
    buffer[at + 5] = stream >>> 24;
    buffer[at + 6] = stream >>> 16;
    buffer[at + 7] = stream >>> 8;
    buffer[at + 8] = stream;
    return at + FRAME_HEADER_BYTES;
  }

  #reserve(bytes: number): Buffer {
    if (this.#buffer && this.#length + bytes > this.#buffer.length) this.flush();
    if (!this.#waiting) {
      this.#waiting = true;
      queueMicrotask(() => this.flush());
    }
    this.#buffer ??=
      bytes > BUFFER_BYTES ? Buffer.allocUnsafeSlow(bytes) : (free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES));
    return this.#buffer;
  }

  flush(): void {
    this.#waiting = false;
    const buffer = this.#buffer;
    if (!buffer) return;
    const length = this.#length;
    this.#buffer = undefined;
    this.#length = 0;
    if (this.#socket.destroyed || this.#socket.writableEnded) return giveBack(buffer);
    if (length <= SMALL_BYTES) {
      this.#socket.write(Buffer.from(buffer.subarray(0, length)));
      giveBack(buffer);
      return;
    }
    this.#socket.write(buffer.subarray(0, length), (error) => {
      // After a failed write the socket's native side may still read the buffer.
      if (!error) giveBack(buffer);
    });
  }
}

function giveBack(buffer: Buffer): void {
  if (free.length < MAX_FREE_BUFFERS && buffer.length === BUFFER_BYTES) free.push(buffer);
}
