/**
 * The server side of an HTTP/2 connection. Node's own costs five times as much per request: it creates a Duplex stream
 * and a headers object and calls into TLS for each of them.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../kernel/index.ts';
import { AbuseBudget } from './abuse-budget.ts';
import { ConnectionCore, type ConnectionLimits } from './connection-core.ts';
import { checkLength, checkOnStream, dependsOnItself, PRIORITY_BYTES } from './frame-checks.ts';
import { FrameReader } from './frame-reader.ts';
import * as f from './frames.ts';
import type { HeaderBlock } from './header-block.ts';
import type { Decoded } from './hpack-decoder.ts';
import type { Head } from './hpack-encoder.ts';
import { IdleTimeout, type IdleTimeoutLimits } from './idle-timeout.ts';
import { declaredContentLength, areTrailers, INVALID_REQUEST } from './request-head.ts';
import { Http2Stream } from './stream.ts';

export interface Http2Options extends IdleTimeoutLimits, ConnectionLimits {
  readonly clock: Clock;
  readonly maxConcurrentStreams: number;
}

export interface Http2Listener {
  /** The headers of a request have arrived. */
  begin(stream: Http2Stream, connection: Http2Connection): void;
  closed?(connection: Http2Connection): void;
}

/** With this much unsent, the server stops reading: the peer does not read its responses. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
/** How long a peer may take to read the GOAWAY before its socket is destroyed. */
const GOAWAY_MS = 1000;
const TOO_MANY_HEADERS: Head = [':status', '431'];

export class Http2Connection extends ConnectionCore<Http2Stream> {
  readonly #abuse: AbuseBudget;
  readonly #idleTimeout: IdleTimeout;
  /** The highest stream id that the peer has used, how many ids it used, and the last one that was served. */
  #lastStream = 0;
  #usedStreams = 0;
  #lastServed = 0;
  #goingAway = false;
  #reported = false;
  #goAwayTimer: Timer | undefined;
  readonly #options: Http2Options;
  readonly #listener: Http2Listener;

