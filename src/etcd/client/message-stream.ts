/** Requests and responses in any order over one call: watches, keepalives of leases, snapshots. */
import { HTTP2_ERROR, type ClientStream } from '../../net/http2/index.ts';
import { GrpcCode, GrpcError } from '../wire/status.ts';
import { CallError, statusOf } from './call-error.ts';
import type { Channel } from './channel.ts';
import { ownBytes } from './own-bytes.ts';
import { frameOf, messageReader, type Call } from './unary.ts';

/** With this much unread, the server is held back. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

interface Received<R> {
  readonly message: R;
  readonly bytes: number;
}

export class MessageStream<Q extends object, R extends object> implements AsyncIterable<R> {
  readonly #call: Call<Q, R>;
  readonly #onError: (error: CallError) => void;
  readonly #received: Received<R>[] = [];
  #unreadBytes = 0;
  #stream: ClientStream | undefined;
  /** Written before the connection was there. */
  readonly #early: Buffer[] = [];
  /** How the call ended. */
  #end: { readonly error: Error | undefined } | undefined;
  #wake: (() => void) | undefined;

  /** `onError` is told at once, before a reader gets to the error behind the messages. */
  constructor(channel: Channel, call: Call<Q, R>, onError: (error: CallError) => void = () => {}) {
    this.#call = call;
    this.#onError = onError;
    channel.open(
      (stream) => this.#open(stream, channel),
      (error) => this.#ended(error),
    );
  }

  write(request: Partial<Q>): void {
    if (this.#end) return;
    const bytes = frameOf(this.#call.request, request);
    if (this.#stream) this.#stream.write(bytes);
    else this.#early.push(bytes);
  }

  cancel(): void {
    this.#ended(new CallError(GrpcCode.CANCELLED, 'the call was cancelled'), false);
    this.#stream?.reset(HTTP2_ERROR.cancel);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<R> {
    for (;;) {
      const next = this.#received.shift();
      if (next) {
        this.#unreadBytes -= next.bytes;
        if (this.#unreadBytes <= MAX_UNREAD_BYTES) this.#stream?.resume();
        yield next.message;
      } else if (this.#end) {
        if (this.#end.error) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    }
  }

  #open(stream: ClientStream, channel: Channel): void {
    if (this.#end) return stream.reset(HTTP2_ERROR.cancel);
    this.#stream = stream;
    const reader = messageReader();
    stream.onClose(() => this.#ended(statusOf(stream)));
    stream.readPieces({
      data: (bytes) => {
        reader.push(bytes);
        try {
          for (let message = reader.next(); message; message = reader.next()) this.#receive(ownBytes(message));
        } catch (error) {
          this.#ended(error instanceof GrpcError ? new CallError(error.code, error.message) : (error as Error));
          stream.reset(HTTP2_ERROR.cancel);
        }
      },
      end: () => {
        this.#ended(statusOf(stream));
        stream.end();
      },
    });
    stream.send(channel.head(this.#call.path), Buffer.concat(this.#early), false);
  }

  #receive(bytes: Buffer): void {
    this.#received.push({ message: this.#call.response.decode(bytes), bytes: bytes.length });
    this.#unreadBytes += bytes.length;
    if (this.#unreadBytes > MAX_UNREAD_BYTES) this.#stream?.pause();
    this.#notify();
  }

  #ended(error: Error | undefined, tells = true): void {
    if (this.#end) return;
    this.#end = { error };
    if (tells && error instanceof CallError) this.#onError(error);
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
