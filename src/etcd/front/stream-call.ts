import type { ServerHttp2Stream } from 'node:http2';
import { grpcErrorOf } from '../wire/status.ts';
import type { FrameReader } from './frames.ts';

/** With this many unread messages, HTTP/2's flow control stops the client. */
const MAX_WAITING = 1000;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** One streaming call: the client's messages as they arrive, and a way to send. */
export class StreamCall {
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  #finished = false;
  #failure: Error | undefined;
  #outbox: Buffer[] = [];
  #drained: Promise<void> | undefined;
  readonly #onEnd = new AbortController();
  readonly #stream: ServerHttp2Stream;

  constructor(stream: ServerHttp2Stream, reader: FrameReader) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => {
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
    });
    stream.on('end', () => this.#stop(false));
    stream.on('close', () => this.#stop(true));
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

  /** Sends a frame. Frames of one turn of the event loop leave in one write. */
  send(frame: Buffer): void {
    this.#outbox.push(frame);
    if (this.#outbox.length === 1) queueMicrotask(() => this.#flush());
  }

  /** Resolves when the client has read enough for more frames; undefined when it already has. */
  ready(): Promise<void> | undefined {
    return this.#drained;
  }

  finish(): void {
    this.#finished = true;
    this.#stream.resume();
    this.#flush();
    if (!this.#stream.destroyed) this.#stream.end();
  }

  #flush(): void {
    const frames = this.#outbox;
    if (frames.length === 0) return;
    this.#outbox = [];
    if (this.#stream.destroyed || this.#stream.closed) return;
    const more = this.#stream.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames));
    if (more || this.#drained !== undefined) return;
    this.#drained = new Promise((resolve) => {
      const done = (): void => {
        this.#drained = undefined;
        this.#stream.off('drain', done);
        this.#stream.off('close', done);
        resolve();
      };
      this.#stream.once('drain', done);
      this.#stream.once('close', done);
    });
  }

  #stop(gone: boolean): void {
    this.#ended = true;
    this.#wake?.();
    if (gone) this.#onEnd.abort();
  }
}
