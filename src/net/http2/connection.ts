/**
 * The server's side of a connection that speaks HTTP/2. Node's own costs five times as much for a request: it makes a
 * stream with all its machinery, an object of headers and a call into TLS for each.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../kernel/index.ts';
import {
  checkLength,
  dependsOnItself,
  enlarged,
  ofConnection,
  ofStream,
  PRIORITY_BYTES,
  withoutPadding,
  withoutPriority,
} from './frame-checks.ts';
import { FrameWriter } from './frame-writer.ts';
import * as f from './frames.ts';
import { HeaderBlock } from './header-block.ts';
import { HpackDecoder, type Decoded } from './hpack-decoder.ts';
import type { Head } from './hpack-encoder.ts';
import { Patience, type PatienceLimits } from './patience.ts';
import { announcedBytes, areTrailers, NO_REQUEST } from './request-head.ts';
import { SendTurns } from './send-turns.ts';
import { readSettings, settingsPayload } from './settings.ts';
import { Http2Stream, type StreamConnection } from './stream.ts';
import { Trouble } from './trouble.ts';

export interface Http2Options extends PatienceLimits {
  readonly clock: Clock;
  readonly maxHeaderBytes: number;
  readonly maxHeaderPairs: number;
  readonly maxConcurrentStreams: number;
  /** What a stream, and a connection, may have on its way to us. */
  readonly streamWindow: number;
  readonly connectionWindow: number;
}

export interface Http2Listener {
  /** A request's head is here. */
  begin(stream: Http2Stream, connection: Http2Connection): void;
  closed?(connection: Http2Connection): void;
}

/** A peer that does not take its answers is not read from either. */
const DEAF_BYTES = 4 * 1024 * 1024;
/** What a peer sent of a stream before it heard that we gave it up is not held against it. */
const MOST_GIVEN_UP = 1024;
/** Whoever broke the protocol may read why for so long. */
const FAREWELL_MS = 1000;
const MIN_GOAWAY_BYTES = 8;
const NOTHING = Buffer.alloc(0);
const TOO_MANY_HEADERS: Head = [':status', '431'];

export class Http2Connection implements StreamConnection {
  sendWindow = f.FIRST_WINDOW;
  readonly maxFrameBytes = f.SMALLEST_MAX_FRAME;
  readonly receiveWindow: number;
  readonly creditBytes: number;
  readonly #writer: FrameWriter;
  readonly #decoder: HpackDecoder;
  readonly #trouble: Trouble;
  readonly #streams = new Map<number, Http2Stream>();
  readonly #turns = new SendTurns(this);
  readonly #givenUp = new Set<number>();
  readonly #patience: Patience;
  #rest: Buffer = NOTHING;
  #begun = false;
  #settled = false;
  /** The highest that the peer has used, how many those were, and the last that was served. */
  #lastStream = 0;
  #usedStreams = 0;
  #lastServed = 0;
  #streamWindow = f.FIRST_WINDOW;
  #connectionWindow: number;
  #uncredited = 0;
  #block: HeaderBlock | undefined;
  #goingAway = false;
  #over = false;
  #reported = false;
  #farewell: Timer | undefined;
  readonly #options: Http2Options;
  readonly #listener: Http2Listener;

