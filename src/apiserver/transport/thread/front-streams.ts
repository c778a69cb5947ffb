/** HTTP/2 requests in the front's thread. */
import type { Clock, Timer } from '../../../kernel/index.ts';
import { BodyError, HTTP2_ERROR, type Http2Connection, type Http2Stream } from '../../../net/http2/index.ts';
import type { ResponseHeaders } from '../../request/request.ts';
import { separateIdentityHeaders } from '../identity-headers.ts';
import { peerOf } from '../peer.ts';
import { AUDIT_ID, type ResponseHeads } from '../response-heads.ts';
import { HeaderTableReader } from './header-table.ts';
import type { BatchReader, Outbox } from './message-batch.ts';
import * as op from './operations.ts';

/** A body of at most that length is sent with its request; a longer one is read when the pipeline asks for it. */
const SHORT_BODY_BYTES = 64 * 1024;
/** A request whose short body has not arrived by then is passed on without it. */
const BODY_TIMEOUT_MS = 1000;
/** Different sets of headers that a client alternates between. */
const REMEMBERED_HEADERS = 8;
const NOTHING = new Uint8Array(0);

interface OpenStream {
  readonly id: number;
  readonly stream: Http2Stream;
  readonly session: Session;
  body?: Promise<Buffer>;
  /** Bytes that were written and not yet reported as drained. */
  unreported: number;
}

interface Session {
  readonly id: number;
  readonly connection: Http2Connection;
  readonly remembered: (readonly string[])[];
  next: number;
}

/** A request whose short body is still arriving. */
interface WaitingForBody {
  readonly passOnWithoutBody: () => void;
  readonly since: number;
}

interface FrontStreamsOptions {
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  readonly heads: ResponseHeads;
}

export class FrontStreams {
  readonly #open = new Map<number, OpenStream>();
  readonly #sessions = new Map<Http2Connection, Session>();
  readonly #waiting = new Set<WaitingForBody>();
  readonly #written = new Set<OpenStream>();
  readonly #headerTable = new HeaderTableReader();
  readonly #outbox: Outbox;
  readonly #clock: Clock;
  readonly #maxBodyBytes: number;
  readonly #heads: ResponseHeads;
  #sweep: Timer | undefined;
  #lastStream = 0;
  #lastSession = 0;

  constructor({ outbox, clock, maxBodyBytes, heads }: FrontStreamsOptions) {
    this.#outbox = outbox;
    this.#clock = clock;
    this.#maxBodyBytes = maxBodyBytes;
    this.#heads = heads;
  }

  stop(): void {
    this.#sweep?.cancel();
  }

  begin(stream: Http2Stream, connection: Http2Connection): void {
    const id = ++this.#lastStream;
    const session = this.#sessionOf(connection);
    const open: OpenStream = { id, stream, session, unreported: 0 };
    this.#open.set(id, open);
    stream.onClose(() => this.#closed(id));
    const pass = (state: number, body: Uint8Array): void => {
      // Only now: while the body arrived, other headers may have taken over the index.
      const index = this.#headersIndex(session, stream);
      this.#outbox.send(op.REQUEST, id, session.id, index, stream.field(':path') ?? '/', state);
      this.#outbox.bytes(body);
    };
    if (stream.isBodiless) pass(op.COMPLETE, NOTHING);
    else if (stream.declaredBytes <= SHORT_BODY_BYTES) this.#passWithBody(open, pass);
    else pass(op.NOT_READ, NOTHING);
  }

  /** The connection is closed, and all its streams with it. */
  ended(connection: Http2Connection): void {
    const session = this.#sessions.get(connection);
    this.#sessions.delete(connection);
    if (session) this.#outbox.send(op.SESSION_CLOSED, session.id);
  }

  #passWithBody(open: OpenStream, pass: (state: number, body: Uint8Array) => void): void {
    const waiting: WaitingForBody = {
      since: this.#clock.monotonic(),
      passOnWithoutBody: () => pass(op.NOT_READ, NOTHING),
    };
    this.#waiting.add(waiting);
    this.#sweep ??= this.#clock.after(BODY_TIMEOUT_MS, () => this.#passOnWithoutBodies());
    void this.#read(open).then(
      (body) => {
        if (this.#waiting.delete(waiting)) pass(op.COMPLETE, body);
      },
      () => {
        // The pipeline gets the reason when it asks for the body.
        if (this.#waiting.delete(waiting)) waiting.passOnWithoutBody();
      },
    );
  }

  #passOnWithoutBodies(): void {
    const before = this.#clock.monotonic() - BODY_TIMEOUT_MS;
    for (const waiting of this.#waiting) {
      if (waiting.since > before) break;
      this.#waiting.delete(waiting);
      waiting.passOnWithoutBody();
    }
    this.#sweep =
      this.#waiting.size > 0 ? this.#clock.after(BODY_TIMEOUT_MS, () => this.#passOnWithoutBodies()) : undefined;
  }

  #read(open: OpenStream): Promise<Buffer> {
    return (open.body ??= open.stream.readBody(this.#maxBodyBytes));
  }

  #sessionOf(connection: Http2Connection): Session {
    let known = this.#sessions.get(connection);
    if (!known) {
      const id = ++this.#lastSession;
      known = { id, connection, remembered: [], next: 0 };
      this.#sessions.set(connection, known);
      const { remoteAddress, certificate } = peerOf(connection.socket);
      this.#outbox.send(op.SESSION, id, remoteAddress);
      this.#outbox.bytes(certificate?.raw ?? NOTHING);
    }
    return known;
  }

