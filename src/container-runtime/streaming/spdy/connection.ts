/** The server side of a SPDY/3.1 connection. The client opens streams; each is a Duplex here. */
import { Duplex } from 'node:stream';
import { controlFrame, CONTROL_TYPES, dataFrame, FLAG_FIN, FrameReader, numbers, type Frame } from './frames.ts';
import { HeaderDecoder, HeaderEncoder, type Headers } from './header-block.ts';

/** Reset codes of RST_STREAM. */
const CANCEL = 5;
const REFUSED_STREAM = 3;
const MAX_STREAMS = 1000;

export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: Headers;
  readonly #connection: SpdyConnection;

  constructor(connection: SpdyConnection, id: number, headers: Headers) {
    super({ allowHalfOpen: true, emitClose: true });
    this.#connection = connection;
    this.id = id;
    this.headers = headers;
  }

  override _read(): void {
    this.#connection.resumeReading();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#connection.send(dataFrame(this.id, chunk), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#connection.send(dataFrame(this.id, Buffer.alloc(0), FLAG_FIN), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#connection.removeStream(this, { reset: !this.writableFinished });
    done(error);
  }
}

interface SpdyConnectionOptions {
  /** Called for every stream that the client opens, after SYN_REPLY. */
  readonly onStream: (stream: SpdyStream) => void;
}

export class SpdyConnection {
  readonly #socket: Duplex;
  readonly #options: SpdyConnectionOptions;
  readonly #reader = new FrameReader();
  readonly #decoder = new HeaderDecoder();
  readonly #encoder = new HeaderEncoder();
  readonly #streams = new Map<number, SpdyStream>();
  readonly #ended = new AbortController();
  #lastStream = 0;
  #waiting = false;
  #corked = false;
  /** Serializes the handling of frames, because decoding headers is asynchronous. */
  #work: Promise<void> = Promise.resolve();

  constructor(socket: Duplex, head: Buffer, options: SpdyConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('error', () => this.#end());
    socket.on('close', () => this.#end());
    // A client that ends its side closes the connection.
    socket.on('end', () => {
      this.#work = this.#work.then(() => this.#end());
    });
    if (head.length > 0) this.#receive(head);
  }

  /** Aborts when the connection is over. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Sends GOAWAY and closes the connection after all data has been sent. */
  async close(): Promise<void> {
    if (this.ended.aborted) return;
    this.send(controlFrame(CONTROL_TYPES.GOAWAY, numbers(this.#lastStream, 0)), () => {});
    await new Promise<void>((resolve) => {
      this.#socket.once('close', () => resolve());
      if (this.#socket.destroyed) resolve();
      else this.#socket.end(() => resolve());
    });
    this.#end();
  }

  send(frame: Buffer, done: (error?: Error | null) => void): void {
    if (this.ended.aborted || !this.#socket.writable) return done(new Error('the connection is closed'));
    if (!this.#corked) {
      // Batches all frames of one tick into one write, e.g. the answers to thousands of PINGs.
      this.#corked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.#socket.uncork();
      });
    }
    if (!this.#socket.write(frame, done)) this.#waitForReader();
  }

  resumeReading(): void {
    if (!this.#socket.writableNeedDrain) this.#socket.resume();
  }

  /** Stops reading from a client that does not read the answers. */
  #waitForReader(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    this.#socket.pause();
    this.#socket.once('drain', () => {
      this.#waiting = false;
      this.#socket.resume();
    });
  }

  removeStream(stream: SpdyStream, { reset }: { reset: boolean }): void {
    if (!this.#streams.delete(stream.id)) return;
    if (reset && !this.ended.aborted)
      this.send(controlFrame(CONTROL_TYPES.RST_STREAM, numbers(stream.id, CANCEL)), () => {});
  }

  #receive(bytes: Buffer): void {
    let frames: Frame[];
    try {
      frames = this.#reader.push(bytes);
    } catch {
      this.#socket.destroy();
      return;
    }
    for (const frame of frames) {
      this.#work = this.#work.then(async () => {
        if (this.#socket.destroyed) return;
        try {
          await this.#handle(frame);
        } catch {
          this.#socket.destroy();
        }
      });
    }
  }

  async #handle(frame: Frame): Promise<void> {
    if (!frame.control) {
      this.#data(frame.streamId, frame.content, frame.flags);
      return;
    }
    const { type, content, flags } = frame;
    switch (type) {
      case CONTROL_TYPES.SYN_STREAM:
        await this.#opened(content, flags);
        break;
      case CONTROL_TYPES.HEADERS:
        // The headers are not used, but the decoder's state depends on every block.
        await this.#decoder.decode(content.subarray(4));
        break;
      case CONTROL_TYPES.SYN_REPLY:
        await this.#decoder.decode(content.subarray(4));
        break;
      case CONTROL_TYPES.RST_STREAM:
        this.#reset(content.readUInt32BE(0) & 0x7fff_ffff);
        break;
      case CONTROL_TYPES.PING:
        // Odd ids are the client's PINGs, which are echoed.
        if (content.readUInt32BE(0) % 2 === 1) this.send(controlFrame(CONTROL_TYPES.PING, content), () => {});
        break;
      default:
        // SETTINGS and WINDOW_UPDATE are ignored: neither side uses flow control. After GOAWAY the client closes.
        break;
    }
  }

  async #opened(content: Buffer, flags: number): Promise<void> {
    const id = content.readUInt32BE(0) & 0x7fff_ffff;
    const headers = await this.#decoder.decode(content.subarray(10));
    if (this.ended.aborted) return;
    if (this.#streams.size >= MAX_STREAMS || this.#streams.has(id)) {
      this.send(controlFrame(CONTROL_TYPES.RST_STREAM, numbers(id, REFUSED_STREAM)), () => {});
      return;
    }
    this.#lastStream = Math.max(this.#lastStream, id);
    const stream = new SpdyStream(this, id, headers);
    stream.on('error', () => {});
    this.#streams.set(id, stream);
    this.send(controlFrame(CONTROL_TYPES.SYN_REPLY, Buffer.concat([numbers(id), this.#encoder.encode({})])), () => {});
    if (flags & FLAG_FIN) stream.push(null);
    this.#options.onStream(stream);
  }

  #data(id: number, content: Buffer, flags: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (content.length > 0 && !stream.push(content)) this.#socket.pause();
    if (flags & FLAG_FIN) stream.push(null);
  }

  #reset(id: number): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.destroy();
  }

  #end(): void {
    if (this.ended.aborted) return;
    this.#ended.abort();
    this.#decoder.close();
    for (const stream of this.#streams.values()) stream.destroy();
    this.#streams.clear();
    this.#socket.destroy();
  }
}
