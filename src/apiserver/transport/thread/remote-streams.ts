import { splitTarget } from '../../../net/http/index.ts';
/** The requests of HTTP/2 in the pipeline's thread: they came in at the front's, and their answers leave there. */
import type { ApiRequest, ApiResponse, PeerCertificate, ResponseSink } from '../../request/request.ts';
import type { Sending } from '../../request/request.ts';
import { cutOff, plain, tooLarge } from '../body.ts';
import { giveBack, sendLargeBody, type BufferWriter } from '../large-body.ts';
import type { RunningRequests } from '../running-requests.ts';
import type { SendBudget } from '../send-budget.ts';
import type { Together } from '../together.ts';
import type { Handler } from '../transport.ts';
import { HIGH_WATER_BYTES, LOW_WATER_BYTES } from '../water-marks.ts';
import type { BatchReader, Outbox } from './batch.ts';
import * as op from './operations.ts';
import type { TellingHeads } from './told-heads.ts';

interface Session {
  readonly id: number;
  readonly remoteAddress: string;
  readonly certificate?: PeerCertificate;
  readonly headers: ApiRequest['headers'][];
}

export interface RemoteStreamsOptions {
  readonly outbox: Outbox;
  readonly heads: TellingHeads;
  readonly begin: Together;
  readonly running: RunningRequests;
  readonly handler: Handler;
  readonly budget: SendBudget;
  readonly maxBodyBytes: number;
}

export class RemoteStreams {
  readonly #sessions = new Map<number, Session>();
  readonly #open = new Map<number, RemoteStream>();
  /** Whole answers that wait at the front for their clients. */
  readonly #late = new Map<number, Sending>();

  constructor(private readonly options: RemoteStreamsOptions) {
    const { stopping } = options.running;
    stopping.addEventListener(
      'abort',
      () => {
        for (const stream of this.#open.values()) stream.abort(stopping.reason);
      },
      { once: true },
    );
  }

  /** The front is gone, and with it all streams. */
  closeAll(): void {
    for (const stream of this.#open.values()) stream.close();
    this.#open.clear();
    for (const sending of this.#late.values()) sending.finished();
    this.#late.clear();
  }

  /** False for an operation that is not on streams. */
  perform(operation: number, reader: BatchReader): boolean {
    switch (operation) {
      case op.SESSION: {
        const id = reader.next<number>();
        const remoteAddress = reader.next<string>();
        const authorized = reader.next<boolean>();
        const raw = reader.bytes();
        this.#sessions.set(id, {
          id,
          remoteAddress,
          headers: [],
          ...(raw.length > 0 ? { certificate: { raw: Buffer.from(raw), authorized } } : {}),
        });
        return true;
      }
      case op.HEADERS: {
        const session = this.#sessions.get(reader.next<number>());
        const place = reader.next<number>();
        const headers = reader.next<ApiRequest['headers']>();
        if (session) session.headers[place] = headers;
        return true;
      }
      case op.SESSION_CLOSED:
        this.#sessions.delete(reader.next<number>());
        return true;
      case op.REQUEST:
        this.#begin(reader);
        return true;
      case op.BODY: {
        const stream = this.#open.get(reader.next<number>());
        const state = reader.next<number>();
        const body = reader.bytes();
        stream?.received(state, body);
        return true;
      }
      case op.CLOSED: {
        const id = reader.next<number>();
        this.#open.get(id)?.close();
        this.#open.delete(id);
        this.#late.get(id)?.finished();
        this.#late.delete(id);
        return true;
      }
      case op.TAKEN: {
        const stream = this.#open.get(reader.next<number>());
        const bytes = reader.next<number>();
        stream?.taken(bytes);
        return true;
      }
      case op.LATE:
        this.#isLate(reader.next<number>(), this.#sessions.get(reader.next<number>()), reader.next<number>());
        return true;
      case op.RETURNED: {
        const stream = this.#open.get(reader.next<number>());
        giveBack(reader.buffer);
        stream?.returned();
        return true;
      }
      default:
        return false;
    }
  }

  #begin(reader: BatchReader): void {
    const id = reader.next<number>();
    const session = this.#sessions.get(reader.next<number>());
    const place = reader.next<number>();
    const head = { target: reader.next<string>(), bodyState: reader.next<number>(), body: reader.bytes() };
    const headers = session?.headers[place];
    // A body that was cut off comes after its connection has gone.
    if (!session || !headers) return;
    const stream = new RemoteStream(id, { session, headers, ...head }, this.options);
    this.#open.set(id, stream);
    this.options.begin(() => void this.options.running.run(() => this.#serve(id, stream)));
  }

  #isLate(id: number, session: Session | undefined, bytes: number): void {
    const { budget, outbox } = this.options;
    if (!session) return;
    const sending = budget.begin({
      connection: session,
      expiresAt: budget.expiry(),
      end: () => outbox.say(op.RESET, id),
    });
    this.#late.set(id, sending);
    sending.wrote(bytes);
  }

  async #serve(id: number, stream: RemoteStream): Promise<void> {
    try {
      const response = await this.options.handler(stream);
      try {
        await stream.answer(response);
      } finally {
        response.done?.();
      }
    } finally {
      this.#open.delete(id);
    }
  }
}

interface Head {
  readonly session: Session;
  readonly headers: ApiRequest['headers'];
  readonly target: string;
  readonly bodyState: number;
  readonly body: Buffer;
}

const NOTHING = new Uint8Array(0);

