/** One HTTP/2 stream: a request and its response. `fields` are what the peer sent first. */
import { BodyPieces } from './body-pieces.ts';
import { END_STREAM, ERROR } from './frames.ts';
import type { Head } from './hpack-encoder.ts';
import { fieldOf, headersOf, type RequestHeaders } from './request-head.ts';

export interface StreamConnection {
  /** The connection's flow-control window for DATA, shared by all streams. */
  sendWindow: number;
  readonly maxFrameBytes: number;
  /** How many unconsumed bytes a stream may receive. */
  readonly receiveWindow: number;
  /** A WINDOW_UPDATE is sent after this many consumed bytes. */
  readonly creditBytes: number;
  readonly congested: boolean;
  headers(stream: number, flags: number, common: Head, own: Head): void;
  data(stream: number, flags: number, bytes: Uint8Array, from: number, to: number): void;
  reset(stream: number, code: number): void;
  /** Calls `pump` when there may be room again. */
  waitForRoom(stream: Http2Stream): void;
  /** So many received bytes have been consumed. */
  credit(bytes: number): void;
  creditStream(stream: number, bytes: number): void;
  closed(stream: Http2Stream): void;
}

export class BodyError extends Error {
  constructor(readonly reason: 'TooLarge' | 'CutOff') {
    super(reason === 'TooLarge' ? 'the body is larger than allowed' : 'the body was cut off');
  }
}

/** Takes a body as it arrives. */
interface BodyReceiver {
  data(bytes: Buffer): void;
  end(): void;
}

interface StreamOptions {
  /** The peer's headers were all that it sends. */
  readonly endStream: boolean;
  readonly declaredBytes: number;
  readonly sendWindow: number;
  /** What is sent is the answer: nobody reads the rest of the peer's body after it. Default true. */
  readonly answersEnd?: boolean;
}

interface Queued {
  readonly bytes: Uint8Array;
  readonly taken: (() => void) | undefined;
}

interface Reader {
  readonly maxBytes: number;
  readonly resolve: (body: Buffer) => void;
  readonly reject: (error: BodyError) => void;
}

const NOTHING = Buffer.alloc(0);
const NO_HEAD: Head = [];
/** How much one stream may write before the next one's turn. */
const TURN_BYTES = 64 * 1024;

export class Http2Stream {
  /** Complete, reset, or its connection is gone. */
  closed = false;
  sendWindow: number;
  /** Content-Length; NaN when the request has none. */
  readonly declaredBytes: number;
  /** Bytes written to the stream that have not been sent. */
  pendingBytes = 0;
  #queue: Queued[] = [];
  /** How much of the first queued piece has been sent. */
  #sent = 0;
  #ending = false;
  #localEnded = false;
  #closeListeners: ((complete: boolean) => void)[] | undefined;

  /** Most bodies come in one piece. */
  #onlyPiece: Buffer | undefined;
  #pieces: BodyPieces | undefined;
  #receivedBytes = 0;
  #held = 0;
  #uncredited = 0;
  #remoteEnded: boolean;
  #dropsBody = false;
  #reader: Reader | undefined;
  #receiver: BodyReceiver | undefined;
  #paused = false;
  #trailers: Head | undefined;
  #headers: RequestHeaders | undefined;
  readonly #answersEnd: boolean;
  readonly #connection: StreamConnection;

  constructor(
    readonly id: number,
    /** Names and values alternating. */
    readonly fields: readonly string[],
    { endStream, declaredBytes, sendWindow, answersEnd = true }: StreamOptions,
    connection: StreamConnection,
  ) {
    this.#answersEnd = answersEnd;
    this.#connection = connection;
    this.sendWindow = sendWindow;
    this.declaredBytes = declaredBytes;
    this.#remoteEnded = endStream;
  }

  get headers(): RequestHeaders {
    this.#headers ??= headersOf(this.fields);
    return this.#headers;
  }

  /** One header, without building `headers`. */
  field(name: string): string | undefined {
    return fieldOf(this.fields, name);
  }

  get isBodiless(): boolean {
    return this.#remoteEnded && this.#receivedBytes === 0;
  }