  constructor(socket: Duplex, options: Http2Options, listener: Http2Listener) {
    super(socket, options, new FrameReader(f.PREFACE));
    this.#options = options;
    this.#listener = listener;
    this.#abuse = new AbuseBudget(options.clock);
    this.#idleTimeout = new IdleTimeout(options.clock, options, this);
    this.sendSettings([
      [f.SETTING.maxConcurrentStreams, options.maxConcurrentStreams],
      [f.SETTING.initialWindowSize, options.streamWindow],
      [f.SETTING.maxHeaderListSize, options.maxHeaderBytes],
    ]);
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    socket.on('drain', () => this.#drained());
    socket.on('error', () => this.destroy());
    socket.once('end', () => this.#ended());
    socket.once('close', () => this.#closed());
  }

  /** Sends GOAWAY, finishes the open streams and refuses new ones. */
  close(): void {
    if (this.#goingAway) return;
    this.#goAway(f.ERROR.none, '');
    this.#endIfIdle();
  }

  /** Closes all streams and the socket, after the peer has had a moment to read what was sent. */
  async leave(): Promise<void> {
    const { socket } = this;
    this.writer.flush();
    this.over = true;
    this.closeStreams();
    if (!socket.destroyed && !socket.writableFinished) {
      await new Promise<void>((resolve) => {
        this.#goAwayTimer ??= this.#options.clock.after(GOAWAY_MS, resolve);
        socket.once('finish', resolve).once('close', resolve).end();
      });
    }
    this.destroy();
  }

  destroy(): void {
    this.socket.destroy();
    this.#closed();
  }

  get hasBegun(): boolean {
    return this.settled;
  }

  get isIdle(): boolean {
    return this.streams.size === 0;
  }

  /** GOAWAY names the last stream that the server has served, so a client can retry requests that were in flight. */
  timedOut(): void {
    this.#goAway(f.ERROR.none, '');
    this.#end();
  }

  // Receiving

  #received(chunk: Buffer): void {
    if (this.receive(chunk) && this.socket.writableLength > MAX_UNSENT_BYTES) this.socket.pause();
  }

  protected override fail({ code, message }: f.ConnectionError): void {
    this.#goAway(code, message);
    this.#end();
  }

  protected override countAbuse(): void {
    this.#abuse.count();
  }

  /** Priorities are checked and ignored: streams are served round robin. */
  protected override priority(id: number, payload: Buffer): void {
    checkOnStream(id);
    checkLength(payload, PRIORITY_BYTES);
    if (!dependsOnItself(id, payload)) return;
    // This closes a stream that was not open yet.
    if (id % 2 === 1 && id > this.#lastStream) this.#countStream(id);
    this.refuse(id, f.ERROR.protocol);
  }

  protected override head({ stream: id, endStream, selfDependent }: HeaderBlock, decoded: Decoded): void {
    const known = this.streams.get(id);
    if (known) return selfDependent ? this.refuse(id, f.ERROR.protocol) : this.#trailers(known, endStream, decoded);
    if (id % 2 === 0 || id <= this.#lastStream) return this.#notNew(id);
    this.#countStream(id);
    if (selfDependent) return this.refuse(id, f.ERROR.protocol);
    // A client retries streams after the last one that GOAWAY named.
    if (this.#goingAway || this.streams.size >= this.#options.maxConcurrentStreams)
      return this.reset(id, f.ERROR.refusedStream);
    this.#lastServed = id;
    const { fields, valid, tooMany } = decoded;
    let declaredBytes = NaN;
    if (!tooMany) {
      declaredBytes = valid ? declaredContentLength(fields) : INVALID_REQUEST;
      if (declaredBytes === INVALID_REQUEST || (endStream && declaredBytes > 0))
        return this.refuse(id, f.ERROR.protocol);
    }
    const stream = new Http2Stream(id, fields, { endStream, declaredBytes, sendWindow: this.streamWindow }, this);
    this.streams.set(id, stream);
    if (tooMany) stream.answer(TOO_MANY_HEADERS, []);
    else this.#listener.begin(stream, this);
  }

  #trailers(stream: Http2Stream, endStream: boolean, { fields, valid }: Decoded): void {
    const accepted = endStream && valid && areTrailers(fields);
    const error = stream.remoteEnded ? f.ERROR.streamClosed : accepted ? stream.receiveEnd() : f.ERROR.protocol;
    if (error) this.refuse(stream.id, error);
  }

  #countStream(id: number): void {
    this.#lastStream = id;
    this.#usedStreams++;
  }

  /** Headers of a stream that is closed, or whose id was skipped. */
  #notNew(id: number): void {
    if (this.wasReset(id)) return;
    const isClosed = id % 2 === 1 && this.#lastStream === 2 * this.#usedStreams - 1;
    throw new f.ConnectionError(isClosed ? f.ERROR.streamClosed : f.ERROR.protocol, 'HEADERS on a closed stream');
  }

  protected override notIdle(id: number): void {
    if (id > this.#lastStream || id % 2 === 0)
      throw new f.ConnectionError(f.ERROR.protocol, 'a frame on an idle stream');
  }

  protected override resetByPeer(stream: Http2Stream): void {
    stream.close();
  }

  override closed(stream: Http2Stream): void {
    super.closed(stream);
    if (this.isIdle) this.#idleTimeout.becameIdle();
    this.#endIfIdle();
  }

  // Closing

  #drained(): void {
    if (this.socket.isPaused()) this.socket.resume();
    this.sendWaiting();
  }

  #goAway(code: number, message: string): void {
    this.#goingAway = true;
    this.sendGoAway(this.#lastServed, code, message);
  }

  #endIfIdle(): void {
    if (!this.#goingAway || this.streams.size > 0 || this.over) return;
    this.writer.flush();
    this.socket.end();
  }

  /** The peer has closed its side. A request that it did not finish gets no answer. */
  #ended(): void {
    for (const stream of this.streams.values()) if (!stream.remoteEnded) stream.close();
    this.#goingAway = true;
    this.#endIfIdle();
  }

  #end(): void {
    this.writer.flush();
    this.over = true;
    this.socket.end();
    this.#goAwayTimer ??= this.#options.clock.after(GOAWAY_MS, () => this.socket.destroy());
    this.closeStreams();
  }

  #closed(): void {
    this.over = true;
    this.#goAwayTimer?.cancel();
    this.#idleTimeout.cancel();
    this.closeStreams();
    if (this.#reported) return;
    this.#reported = true;
    this.#listener.closed?.(this);
  }
}
