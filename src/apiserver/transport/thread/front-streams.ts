import type { Clock, Timer } from '../../../kernel/index.ts';
/** The requests of HTTP/2 in the front's thread. */
import { BodyError, HTTP2_ERROR, type Http2Connection, type Http2Stream } from '../../../net/http2/index.ts';
import type { ResponseHeaders } from '../../request/request.ts';
import { AnswerHeads, AUDIT_ID } from '../answer-head.ts';
import { separateIdentityHeaders } from '../identity-headers.ts';
import { peerOf } from '../peer.ts';
import type { BatchReader, Outbox } from './batch.ts';
import * as op from './operations.ts';
import { ToldHeads } from './told-heads.ts';

/** A body of that length comes with its request; a longer one is read when the pipeline wants it. */
const SHORT_BODY_BYTES = 64 * 1024;
/** A request whose short body does not come is passed on without it. */
const BODY_PATIENCE_MS = 1000;
/** Kinds of requests that a client alternates between. */
const REMEMBERED_HEADERS = 8;
const NOTHING = new Uint8Array(0);

interface OpenStream {
  readonly id: number;
  readonly stream: Http2Stream;
  readonly session: Session;
  body?: Promise<Buffer>;
  /** Written, and not yet reported as taken. */
  unreported: number;
}

interface Session {
  readonly id: number;
  readonly remembered: (readonly string[])[];
  next: number;
}

/** Passes a request on once; what it does without a body that is still coming. */
interface WaitingForBody {
  readonly passOn: () => void;
  readonly since: number;
}