  /** The listener is called once; `complete` says that the whole response has been sent. */
  onClose(listener: (complete: boolean) => void): void {
    (this.#closeListeners ??= []).push(listener);
  }

  // Reading

  /** The whole body. With a Content-Length it is complete when that much has arrived, even before END_STREAM. */
  readBody(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#reader = { maxBytes, resolve, reject };
      if (this.closed) return this.#cutOff();
      this.#release();
      this.#tryRead();
    });
  }

  /** The body piece by piece. */
  readPieces(receiver: BodyReceiver): void {
    this.#receiver = receiver;
    this.#deliver();
  }

  /** What arrives meanwhile is kept, and holds the peer back when it fills its window. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#deliver();
  }

  /** Returns an error code when the peer exceeds the window or its Content-Length. */
  receive(bytes: Buffer, flowBytes: number): number {
    this.#receivedBytes += bytes.length;
    this.#held += flowBytes;
    if (this.#held + this.#uncredited > this.#connection.receiveWindow) return ERROR.flowControl;
    if (this.#receivedBytes > this.declaredBytes) return ERROR.protocol;
    if (!this.#dropsBody && bytes.length > 0) this.#keep(bytes);
    if (this.#dropsBody || this.#reader) this.#release();
    this.#tryRead();
    this.#deliver();
    return ERROR.none;
  }

  /** Returns an error code when the body is shorter than its Content-Length. */
  receiveEnd(): number {
    this.#remoteEnded = true;
    if (this.#receivedBytes < this.declaredBytes) return ERROR.protocol;
    this.#tryRead();
    this.#deliver();
    this.#closeIfDone();
    return ERROR.none;
  }

  get remoteEnded(): boolean {
    return this.#remoteEnded;
  }

  #tryRead(): void {
    const reader = this.#reader;
    if (!reader) return;
    if (this.#receivedBytes > reader.maxBytes) {
      this.#reader = undefined;
      this.#dropBody();
      reader.reject(new BodyError('TooLarge'));
    } else if (this.#remoteEnded || this.#receivedBytes === this.declaredBytes) {
      this.#reader = undefined;
      reader.resolve(this.#onlyPiece ?? this.#pieces?.whole() ?? NOTHING);
      this.#forgetPieces();
    }
  }

  #deliver(): void {
    const receiver = this.#receiver;
    if (!receiver || this.#paused || this.closed) return;
    const bytes = this.#onlyPiece ?? this.#pieces?.whole();
    this.#forgetPieces();
    this.#release();
    if (bytes) receiver.data(bytes);
    // The receiver may have paused the stream, or ended it.
    if (!this.#remoteEnded || this.#paused || this.#receiver !== receiver) return;
    this.#receiver = undefined;
    receiver.end();
  }

  #keep(bytes: Buffer): void {
    if (this.#pieces) return this.#pieces.add(bytes);
    if (!this.#onlyPiece) {
      this.#onlyPiece = bytes;
      return;
    }
    this.#pieces = new BodyPieces();
    this.#pieces.add(this.#onlyPiece);
    this.#pieces.add(bytes);
    this.#onlyPiece = undefined;
  }

  #forgetPieces(): void {
    this.#onlyPiece = undefined;
    this.#pieces = undefined;
  }

  #cutOff(): void {
    this.#reader?.reject(new BodyError('CutOff'));
    this.#reader = undefined;
  }

  /** Discards the body instead of resetting the stream, which some clients do not survive. */
  #dropBody(): void {
    this.#dropsBody = true;
    this.#forgetPieces();
    this.#release();
  }

  #release(): void {
    if (this.#held === 0) return;
    this.#connection.credit(this.#held);
    this.#uncredited += this.#held;
    this.#held = 0;
    if (this.#uncredited < this.#connection.creditBytes || this.#remoteEnded || this.closed) return;
    this.#connection.creditStream(this.id, this.#uncredited);
    this.#uncredited = 0;
  }

  // Writing

  /** Sends a whole response. */
  answer(common: Head, own: Head, body: Uint8Array = NOTHING): void {
    if (this.closed) return;
    const isEmpty = body.length === 0;
    this.begin(common, own, isEmpty);
    if (!isEmpty) this.end(body);
  }

  /** Sends status and headers; the body follows with `write` and `end`. */
  begin(common: Head, own: Head, isWhole = false): void {
    if (this.closed) return;
    this.#connection.headers(this.id, isWhole ? END_STREAM : 0, common, own);
    if (!isWhole) return;
    this.#ending = true;
    this.#endLocally();
  }

  /** Whether `write` would send so many bytes at once. */
  takes(bytes: number): boolean {
    const connection = this.#connection;
    return (
      this.pendingBytes === 0 &&
      bytes <= this.sendWindow &&
      bytes <= connection.sendWindow &&
      bytes <= TURN_BYTES &&
      !connection.congested
    );
  }

  /** `taken` is called when the bytes have been sent, or never will be. */
  write(bytes: Uint8Array, taken?: () => void): void {
    if (this.closed || this.#ending || bytes.length === 0) return taken?.();
    if (bytes.length <= this.#connection.maxFrameBytes && this.takes(bytes.length)) {
      this.#sendWhole(bytes);
      return taken?.();
    }
    this.#enqueue(bytes, taken);
    this.pump();
  }

  end(bytes: Uint8Array = NOTHING): void {
    if (this.closed || this.#ending) return;
    this.#ending = true;
    if (bytes.length > 0) this.#enqueue(bytes, undefined);
    this.pump();
  }

  /** Ends the response with headers behind its body. */
  endWithTrailers(trailers: Head): void {
    if (this.closed || this.#ending) return;
    this.#trailers = trailers;
    this.end();
  }

  /** Aborts the response. */
  reset(code: number): void {
    if (this.closed) return;
    this.#connection.reset(this.id, code);
    this.close();
  }

  /** One frame, which there is room for. */
  #sendWhole(bytes: Uint8Array): void {
    const connection = this.#connection;
    connection.data(this.id, 0, bytes, 0, bytes.length);
    this.sendWindow -= bytes.length;
    connection.sendWindow -= bytes.length;
  }

  #enqueue(bytes: Uint8Array, taken: (() => void) | undefined): void {
    this.#queue.push({ bytes, taken });
    this.pendingBytes += bytes.length;
  }

  /** Sends as much of the queue as windows and socket allow. */
  pump(): void {
    const connection = this.#connection;
    let turn = TURN_BYTES;
    while (!this.closed && this.#queue.length > 0) {
      const { bytes, taken } = this.#queue[0]!;
      const left = bytes.length - this.#sent;
      const length = Math.min(left, this.sendWindow, connection.sendWindow, connection.maxFrameBytes);
      if (length <= 0 || turn <= 0 || connection.congested) return connection.waitForRoom(this);
      const isLast = length === left;
      const ends = isLast && this.#ending && this.#queue.length === 1 && !this.#trailers;
      connection.data(this.id, ends ? END_STREAM : 0, bytes, this.#sent, this.#sent + length);
      this.sendWindow -= length;
      connection.sendWindow -= length;
      this.pendingBytes -= length;
      turn -= length;
      this.#sent += length;
      if (!isLast) continue;
      this.#queue.shift();
      this.#sent = 0;
      taken?.();
      if (ends) return this.#endLocally();
    }
    if (this.#ending && !this.#localEnded && !this.closed) {
      if (this.#trailers) connection.headers(this.id, END_STREAM, NO_HEAD, this.#trailers);
      else connection.data(this.id, END_STREAM, NOTHING, 0, 0);
      this.#endLocally();
    }
  }

  #endLocally(): void {
    this.#localEnded = true;
    if (this.#answersEnd && !this.#remoteEnded) this.#dropBody();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#localEnded && this.#remoteEnded) this.close();
  }

  /** The stream is complete, was reset, or lost its connection. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#release();
    this.#cutOff();
    this.#forgetPieces();
    const queue = this.#queue;
    this.#queue = [];
    this.pendingBytes = 0;
    for (const { taken } of queue) taken?.();
    this.#connection.closed(this);
    for (const listener of this.#closeListeners ?? []) listener(this.#localEnded);
  }
}
