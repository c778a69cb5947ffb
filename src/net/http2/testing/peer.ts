/** A client that speaks frames, right ones and wrong ones, to a connection in memory. */
import { Duplex } from 'node:stream';
import { VirtualClock } from '../../../kernel/virtual-clock.ts';
import { Http2Connection, type Http2Options } from '../connection.ts';
import * as f from '../frames.ts';
import { HpackDecoder } from '../hpack-decoder.ts';
import type { Http2Stream } from '../stream.ts';
import { data, frame, reset, settings, uint32, windowUpdate } from './frames.ts';
import { blockOf } from './hpack.ts';

export { data, frame, reset, settings, uint32, windowUpdate };

/** Half of a pair: what is written to one is read from the other, and stays with its writer until it is. */
class PairedDuplex extends Duplex {
  other!: PairedDuplex;
  #taken: (() => void) | undefined;

  override _read(): void {
    const taken = this.other.#taken;
    this.other.#taken = undefined;
    taken?.();
  }

  override _write(chunk: Buffer, _encoding: string, taken: () => void): void {
    // The writer uses its buffers again.
    if (this.other.destroyed) return taken();
    this.#taken = taken;
    this.other.push(Buffer.from(chunk));
  }

  override _final(done: () => void): void {
    if (!this.other.destroyed) this.other.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.other.destroyed && !this.other.readableEnded) queueMicrotask(() => this.other.destroy());
    done(error);
  }
}

export function duplexPair(): [Duplex, Duplex] {
  const one = new PairedDuplex();
  const other = new PairedDuplex();
  one.other = other;
  other.other = one;
  return [one, other];
}

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export const GET: readonly (readonly [string, string])[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/'],
  [':authority', 'localhost'],
];
export const POST: typeof GET = [[':method', 'POST'], ...GET.slice(1)];

export const headers = (stream: number, fields: typeof GET, flags = f.END_HEADERS): Buffer =>
  frame(f.HEADERS, flags, stream, blockOf(fields));
export const get = (stream: number): Buffer => headers(stream, GET, f.END_HEADERS | f.END_STREAM);
export const post = (stream: number, ...more: typeof GET): Buffer => headers(stream, [...POST, ...more]);

export const OPTIONS = {
  maxHeaderBytes: 64 * 1024,
  maxHeaderPairs: 100,
  maxConcurrentStreams: 10,
  streamWindow: 256 * 1024,
  connectionWindow: 1024 * 1024,
  prefaceMs: 10_000,
  idleMs: 90_000,
};

export class RawPeer {
  readonly clock = new VirtualClock();
  readonly connection: Http2Connection;
  /** What the server has begun, by its number. */
  readonly streams = new Map<number, Http2Stream>();
  readonly frames: Frame[] = [];
  readonly socket: Duplex;
  /** The server's side. */
  readonly serverSocket: Duplex;
  ended = false;
  closed = 0;
  #rest: Buffer = Buffer.alloc(0);
  #received = 0;
  readonly #decoder = new HpackDecoder({ bytes: 1024 * 1024, pairs: 1000 });

  constructor({ begin, ...options }: Partial<Http2Options> & { readonly begin?: (stream: Http2Stream) => void } = {}) {
    [this.socket, this.serverSocket] = duplexPair();
    this.connection = new Http2Connection(
      this.serverSocket,
      { clock: this.clock, ...OPTIONS, ...options },
      {
        begin: (stream) => {
          this.streams.set(stream.id, stream);
          begin?.(stream);
        },
        closed: () => void this.closed++,
      },
    );
    this.socket.on('data', (piece: Buffer) => this.#receive(piece));
    this.socket.on('end', () => (this.ended = true));
    this.socket.on('error', () => {});
  }

  /** After the usual beginning. */
  static async greeted(
    options?: ConstructorParameters<typeof RawPeer>[0],
    ...own: readonly (readonly [name: number, value: number])[]
  ): Promise<RawPeer> {
    const peer = new RawPeer(options);
    await peer.send(f.PREFACE, settings(...own));
    return peer;
  }

  async send(...bytes: readonly Buffer[]): Promise<void> {
    this.socket.write(Buffer.concat(bytes));
    await this.settle();
  }

  /** Until nothing happens any more. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 4; quiet++) {
      const before = this.#received;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#received !== before) quiet = 0;
    }
  }

  of(stream: number, type?: number): Frame[] {
    return this.frames.filter((one) => one.stream === stream && (type === undefined || one.type === type));
  }

  body(stream: number): Buffer {
    return Buffer.concat(this.of(stream, f.DATA).map(({ payload }) => payload));
  }

  isComplete(stream: number): boolean {
    return this.of(stream).some(({ type, flags }) => (type === f.DATA || type === f.HEADERS) && flags & f.END_STREAM);
  }

  /** Of the stream's reset, or, of stream 0, of the farewell. */
  codeOf(stream: number): number | undefined {
    const [found] = this.of(stream, stream === 0 ? f.GOAWAY : f.RST_STREAM);
    return found?.payload.readUInt32BE(stream === 0 ? 4 : 0);
  }

  /** What the headers of an answer say; blocks have to be read in their order. */
  read({ payload }: Frame): string[] {
    return this.#decoder.decode(payload).fields;
  }

  #receive(piece: Buffer): void {
    this.#received += piece.length;
    let bytes = Buffer.concat([this.#rest, piece]);
    while (bytes.length >= f.FRAME_HEADER_BYTES) {
      const end = f.FRAME_HEADER_BYTES + bytes.readUIntBE(0, 3);
      if (bytes.length < end) break;
      this.frames.push({
        type: bytes[3]!,
        flags: bytes[4]!,
        stream: bytes.readUInt32BE(5),
        payload: bytes.subarray(f.FRAME_HEADER_BYTES, end),
      });
      bytes = bytes.subarray(end);
    }
    this.#rest = bytes;
  }
}