export class FrontStreams {
  readonly #open = new Map<number, OpenStream>();
  readonly #sessions = new Map<Http2Connection, Session>();
  readonly #waiting = new Set<WaitingForBody>();
  readonly #written = new Set<OpenStream>();
  readonly #told = new ToldHeads();
  readonly #heads: AnswerHeads;
  #sweep: Timer | undefined;
  #lastStream = 0;
  #lastSession = 0;

  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly maxBodyBytes: number,
  ) {
    this.#heads = new AnswerHeads(clock);
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
      // Only now: other headers may have taken their place while the body came in.
      const place = this.#placeOf(session, stream);
      this.outbox.say(op.REQUEST, id, session.id, place, stream.field(':path') ?? '/', state);
      this.outbox.bytes(body);
    };
    if (stream.isBodiless) pass(op.COMPLETE, NOTHING);
    else if (stream.declaredBytes <= SHORT_BODY_BYTES) this.#passWithBody(open, pass);
    else pass(op.NOT_READ, NOTHING);
  }

  /** All its streams are closed. */
  ended(connection: Http2Connection): void {
    const session = this.#sessions.get(connection);
    this.#sessions.delete(connection);
    if (session) this.outbox.say(op.SESSION_CLOSED, session.id);
  }

  #passWithBody(open: OpenStream, pass: (state: number, body: Uint8Array) => void): void {
    const waiting: WaitingForBody = { since: this.clock.monotonic(), passOn: () => pass(op.NOT_READ, NOTHING) };
    this.#waiting.add(waiting);
    this.#sweep ??= this.clock.after(BODY_PATIENCE_MS, () => this.#passOnWithoutBodies());
    void this.#read(open).then(
      (body) => {
        if (this.#waiting.delete(waiting)) pass(op.COMPLETE, body);
      },
      () => {
        // Who asks for the body is told why there is none.
        if (this.#waiting.delete(waiting)) waiting.passOn();
      },
    );
  }

  #passOnWithoutBodies(): void {
    const before = this.clock.monotonic() - BODY_PATIENCE_MS;
    for (const waiting of this.#waiting) {
      if (waiting.since > before) break;
      this.#waiting.delete(waiting);
      waiting.passOn();
    }
    this.#sweep =
      this.#waiting.size > 0 ? this.clock.after(BODY_PATIENCE_MS, () => this.#passOnWithoutBodies()) : undefined;
  }

  #read(open: OpenStream): Promise<Buffer> {
    return (open.body ??= open.stream.readBody(this.maxBodyBytes));
  }

  #sessionOf(connection: Http2Connection): Session {
    let known = this.#sessions.get(connection);
    if (!known) {
      const id = ++this.#lastSession;
      known = { id, remembered: [], next: 0 };
      this.#sessions.set(connection, known);
      const { remoteAddress, certificate } = peerOf(connection.socket);
      this.outbox.say(op.SESSION, id, remoteAddress, certificate?.authorized ?? false);
      this.outbox.bytes(certificate?.raw ?? NOTHING);
    }
    return known;
  }

  #placeOf(session: Session, stream: Http2Stream): number {
    const { fields } = stream;
    const known = session.remembered.findIndex((other) => sameButTarget(other, fields));
    if (known >= 0) return known;
    const place = session.next;
    session.next = (place + 1) % REMEMBERED_HEADERS;
    session.remembered[place] = fields;
    const { ':path': _, ...told } = separateIdentityHeaders(stream.headers, fields);
    this.outbox.say(op.HEADERS, session.id, place, told);
    return place;
  }

  #closed(id: number): void {
    if (this.#open.delete(id)) this.outbox.say(op.CLOSED, id);
  }

  /** False for an operation that is not on streams. */
  perform(operation: number, reader: BatchReader): boolean {
    switch (operation) {
      case op.ANSWER:
        this.#answer(reader);
        return true;
      case op.ANSWER_HEADERS:
        this.#told.told(reader);
        return true;
      case op.BEGIN:
        this.#respond(reader);
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
      case op.WANT_BODY:
        this.#sendBody(reader.next<number>());
        return true;
      default:
        return false;
    }
  }

  /** Forgets the stream: its answer is complete. */
  #take(reader: BatchReader): OpenStream | undefined {
    const id = reader.next<number>();
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open;
  }

  #answer(reader: BatchReader): void {
    const open = this.#take(reader);
    const { common, auditId } = this.#told.read(reader);
    const body = reader.bytes();
    if (!open) return;
    const { stream, id, session } = open;
    if (body.length === 0 || stream.field(':method') === 'HEAD') return stream.answer(common, this.#heads.own(auditId));
    stream.answer(common, this.#heads.own(auditId, body.length), stream.takes(body.length) ? body : reader.kept(body));
    if (stream.pendingBytes === 0) return;
    this.#open.set(id, open);
    this.outbox.say(op.LATE, id, session.id, stream.pendingBytes);
  }

  /** It stays known as long as something of it waits. */
  #end(open: OpenStream | undefined): void {
    if (!open) return;
    open.stream.end();
    if (open.stream.pendingBytes === 0) this.#open.delete(open.id);
  }

  #respond(reader: BatchReader): void {
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
    open.stream.write(open.stream.takes(piece.length) ? piece : reader.kept(piece), () => this.#wasWritten(open));
  }

  /** Reports come together, too: a thousand watchers take an event at once. */
  #wasWritten(open: OpenStream): void {
    this.#written.add(open);
    if (this.#written.size === 1) void this.clock.yield().then(() => this.#report());
  }

  #report(): void {
    for (const open of this.#written) {
      const taken = open.unreported - open.stream.pendingBytes;
      if (taken <= 0) continue;
      open.unreported -= taken;
      this.outbox.say(op.TAKEN, open.id, taken);
    }
    this.#written.clear();
  }

  #writeLarge(id: number, length: number, buffer: Buffer): void {
    const back = (): void => this.outbox.hand(buffer.buffer as ArrayBuffer, op.RETURNED, id);
    const open = this.#open.get(id);
    if (open) open.stream.write(buffer.subarray(0, length), back);
    else back();
  }

  #sendBody(id: number): void {
    const open = this.#open.get(id);
    if (!open) return;
    const tell = (state: number, body: Uint8Array): void => {
      this.outbox.say(op.BODY, id, state);
      this.outbox.bytes(body);
    };
    void this.#read(open).then(
      (body) => tell(op.COMPLETE, body),
      (error: unknown) =>
        tell(error instanceof BodyError && error.reason === 'TooLarge' ? op.TOO_LARGE : op.CUT_OFF, NOTHING),
    );
  }
}

/** Names and values in turn; the target is another one with every request. */
function sameButTarget(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i += 2) {
    if (one[i] !== other[i]) return false;
    if (one[i + 1] !== other[i + 1] && one[i] !== ':path') return false;
  }
  return true;
}
