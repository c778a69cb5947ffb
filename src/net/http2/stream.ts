/** One request of HTTP/2 and its answer. */
import { BodyPieces } from './body-pieces.ts';
import { END_STREAM, ERROR } from './frames.ts';
import type { Head } from './hpack-encoder.ts';
import { fieldOf, headersOf, type RequestHeaders } from './request-head.ts';

/** What a stream needs of its connection. */
export interface StreamConnection {
  /** For data, of all streams together. */
  sendWindow: number;
  readonly maxFrameBytes: number;
  /** What one stream may have on its way to us. */
  readonly receiveWindow: number;
  /** So much of it is used before more is given. */
  readonly creditBytes: number;
  readonly congested: boolean;
  headers(stream: number, flags: number, common: Head, own: Head): void;
  data(stream: number, flags: number, bytes: Uint8Array, from: number, to: number): void;
  reset(stream: number, code: number): void;
  /** Comes back with `pump` when there may be room again. */
  waitForRoom(stream: Http2Stream): void;
  /** Of what was received, so much is no longer held. */
  credit(bytes: number): void;
  creditStream(stream: number, bytes: number): void;
  closed(stream: Http2Stream): void;
}

/** Why there is no body. */
export class BodyError extends Error {
  constructor(readonly reason: 'TooLarge' | 'CutOff') {
    super(reason === 'TooLarge' ? 'the body is larger than allowed' : 'the body was cut off');
  }
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
/** What one stream may write before the next has its turn. */
const TURN_BYTES = 64 * 1024;

export class Http2Stream {
  /** Complete, reset, or its connection is gone. */
  closed = false;
  sendWindow: number;
  /** Of the body that the head announces; NaN where it does not say. */
  readonly declaredBytes: number;
  /** Written, and not yet on its way. */
  pendingBytes = 0;
  #queue: Queued[] = [];
  /** Of the first piece that is queued. */
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
  #headers: RequestHeaders | undefined;
  readonly #connection: StreamConnection;

  constructor(
    readonly id: number,
    /** Names and values in turn. */
    readonly fields: readonly string[],
    {
      endStream,
      declaredBytes,
      sendWindow,
    }: { readonly endStream: boolean; readonly declaredBytes: number; readonly sendWindow: number },
    connection: StreamConnection,
  ) {
    this.#connection = connection;
    this.sendWindow = sendWindow;
    this.declaredBytes = declaredBytes;
    this.#remoteEnded = endStream;
  }

  get headers(): RequestHeaders {
    this.#headers ??= headersOf(this.fields);
    return this.#headers;
  }

  /** One header, without all of them being put in order. */
  field(name: string): string | undefined {
    return fieldOf(this.fields, name);
  }

  /** There is no body. */
  get isBodiless(): boolean {
    return this.#remoteEnded && this.#receivedBytes === 0;
  }

  /** Called once; `complete` says that the whole answer is on its way. */
  onClose(listener: (complete: boolean) => void): void {
    (this.#closeListeners ??= []).push(listener);
  }

  // Reading

  /** The whole body. It is complete with the bytes that its head announces, whether the stream has ended or not. */
  readBody(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#reader = { maxBytes, resolve, reject };
      if (this.closed) return this.#cutOff();
      this.#release();
      this.#tryRead();
    });
  }

  /** Gives the code of what is wrong: with more than there was room for, or than the head announced. */
  receive(bytes: Buffer, flowBytes: number): number {
    this.#receivedBytes += bytes.length;
    this.#held += flowBytes;
    if (this.#held + this.#uncredited > this.#connection.receiveWindow) return ERROR.flowControl;
    if (this.#receivedBytes > this.declaredBytes) return ERROR.protocol;
    if (!this.#dropsBody && bytes.length > 0) this.#keep(bytes);
    if (this.#dropsBody || this.#reader) this.#release();
    this.#tryRead();
    return ERROR.none;
  }

  /** Gives the code of what is wrong: with less than the head announced. */
  receiveEnd(): number {
    this.#remoteEnded = true;
    if (this.#receivedBytes < this.declaredBytes) return ERROR.protocol;
    this.#tryRead();
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

  /** What nobody will read is taken all the same: some clients never get over a request that is reset. */
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

  /** A whole answer; `NOTHING` for one without a body. */
  answer(common: Head, own: Head, body: Uint8Array = NOTHING): void {
    if (this.closed) return;
    const isEmpty = body.length === 0;
    this.begin(common, own, isEmpty);
    if (!isEmpty) this.end(body);
  }

  /** Status and headers; what follows is written. */
  begin(common: Head, own: Head, isWhole = false): void {
    if (this.closed) return;
    this.#connection.headers(this.id, isWhole ? END_STREAM : 0, common, own);
    if (!isWhole) return;
    this.#ending = true;
    this.#endLocally();
  }

  /** Whether so many bytes would be on their way at once. */
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

  /** `taken` is called when the piece is on its way, or never will be. */
  write(bytes: Uint8Array, taken?: () => void): void {
    if (this.closed || this.#ending || bytes.length === 0) return taken?.();
    this.#enqueue(bytes, taken);
    this.pump();
  }

  end(bytes: Uint8Array = NOTHING): void {
    if (this.closed || this.#ending) return;
    this.#ending = true;
    if (bytes.length > 0) this.#enqueue(bytes, undefined);
    this.pump();
  }

  /** Half an answer must not look like one that is still coming. */
  reset(code: number): void {
    if (this.closed) return;
    this.#connection.reset(this.id, code);
    this.close();
  }

  #enqueue(bytes: Uint8Array, taken: (() => void) | undefined): void {
    this.#queue.push({ bytes, taken });
    this.pendingBytes += bytes.length;
  }

  /** Writes what there is room for. */
  pump(): void {
    const connection = this.#connection;
    let turn = TURN_BYTES;
    while (!this.closed && this.#queue.length > 0) {
      const { bytes, taken } = this.#queue[0]!;
      const left = bytes.length - this.#sent;
      const length = Math.min(left, this.sendWindow, connection.sendWindow, connection.maxFrameBytes);
      if (length <= 0 || turn <= 0 || connection.congested) return connection.waitForRoom(this);
      const isLast = length === left;
      const ends = isLast && this.#ending && this.#queue.length === 1;
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
      connection.data(this.id, END_STREAM, NOTHING, 0, 0);
      this.#endLocally();
    }
  }

  #endLocally(): void {
    this.#localEnded = true;
    if (!this.#remoteEnded) this.#dropBody();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.#localEnded && this.#remoteEnded) this.close();
  }

  /** The peer reset it, its connection is gone, or it is complete. */
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
