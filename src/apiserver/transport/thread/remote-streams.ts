/** HTTP/2 requests in the pipeline's thread: the front's thread receives them and sends the responses. */
import { splitTarget } from '../../../net/http/index.ts';
import type { ApiRequest, ApiResponse, PeerCertificate, ResponseSink, Sending } from '../../request/request.ts';
import { HIGH_WATER_BYTES, LOW_WATER_BYTES } from '../../request/water-marks.ts';
import type { StartRequest } from '../batch-requests.ts';
import { cutOff, decompressed, tooLarge } from '../body.ts';
import { giveBack, sendLargeBody, type BufferWriter } from '../large-body.ts';
import type { RunningRequests } from '../running-requests.ts';
import type { SendBudget } from '../send-budget.ts';
import type { Handler } from '../transport.ts';
import type { WriteResponseHead } from './header-table.ts';
import type { BatchReader, Outbox } from './message-batch.ts';
import * as op from './operations.ts';

interface Session {
  readonly id: number;
  readonly remoteAddress: string;
  readonly certificate?: PeerCertificate;
  readonly headers: ApiRequest['headers'][];
}

interface RemoteStreamsOptions {
  readonly outbox: Outbox;
  readonly writeHead: WriteResponseHead;
  readonly start: StartRequest;
  readonly running: RunningRequests;
  readonly handler: Handler;
  readonly budget: SendBudget;
  readonly maxBodyBytes: number;
}

export class RemoteStreams {
  readonly #options: RemoteStreamsOptions;
  readonly #sessions = new Map<number, Session>();
  readonly #open = new Map<number, RemoteStream>();
  /** Complete responses that wait in the front for their clients. */
  readonly #pending = new Map<number, Sending>();

