/**
 * Reads and writes SPDY/3.1 frames. A control frame has its first bit set:
 *
 *   1 | version (15 bits) | type (16) | flags (8) | length (24) | content
 *   0 | stream id (31 bits)           | flags (8) | length (24) | data
 */
export const CONTROL_TYPES = {
  SYN_STREAM: 1,
  SYN_REPLY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PING: 6,
  GOAWAY: 7,
  HEADERS: 8,
  WINDOW_UPDATE: 9,
} as const;
export const FLAG_FIN = 1;
const HEAD_BYTES = 8;
const VERSION = 3;

export type Frame =
  | { readonly control: true; readonly type: number; readonly flags: number; readonly content: Buffer }
  | { readonly control: false; readonly streamId: number; readonly flags: number; readonly content: Buffer };

/** Splits a byte stream into frames. */
export class FrameReader {
  #pending: Buffer[] = [];
  #size = 0;

  /** Adds bytes and returns the frames that are now complete. */
  push(bytes: Buffer): Frame[] {
    this.#pending.push(bytes);
    this.#size += bytes.length;
    const frames: Frame[] = [];
    for (let frame = this.#take(); frame !== undefined; frame = this.#take()) frames.push(frame);
    return frames;
  }

  #take(): Frame | undefined {
    if (this.#size < HEAD_BYTES) return undefined;
    let all = this.#pending[0]!;
    if (all.length < HEAD_BYTES) all = this.#joined();
    const length = all.readUIntBE(5, 3);
    if (this.#size < HEAD_BYTES + length) return undefined;
    all = this.#joined();
    const flags = all[4]!;
    const content = all.subarray(HEAD_BYTES, HEAD_BYTES + length);
    const rest = all.subarray(HEAD_BYTES + length);
    this.#pending = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
    const first = all.readUInt32BE(0);
    if (first >>> 31 === 0) return { control: false, streamId: first, flags, content };
    const version = (first >>> 16) & 0x7fff;
    if (version !== VERSION) throw new Error(`SPDY version ${version} is not supported`);
    return { control: true, type: first & 0xffff, flags, content };
  }

  #joined(): Buffer {
    const all = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
    this.#pending = [all];
    return all;
  }
}

function head(first: number, flags: number, length: number): Buffer {
  const bytes = Buffer.alloc(HEAD_BYTES);
  bytes.writeUInt32BE(first >>> 0, 0);
  bytes[4] = flags;
  bytes.writeUIntBE(length, 5, 3);
  return bytes;
}

export function controlFrame(type: number, content: Buffer, flags = 0): Buffer {
  return Buffer.concat([head((1 << 31) | (VERSION << 16) | type, flags, content.length), content]);
}

export function dataFrame(streamId: number, data: Buffer, flags = 0): Buffer {
  return Buffer.concat([head(streamId, flags, data.length), data]);
}

export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, index * 4));
  return bytes;
}