  #headersIndex(session: Session, stream: Http2Stream): number {
    const { fields } = stream;
    const known = session.remembered.findIndex((other) => sameButTarget(other, fields));
    if (known >= 0) return known;
    const index = session.next;
    session.next = (index + 1) % REMEMBERED_HEADERS;
    session.remembered[index] = fields;
    const { ':path': _, ...headers } = separateIdentityHeaders(stream.headers, fields);
    this.#outbox.send(op.HEADERS, session.id, index, headers);
    return index;
  }

  #closed(id: number): void {
    if (this.#open.delete(id)) this.#outbox.send(op.CLOSED, id);
  }

  /** False for an operation that is not on streams. */
  perform(operation: number, reader: BatchReader): boolean {
    switch (operation) {
      case op.RESPONSE:
        this.#respond(reader);
        return true;
      case op.RESPONSE_HEADERS:
        this.#headerTable.add(reader);
        return true;
      case op.BEGIN:
        this.#begin(reader);
        return true;
      case op.PIECE:
        this.#write(reader);
        return true;
      case op.LARGE_PIECE:
        this.#writeLarge(reader.next<number>(), reader.next<number>(), reader.buffer);
        return true;
      case op.END:
        this.#end(this.#open.get(reader.next<number>()));
        return true;
      case op.RESET:
        this.#take(reader)?.stream.reset(HTTP2_ERROR.internal);
        return true;
      case op.READ_BODY:
        this.#sendBody(reader.next<number>());
        return true;
      case op.LEAVE_CONNECTION:
        this.#open.get(reader.next<number>())?.session.connection.close();
        return true;
      default:
        return false;
    }
  }

  /** Forgets the stream: its response is complete. */
  #take(reader: BatchReader): OpenStream | undefined {
    const id = reader.next<number>();
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open;
  }

  #respond(reader: BatchReader): void {
    const open = this.#take(reader);
    const { common, auditId } = this.#headerTable.read(reader);
    const body = reader.bytes();
    if (!open) return;
    const { stream, id, session } = open;
    if (body.length === 0 || stream.field(':method') === 'HEAD') return stream.answer(common, this.#heads.own(auditId));
    stream.answer(
      common,
      this.#heads.own(auditId, body.length),
      stream.takes(body.length) ? body : reader.retained(body),
    );
    if (stream.pendingBytes === 0) return;
    this.#open.set(id, open);
    this.#outbox.send(op.PENDING, id, session.id, stream.pendingBytes);
  }

  /** The stream stays known while some of its bytes wait. */
  #end(open: OpenStream | undefined): void {
    if (!open) return;
    open.stream.end();
    if (open.stream.pendingBytes === 0) this.#open.delete(open.id);
  }

  #begin(reader: BatchReader): void {
    const open = this.#open.get(reader.next<number>());
    const status = reader.next<number>();
    const headers = reader.next<ResponseHeaders>();
    const length = headers['content-length'];
    open?.stream.begin(
      this.#heads.common(status, headers),
      this.#heads.own(headers[AUDIT_ID], length === undefined ? undefined : Number(length)),
    );
  }

  #write(reader: BatchReader): void {
    const open = this.#open.get(reader.next<number>());
    const piece = reader.bytes();
    if (!open || open.stream.closed) return;
    open.unreported += piece.length;
    open.stream.write(open.stream.takes(piece.length) ? piece : reader.retained(piece), () => this.#wasWritten(open));
  }

  /** Reports are batched as well: a thousand watchers accept an event at once. */
  #wasWritten(open: OpenStream): void {
    this.#written.add(open);
    if (this.#written.size === 1) void this.#clock.yield().then(() => this.#report());
  }

  #report(): void {
    for (const open of this.#written) {
      const drained = open.unreported - open.stream.pendingBytes;
      if (drained <= 0) continue;
      open.unreported -= drained;
      this.#outbox.send(op.DRAINED, open.id, drained);
    }
    this.#written.clear();
  }

  #writeLarge(id: number, length: number, buffer: Buffer): void {
    const giveBack = (): void => this.#outbox.transfer(buffer.buffer as ArrayBuffer, op.BUFFER_RETURNED, id);
    const open = this.#open.get(id);
    if (open) open.stream.write(buffer.subarray(0, length), giveBack);
    else giveBack();
  }

  #sendBody(id: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    const sendBody = (state: number, body: Uint8Array): void => {
      this.#outbox.send(op.BODY, id, state);
      this.#outbox.bytes(body);
    };
    void this.#read(open).then(
      (body) => sendBody(op.COMPLETE, body),
      (error: unknown) =>
        sendBody(error instanceof BodyError && error.reason === 'TooLarge' ? op.TOO_LARGE : op.CUT_OFF, NOTHING),
    );
  }
}

/** `fields` are names and values in turn; the target differs with every request. */
function sameButTarget(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 2) {
    if (one[i] !== other[i]) return false;
    if (one[i + 1] !== other[i + 1] && one[i] !== ':path') return false;
  }
  return true;
}