  constructor(options: RemoteStreamsOptions) {
    this.#options = options;
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
    for (const sending of this.#pending.values()) sending.finished();
    this.#pending.clear();
  }

  /** False for an operation that is not on streams. */
  perform(operation: number, reader: BatchReader): boolean {
    switch (operation) {
      case op.SESSION:
        this.#openSession(reader);
        return true;
      case op.HEADERS:
        this.#rememberHeaders(reader);
        return true;
      case op.SESSION_CLOSED:
        this.#sessions.delete(reader.next<number>());
        return true;
      case op.REQUEST:
        this.#begin(reader);
        return true;
      case op.BODY:
        this.#received(reader.next<number>(), reader.next<number>(), reader.bytes());
        return true;
      case op.CLOSED:
        this.#close(reader.next<number>());
        return true;
      case op.DRAINED:
        this.#drained(reader.next<number>(), reader.next<number>());
        return true;
      case op.PENDING:
        this.#isPending(reader.next<number>(), this.#sessions.get(reader.next<number>()), reader.next<number>());
        return true;
      case op.BUFFER_RETURNED: {
        const stream = this.#open.get(reader.next<number>());
        giveBack(reader.buffer);
        stream?.bufferReturned();
        return true;
      }
      default:
        return false;
    }
  }

  #openSession(reader: BatchReader): void {
    const id = reader.next<number>();
    const remoteAddress = reader.next<string>();
    const raw = reader.bytes();
    this.#sessions.set(id, {
      id,
      remoteAddress,
      headers: [],
      ...(raw.length > 0 ? { certificate: { raw: Buffer.from(raw) } } : {}),
    });
  }

  #rememberHeaders(reader: BatchReader): void {
    const session = this.#sessions.get(reader.next<number>());
    const index = reader.next<number>();
    const headers = reader.next<ApiRequest['headers']>();
    if (session) session.headers[index] = headers;
  }

  #received(id: number, state: number, body: Buffer): void {
    this.#open.get(id)?.received(state, body);
  }

  #drained(id: number, bytes: number): void {
    this.#open.get(id)?.drained(bytes);
  }

  #close(id: number): void {
    this.#open.get(id)?.close();
    this.#open.delete(id);
    this.#pending.get(id)?.finished();
    this.#pending.delete(id);
  }

  #begin(reader: BatchReader): void {
    const id = reader.next<number>();
    const session = this.#sessions.get(reader.next<number>());
    const index = reader.next<number>();
    const head = { target: reader.next<string>(), bodyState: reader.next<number>(), body: reader.bytes() };
    const headers = session?.headers[index];
    // A request whose body was cut off may come after its connection has closed.
    if (!session || !headers) return;
    const stream = new RemoteStream(id, { session, headers, ...head }, this.#options);
    this.#open.set(id, stream);
    this.#options.start(() => void this.#options.running.run(() => this.#serve(id, stream)));
  }

  #isPending(id: number, session: Session | undefined, bytes: number): void {
    const { budget, outbox } = this.#options;
    if (!session) return;
    const sending = budget.begin({
      connection: session,
      expiresAt: budget.expiry(),
      end: () => outbox.send(op.RESET, id),
    });
    this.#pending.set(id, sending);
    sending.wrote(bytes);
  }

  async #serve(id: number, stream: RemoteStream): Promise<void> {
    try {
      const response = await this.#options.handler(stream);
      try {
        await stream.respond(response);
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
  readonly #id: number;
  readonly #options: RemoteStreamsOptions;
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
  #bodyReader: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;
  #pendingBytes = 0;
  #waitingForDrain: (() => void)[] = [];
  #allDrained: (() => void) | undefined;
  #sending: Sending | undefined;
  readonly #session: Session;
  /** Writers that wait for their buffers to come back, in order. */
  #buffers: (() => void)[] = [];

  constructor(id: number, { session, headers, target, bodyState, body }: Head, options: RemoteStreamsOptions) {
    this.#id = id;
    this.#options = options;
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
      const { stopping } = this.#options.running;
      if (stopping.aborted) this.#aborting.abort(stopping.reason);
      else if (this.closed) this.#aborting.abort(clientWentAway());
    }
    return this.#aborting.signal;
  }

  readBody(): Promise<Buffer> {
    this.#body ??= decompressed(this.#read ? Promise.resolve(this.#read) : this.#readBody(), {
      encoding: this.headers['content-encoding'],
      maxBytes: this.#options.maxBodyBytes,
    });
    return this.#body;
  }

  #readBody(): Promise<Buffer> {
    if (this.closed) return Promise.reject(cutOff());
    this.#options.outbox.send(op.READ_BODY, this.#id);
    return new Promise((resolve, reject) => (this.#bodyReader = { resolve, reject }));
  }

  received(state: number, body: Buffer): void {
    if (state === op.COMPLETE) this.#bodyReader?.resolve(body);
    else this.#bodyReader?.reject(state === op.TOO_LARGE ? tooLarge(this.#options.maxBodyBytes) : cutOff());
  }

  abort(reason: unknown): void {
    this.#aborting?.abort(reason);
    this.#allDrained?.();
  }

  leaveConnection(): void {
    this.#options.outbox.send(op.LEAVE_CONNECTION, this.#id);
  }

  get congested(): boolean {
    return this.#options.budget.isFull(this.#session);
  }

  /** The client went away. */
  close(): void {
    this.closed = true;
    this.#bodyReader?.reject(cutOff());
    this.abort(clientWentAway());
    this.#sending?.finished();
    this.#wake();
    for (const resolve of this.#buffers.splice(0)) resolve();
  }

  /** Ends the response before it is complete. */
  breakOff(): void {
    if (this.closed) return;
    this.#options.outbox.send(op.RESET, this.#id);
    this.close();
  }

  async respond(response: ApiResponse): Promise<void> {
    if (this.closed || response.hijacked) return;
    const { outbox, writeHead } = this.#options;
    const { status, headers } = response;
    const { large, stream } = response;
    if ((large && this.method !== 'HEAD') || stream) {
      outbox.send(op.BEGIN, this.#id, status, headers);
      this.#sending = this.#options.budget.begin({
        connection: this.#session,
        expiresAt: response.expiresAt,
        end: () => this.breakOff(),
      });
      await (large ? sendLargeBody(large, this) : this.#stream(stream!)).finally(() => this.#sending?.finished());
    } else {
      const { body = NOTHING } = response;
      writeHead(this.#id, status, headers);
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
    if (this.#pendingBytes > 0 && !this.closed && !this.#options.running.stopping.aborted)
      await new Promise<void>((resolve) => (this.#allDrained = resolve));
  }

  #sink(): ResponseSink {
    const stream = this;
    return {
      signal: this.signal,
      write: (piece) => this.#write(piece),
      drained: () =>
        this.#pendingBytes > LOW_WATER_BYTES && !this.closed
          ? new Promise((resolve) => this.#waitingForDrain.push(resolve))
          : Promise.resolve(),
      get pending() {
        return stream.#pendingBytes;
      },
    };
  }

  #write(piece: Buffer | string): boolean {
    if (this.closed) return false;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#pendingBytes += bytes.length;
    this.#sending?.wrote(bytes.length);
    if (this.closed) return false;
    this.#options.outbox.send(op.PIECE, this.#id);
    this.#options.outbox.sharedBytes(bytes);
    return this.#pendingBytes <= HIGH_WATER_BYTES;
  }

  drained(bytes: number): void {
    this.#pendingBytes -= bytes;
    this.#sending?.took(bytes);
    if (this.#pendingBytes <= LOW_WATER_BYTES) this.#wake();
    if (this.#pendingBytes === 0) this.#allDrained?.();
  }

  #wake(): void {
    if (this.#waitingForDrain.length > 0) for (const resolve of this.#waitingForDrain.splice(0)) resolve();
  }

  write(buffer: Buffer, length: number): Promise<void> {
    this.#sending?.wrote(length);
    if (this.closed) return Promise.resolve();
    this.#options.outbox.transfer(buffer.buffer as ArrayBuffer, op.LARGE_PIECE, this.#id, length);
    return new Promise<void>((resolve) => this.#buffers.push(resolve)).then(() => this.#sending?.took(length));
  }

  bufferReturned(): void {
    this.#buffers.shift()?.();
  }

  end(): void {
    if (!this.closed) this.#options.outbox.send(op.END, this.#id);
  }
}

const clientWentAway = (): Error => new Error('the client went away');
