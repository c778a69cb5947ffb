import type { Head, Http2Stream } from '../../net/http2/index.ts';
import type { FrameReader } from '../wire/frames.ts';
import { grpcErrorOf } from '../wire/status.ts';

/** With this many unread messages, HTTP/2's flow control stops the client. */
const MAX_WAITING = 1000;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** With this much unsent, senders wait. */
const MAX_UNSENT_BYTES = 64 * 1024;

/** One streaming call: the client's messages as they arrive, and a way to send. */
export class StreamCall {
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  #finished = false;
  #failure: Error | undefined;
  #drained: Promise<void> | undefined;
  #wakeSender: (() => void) | undefined;
  readonly #onEnd = new AbortController();
  readonly #stream: Http2Stream;

  constructor(stream: Http2Stream, reader: FrameReader) {
    this.#stream = stream;
    stream.onClose(() => this.#stop(true));
    const data = (chunk: Buffer): void => {
      // After a malformed message or the end of the call nothing is read.
      if (this.#failure !== undefined || this.#finished) return;
      reader.push(chunk);
      try {
        for (let message = reader.next(); message !== undefined; message = reader.next()) {
          this.#waiting.push(message);
          this.#waitingBytes += message.length;
        }
      } catch (error) {
        this.#failure = grpcErrorOf(error);
      }
      if (this.#waiting.length >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES) stream.pause();
      this.#wake?.();
    };
    stream.readPieces({ data, end: () => this.#stop(false) });
  }

  /** Aborts when the client is gone. */
  get signal(): AbortSignal {
    return this.#onEnd.signal;
  }

  /** The client's messages until it stops sending. */
  async *messages(): AsyncIterable<Buffer> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) {
        this.#waitingBytes -= message.length;
        if (this.#waiting.length === 0) this.#stream.resume();
        yield message;
      } else if (this.#failure !== undefined) throw this.#failure;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  send(frame: Buffer): void {
    this.#stream.write(frame, this.#onTaken);
  }

  /** Resolves when the client has read enough for more frames; undefined when it already has. */
  ready(): Promise<void> | undefined {
    if (this.#stream.pendingBytes <= MAX_UNSENT_BYTES) return undefined;
    this.#drained ??= new Promise((resolve) => (this.#wakeSender = resolve));
    return this.#drained;
  }

  /** The trailers have the status of the call. */
  finish(trailers: Head): void {
    this.#finished = true;
    this.#stream.resume();
    this.#stream.endWithTrailers(trailers);
  }

  readonly #onTaken = (): void => {
    if (this.#drained === undefined || this.#stream.pendingBytes > MAX_UNSENT_BYTES) return;
    this.#drained = undefined;
    this.#wakeSender?.();
  };

  #stop(gone: boolean): void {
    this.#ended = true;
    this.#wake?.();
    if (gone) this.#onEnd.abort();
  }
}