class RemoteStream implements ApiRequest, BufferWriter {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ApiRequest['headers'];
  readonly remoteAddress: string;
  readonly peerCertificate?: PeerCertificate;
  closed = false;
  #aborting: AbortController | undefined;
  #body: Promise<Buffer> | undefined;
  readonly #read: Buffer | undefined;
  #bodyWanted: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;
  #pending = 0;
  #drained: (() => void)[] = [];
  #allTaken: (() => void) | undefined;
  #sending: Sending | undefined;
  readonly #session: Session;
  /** Who waits for buffers to come back, in their order. */
  #buffers: (() => void)[] = [];

  constructor(
    private readonly id: number,
    { session, headers, target, bodyState, body }: Head,
    private readonly options: RemoteStreamsOptions,
  ) {
    const method = headers[':method'];
    this.method = typeof method === 'string' ? method : 'GET';
    const { path, query } = splitTarget(target);
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.#session = session;
    this.remoteAddress = session.remoteAddress;
    if (session.certificate) this.peerCertificate = session.certificate;
    if (bodyState === op.COMPLETE) this.#read = body;
  }

  get signal(): AbortSignal {
    if (!this.#aborting) {
      this.#aborting = new AbortController();
      const { stopping } = this.options.running;
      if (stopping.aborted) this.#aborting.abort(stopping.reason);
      else if (this.closed) this.#aborting.abort(clientWentAway());
    }
    return this.#aborting.signal;
  }

  readBody(): Promise<Buffer> {
    this.#body ??= plain(this.#read ? Promise.resolve(this.#read) : this.#wantBody(), {
      encoding: this.headers['content-encoding'],
      maxBytes: this.options.maxBodyBytes,
    });
    return this.#body;
  }

  #wantBody(): Promise<Buffer> {
    if (this.closed) return Promise.reject(cutOff());
    this.options.outbox.say(op.WANT_BODY, this.id);
    return new Promise((resolve, reject) => (this.#bodyWanted = { resolve, reject }));
  }

  received(state: number, body: Buffer): void {
    if (state === op.COMPLETE) this.#bodyWanted?.resolve(body);
    else this.#bodyWanted?.reject(state === op.TOO_LARGE ? tooLarge(this.options.maxBodyBytes) : cutOff());
  }

  abort(reason: unknown): void {
    this.#aborting?.abort(reason);
    this.#allTaken?.();
  }

  get congested(): boolean {
    return this.options.budget.isFull(this.#session);
  }

  /** The client went away. */
  close(): void {
    this.closed = true;
    this.#bodyWanted?.reject(cutOff());
    this.abort(clientWentAway());
    this.#sending?.finished();
    this.#wake();
    for (const resolve of this.#buffers.splice(0)) resolve();
  }

  /** The answer is broken off. */
  breakOff(): void {
    if (this.closed) return;
    this.options.outbox.say(op.RESET, this.id);
    this.close();
  }

  async answer(response: ApiResponse): Promise<void> {
    if (this.closed || response.hijacked) return;
    const { outbox, heads } = this.options;
    const { status, headers } = response;
    const { large, stream } = response;
    if ((large && this.method !== 'HEAD') || stream) {
      outbox.say(op.BEGIN, this.id, status, headers);
      this.#sending = this.options.budget.begin({
        connection: this.#session,
        expiresAt: response.expiresAt,
        end: () => this.breakOff(),
      });
      await (large ? sendLargeBody(large, this) : this.#stream(stream!)).finally(() => this.#sending?.finished());
    } else {
      const { body = NOTHING } = response;
      heads.say(this.id, status, headers);
      outbox.bytes(typeof body === 'string' ? Buffer.from(body) : body);
    }
  }

  async #stream(run: NonNullable<ApiResponse['stream']>): Promise<void> {
    try {
      await run(this.#sink());
    } catch (error) {
      this.breakOff();
      throw error;
    }
    this.end();
    if (this.#pending > 0 && !this.closed && !this.options.running.stopping.aborted)
      await new Promise<void>((resolve) => (this.#allTaken = resolve));
  }

  #sink(): ResponseSink {
    const stream = this;
    return {
      signal: this.signal,
      write: (piece) => this.#write(piece),
      drained: () =>
        this.#pending > LOW_WATER_BYTES && !this.closed
          ? new Promise((resolve) => this.#drained.push(resolve))
          : Promise.resolve(),
      get pending() {
        return stream.#pending;
      },
    };
  }

  #write(piece: Buffer | string): boolean {
    if (this.closed) return false;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#pending += bytes.length;
    this.#sending?.wrote(bytes.length);
    if (this.closed) return false;
    this.options.outbox.say(op.PIECE, this.id);
    this.options.outbox.sharedBytes(bytes);
    return this.#pending <= HIGH_WATER_BYTES;
  }

  taken(bytes: number): void {
    this.#pending -= bytes;
    this.#sending?.took(bytes);
    if (this.#pending <= LOW_WATER_BYTES) this.#wake();
    if (this.#pending === 0) this.#allTaken?.();
  }

  #wake(): void {
    if (this.#drained.length > 0) for (const resolve of this.#drained.splice(0)) resolve();
  }

  write(buffer: Buffer, length: number): Promise<void> {
    this.#sending?.wrote(length);
    if (this.closed) return Promise.resolve();
    this.options.outbox.hand(buffer.buffer as ArrayBuffer, op.LARGE_PIECE, this.id, length);
    return new Promise<void>((resolve) => this.#buffers.push(resolve)).then(() => this.#sending?.took(length));
  }

  returned(): void {
    this.#buffers.shift()?.();
  }

  end(): void {
    if (!this.closed) this.options.outbox.say(op.END, this.id);
  }
}

const clientWentAway = (): Error => new Error('the client went away');