  constructor(
    readonly socket: Duplex,
    options: Http2Options,
    listener: Http2Listener,
  ) {
    this.#options = options;
    this.#listener = listener;
    this.#writer = new FrameWriter(socket);
    this.#decoder = new HpackDecoder({ bytes: options.maxHeaderBytes, pairs: options.maxHeaderPairs });
    this.#trouble = new Trouble(options.clock);
    // A peer begins with the windows that everybody has.
    this.receiveWindow = Math.max(f.FIRST_WINDOW, options.streamWindow);
    this.creditBytes = options.streamWindow / 2;
    this.#connectionWindow = Math.max(f.FIRST_WINDOW, options.connectionWindow);
    this.#patience = new Patience(options.clock, options, this);
    this.#announce();
    socket.on('data', (piece: Buffer) => this.#receive(piece));
    socket.on('drain', () => this.#drained());
    socket.on('error', () => this.destroy());
    socket.once('end', () => this.#ended());
    socket.once('close', () => this.#closed());
  }

  /** Lets what has begun come to its end, and nothing new begin. */
  close(): void {
    if (this.#goingAway) return;
    this.#goAway(f.ERROR.none, '');
    this.#endIfIdle();
  }

  /** Ends everything, but for what was said already: it is on its way, unless the peer does not take it. */
  async leave(): Promise<void> {
    const { socket } = this;
    this.#writer.flush();
    this.#over = true;
    this.#closeStreams();
    if (!socket.destroyed && !socket.writableFinished) {
      await new Promise<void>((resolve) => {
        this.#farewell ??= this.#options.clock.after(FAREWELL_MS, resolve);
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
    return this.#settled;
  }

  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  /** A request that is on its way comes after the last one that the farewell names: its client takes it elsewhere. */
  giveUp(): void {
    this.#goAway(f.ERROR.none, '');
    this.#abandon();
  }

  #announce(): void {
    const { maxConcurrentStreams, streamWindow, maxHeaderBytes } = this.#options;
    const settings = settingsPayload([
      [f.SETTING.maxConcurrentStreams, maxConcurrentStreams],
      [f.SETTING.initialWindowSize, streamWindow],
      [f.SETTING.maxHeaderListSize, maxHeaderBytes],
    ]);
    this.#writer.control(f.SETTINGS, 0, 0, settings);
    if (this.#connectionWindow > f.FIRST_WINDOW) this.#writer.windowUpdate(0, this.#connectionWindow - f.FIRST_WINDOW);
  }

  // What arrives

  #receive(piece: Buffer): void {
    if (this.#over) return;
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    try {
      this.#rest = bytes.subarray(this.#frames(bytes));
    } catch (error) {
      if (!(error instanceof f.ConnectionError)) throw error;
      this.#goAway(error.code, error.message);
      this.#abandon();
      return;
    }
    if (this.socket.writableLength > DEAF_BYTES) this.socket.pause();
  }

  /** Gives where the first frame begins that is not whole yet. */
  #frames(bytes: Buffer): number {
    let at = 0;
    if (!this.#begun) {
      const length = Math.min(bytes.length, f.PREFACE.length);
      if (bytes.compare(f.PREFACE, 0, length, 0, length) !== 0)
        throw new f.ConnectionError(f.ERROR.protocol, 'no preface');
      if (length < f.PREFACE.length) return 0;
      this.#begun = true;
      at = length;
    }
    while (bytes.length - at >= f.FRAME_HEADER_BYTES && !this.#over) {
      const length = bytes.readUIntBE(at, 3);
      if (length > f.SMALLEST_MAX_FRAME) throw new f.ConnectionError(f.ERROR.frameSize, 'a frame is too large');
      const end = at + f.FRAME_HEADER_BYTES + length;
      if (bytes.length < end) break;
      this.#frame(
        bytes[at + 3]!,
        bytes[at + 4]!,
        bytes.readUInt32BE(at + 5) & f.LARGEST_WINDOW,
        bytes.subarray(at + f.FRAME_HEADER_BYTES, end),
      );
      at = end;
    }
    return at;
  }

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (!this.#settled && (type !== f.SETTINGS || flags & f.ACK))
      throw new f.ConnectionError(f.ERROR.protocol, 'settings come first');
    if (this.#block && type !== f.CONTINUATION)
      throw new f.ConnectionError(f.ERROR.protocol, 'a header block is not complete');
    switch (type) {
      case f.DATA:
        return this.#data(flags, stream, payload);
      case f.HEADERS:
        return this.#headers(flags, stream, payload);
      case f.CONTINUATION:
        return this.#continuation(flags, stream, payload);
      case f.RST_STREAM:
        return this.#wasReset(stream, payload);
      case f.SETTINGS:
        return this.#settings(flags, stream, payload);
      case f.PING:
        checkLength(payload, 8);
        ofConnection(stream);
        if (!(flags & f.ACK)) this.#writer.control(f.PING, f.ACK, 0, payload);
        return;
      case f.WINDOW_UPDATE:
        return this.#windowUpdate(stream, payload);
      case f.PRIORITY:
        return this.#priority(stream, payload);
      case f.GOAWAY:
        ofConnection(stream);
        if (payload.length < MIN_GOAWAY_BYTES) checkLength(payload, MIN_GOAWAY_BYTES);
        return;
      case f.PUSH_PROMISE:
        throw new f.ConnectionError(f.ERROR.protocol, 'a client pushes nothing');
      default:
    }
  }

  #data(flags: number, id: number, payload: Buffer): void {
    ofStream(id);
    this.#connectionWindow -= payload.length;
    if (this.#connectionWindow < 0) throw new f.ConnectionError(f.ERROR.flowControl, 'more data than was allowed');
    const bytes = withoutPadding(flags, payload);
    if (payload.length === 0 && !(flags & f.END_STREAM)) this.#trouble.count();
    const stream = this.#streams.get(id);
    if (!stream || stream.remoteEnded) {
      this.#notIdle(id);
      this.credit(payload.length);
      return this.#refuse(id, f.ERROR.streamClosed);
    }
    const wrong = stream.receive(bytes, payload.length) || (flags & f.END_STREAM ? stream.receiveEnd() : f.ERROR.none);
    if (wrong) this.#refuse(id, wrong);
  }

  #headers(flags: number, id: number, payload: Buffer): void {
    ofStream(id);
    const content = withoutPadding(flags, payload);
    const fields = withoutPriority(flags, content);
    const selfDependent = (flags & f.WITH_PRIORITY) !== 0 && dependsOnItself(id, content);
    const block = new HeaderBlock(id, (flags & f.END_STREAM) !== 0, selfDependent, fields);
    if (flags & f.END_HEADERS) this.#head(block, fields);
    else this.#block = block;
  }

  /** Priorities are not used: streams take turns. */
  #priority(id: number, payload: Buffer): void {
    ofStream(id);
    checkLength(payload, PRIORITY_BYTES);
    if (!dependsOnItself(id, payload)) return;
    // A stream that has not begun is over with this.
    if (id % 2 === 1 && id > this.#lastStream) this.#use(id);
    this.#refuse(id, f.ERROR.protocol);
  }

  #continuation(flags: number, id: number, payload: Buffer): void {
    const block = this.#block;
    if (!block || block.stream !== id) throw new f.ConnectionError(f.ERROR.protocol, 'a continuation of nothing');
    block.add(payload, this.#options.maxHeaderBytes);
    if (!(flags & f.END_HEADERS)) return;
    this.#block = undefined;
    this.#head(block, block.whole());
  }

  #head({ stream: id, endStream, selfDependent }: HeaderBlock, block: Buffer): void {
    const decoded = this.#decoder.decode(block);
    const known = this.#streams.get(id);
    if (known) return selfDependent ? this.#refuse(id, f.ERROR.protocol) : this.#trailers(known, endStream, decoded);
    if (id % 2 === 0 || id <= this.#lastStream) return this.#notNew(id);
    this.#use(id);
    if (selfDependent) return this.#refuse(id, f.ERROR.protocol);
    // What comes after the last one that a farewell named is not looked at: its client takes it elsewhere.
    if (this.#goingAway || this.#streams.size >= this.#options.maxConcurrentStreams)
      return this.reset(id, f.ERROR.refusedStream);
    this.#lastServed = id;
    const { fields, good, tooMany } = decoded;
    let declaredBytes = NaN;
    if (!tooMany) {
      declaredBytes = good ? announcedBytes(fields) : NO_REQUEST;
      if (declaredBytes === NO_REQUEST || (endStream && declaredBytes > 0)) return this.#refuse(id, f.ERROR.protocol);
    }
    const stream = new Http2Stream(id, fields, { endStream, declaredBytes, sendWindow: this.#streamWindow }, this);
    this.#streams.set(id, stream);
    if (tooMany) stream.answer(TOO_MANY_HEADERS, []);
    else this.#listener.begin(stream, this);
  }

  #trailers(stream: Http2Stream, endStream: boolean, { fields, good }: Decoded): void {
    const areGood = endStream && good && areTrailers(fields);
    const wrong = stream.remoteEnded ? f.ERROR.streamClosed : areGood ? stream.receiveEnd() : f.ERROR.protocol;
    if (wrong) this.#refuse(stream.id, wrong);
  }

  #use(id: number): void {
    this.#lastStream = id;
    this.#usedStreams++;
  }

  /** Headers of a stream that is over, or was passed over. */
  #notNew(id: number): void {
    if (this.#givenUp.has(id)) return;
    const isOver = id % 2 === 1 && this.#lastStream === 2 * this.#usedStreams - 1;
    throw new f.ConnectionError(isOver ? f.ERROR.streamClosed : f.ERROR.protocol, 'not a new stream');
  }

  #notIdle(id: number): void {
    if (id > this.#lastStream || id % 2 === 0)
      throw new f.ConnectionError(f.ERROR.protocol, 'a frame of a stream that never began');
  }

  /** The peer did something wrong with a stream, which gives it up, and not the whole connection. */
  #refuse(id: number, code: number): void {
    if (this.#givenUp.has(id)) return;
    this.#trouble.count();
    const stream = this.#streams.get(id);
    if (stream) stream.reset(code);
    else this.reset(id, code);
  }

  #wasReset(id: number, payload: Buffer): void {
    ofStream(id);
    checkLength(payload, 4);
    this.#notIdle(id);
    const stream = this.#streams.get(id);
    if (!stream) return;
    this.#trouble.count();
    stream.close();
  }

  #settings(flags: number, stream: number, payload: Buffer): void {
    ofConnection(stream);
    if (flags & f.ACK) return checkLength(payload, 0);
    if (this.#settled) this.#trouble.count();
    this.#settled = true;
    const { tableBytes, windowBytes } = readSettings(payload);
    if (tableBytes !== undefined) this.#writer.encoder.tableBytes = tableBytes;
    if (windowBytes !== undefined) this.#resizeWindows(windowBytes);
    this.#writer.control(f.SETTINGS, f.ACK, 0, NOTHING);
    this.#turns.take();
  }

  #resizeWindows(bytes: number): void {
    const more = bytes - this.#streamWindow;
    this.#streamWindow = bytes;
    for (const stream of this.#streams.values()) stream.sendWindow = enlarged(stream.sendWindow, more);
  }

  #windowUpdate(id: number, payload: Buffer): void {
    checkLength(payload, 4);
    const more = payload.readUInt32BE() & f.LARGEST_WINDOW;
    if (id === 0) {
      if (more === 0) throw new f.ConnectionError(f.ERROR.protocol, 'no more window');
      this.sendWindow = enlarged(this.sendWindow, more);
      this.#turns.take();
      return;
    }
    const stream = this.#streams.get(id);
    if (!stream) return this.#notIdle(id);
    if (more === 0) return this.#refuse(id, f.ERROR.protocol);
    if (stream.sendWindow + more > f.LARGEST_WINDOW) return this.#refuse(id, f.ERROR.flowControl);
    stream.sendWindow += more;
    this.#turns.takeOf(stream);
  }

  // What streams need

  get congested(): boolean {
    return this.#writer.congested;
  }

  headers(stream: number, flags: number, common: Head, own: Head): void {
    this.#writer.headers(stream, flags, common, own);
  }

  data(stream: number, flags: number, bytes: Uint8Array, from: number, to: number): void {
    this.#writer.data(stream, flags, bytes, from, to);
  }

  reset(stream: number, code: number): void {
    const payload = Buffer.allocUnsafe(4);
    payload.writeUInt32BE(code);
    this.#writer.control(f.RST_STREAM, 0, stream, payload);
    this.#givenUp.add(stream);
    if (this.#givenUp.size > MOST_GIVEN_UP)
      for (const oldest of this.#givenUp) return void this.#givenUp.delete(oldest);
  }

  waitForRoom(stream: Http2Stream): void {
    this.#turns.wait(stream);
  }

  credit(bytes: number): void {
    this.#uncredited += bytes;
    if (this.#uncredited < this.#options.connectionWindow / 2 || this.#over) return;
    this.#connectionWindow += this.#uncredited;
    this.#writer.windowUpdate(0, this.#uncredited);
    this.#uncredited = 0;
  }

  creditStream(stream: number, bytes: number): void {
    if (!this.#over) this.#writer.windowUpdate(stream, bytes);
  }

  closed(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    this.#turns.forget(stream);
    if (this.isIdle) this.#patience.rest();
    this.#endIfIdle();
  }

  // The end

  #drained(): void {
    if (this.socket.isPaused()) this.socket.resume();
    this.#turns.take();
  }

  #goAway(code: number, message: string): void {
    this.#goingAway = true;
    const text = Buffer.from(message, 'latin1');
    const payload = Buffer.alloc(8 + text.length);
    payload.writeUInt32BE(code, payload.writeUInt32BE(this.#lastServed));
    text.copy(payload, 8);
    this.#writer.control(f.GOAWAY, 0, 0, payload);
  }

  #endIfIdle(): void {
    if (!this.#goingAway || this.#streams.size > 0 || this.#over) return;
    this.#writer.flush();
    this.socket.end();
  }

  /** The peer says nothing more: who broke off in the middle of a request gets no answer. */
  #ended(): void {
    for (const stream of this.#streams.values()) if (!stream.remoteEnded) stream.close();
    this.#goingAway = true;
    this.#endIfIdle();
  }

  #abandon(): void {
    this.#writer.flush();
    this.#over = true;
    this.socket.end();
    this.#farewell ??= this.#options.clock.after(FAREWELL_MS, () => this.socket.destroy());
    this.#closeStreams();
  }

  #closed(): void {
    this.#over = true;
    this.#farewell?.cancel();
    this.#patience.end();
    this.#closeStreams();
    if (this.#reported) return;
    this.#reported = true;
    this.#listener.closed?.(this);
  }

  #closeStreams(): void {
    for (const stream of this.#streams.values()) stream.close();
  }
}
