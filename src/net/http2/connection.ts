/**
 * The server side of an HTTP/2 connection. Node's own costs five times as much per request: it creates a Duplex stream
 * and a headers object and calls into TLS for each of them.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../kernel/index.ts';
import { AbuseBudget } from './abuse-budget.ts';
import {
  checkLength,
  dependsOnItself,
  grownWindow,
  checkOnConnection,
  checkOnStream,
  PRIORITY_BYTES,
  withoutPadding,
  withoutPriority,
} from './frame-checks.ts';
import { FrameReader } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import * as f from './frames.ts';
import { HeaderBlock } from './header-block.ts';
import { HpackDecoder, type Decoded } from './hpack-decoder.ts';
import type { Head } from './hpack-encoder.ts';
import { IdleTimeout, type IdleTimeoutLimits } from './idle-timeout.ts';
import { declaredContentLength, areTrailers, INVALID_REQUEST } from './request-head.ts';
import { readSettings, settingsPayload } from './settings.ts';
import { Http2Stream, type StreamConnection } from './stream.ts';
import { WriteScheduler } from './write-scheduler.ts';

export interface Http2Options extends IdleTimeoutLimits {
  readonly clock: Clock;
  readonly maxHeaderBytes: number;
  readonly maxHeaderPairs: number;
  readonly maxConcurrentStreams: number;
  /** Flow-control windows: how many bytes a peer may send that the server has not consumed. */
  readonly streamWindow: number;
  readonly connectionWindow: number;
}

export interface Http2Listener {
  /** The headers of a request have arrived. */
  begin(stream: Http2Stream, connection: Http2Connection): void;
  closed?(connection: Http2Connection): void;
}

/** With this much unsent, the server stops reading: the peer does not read its responses. */
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
/**
 * Frames that the peer sent before it received a reset are no error; the connection remembers this many reset streams.
 */
const MAX_RESET_STREAMS = 1024;
/** How long a peer may take to read the GOAWAY before its socket is destroyed. */
const GOAWAY_MS = 1000;
const MIN_GOAWAY_BYTES = 8;
const NOTHING = Buffer.alloc(0);
const TOO_MANY_HEADERS: Head = [':status', '431'];

export class Http2Connection implements StreamConnection {
  sendWindow = f.INITIAL_WINDOW;
  readonly maxFrameBytes = f.MIN_MAX_FRAME_BYTES;
  readonly receiveWindow: number;
  readonly creditBytes: number;
  readonly #writer: FrameWriter;
  readonly #decoder: HpackDecoder;
  readonly #abuse: AbuseBudget;
  readonly #streams = new Map<number, Http2Stream>();
  readonly #scheduler = new WriteScheduler(this);
  /** Streams that the server reset. */
  readonly #reset = new Set<number>();
  readonly #idleTimeout: IdleTimeout;
  readonly #reader = new FrameReader();
  #settled = false;
  /** The highest stream id that the peer has used, how many ids it used, and the last one that was served. */
  #lastStream = 0;
  #usedStreams = 0;
  #lastServed = 0;
  #streamWindow = f.INITIAL_WINDOW;
  #connectionWindow: number;
  #uncredited = 0;
  #block: HeaderBlock | undefined;
  #goingAway = false;
  #over = false;
  #reported = false;
  #goAwayTimer: Timer | undefined;
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
    this.#abuse = new AbuseBudget(options.clock);
    // Before the peer has our SETTINGS, it uses the protocol's initial windows.
    this.receiveWindow = Math.max(f.INITIAL_WINDOW, options.streamWindow);
    this.creditBytes = options.streamWindow / 2;
    this.#connectionWindow = Math.max(f.INITIAL_WINDOW, options.connectionWindow);
    this.#idleTimeout = new IdleTimeout(options.clock, options, this);
    this.#sendSettings();
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
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
    this.#writer.flush();
    this.#over = true;
    this.#closeStreams();
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
    return this.#settled;
  }

  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  /** GOAWAY names the last stream that the server has served, so a client can retry requests that were in flight. */
  timedOut(): void {
    this.#goAway(f.ERROR.none, '');
    this.#end();
  }

  #sendSettings(): void {
    const { maxConcurrentStreams, streamWindow, maxHeaderBytes } = this.#options;
    const settings = settingsPayload([
      [f.SETTING.maxConcurrentStreams, maxConcurrentStreams],
      [f.SETTING.initialWindowSize, streamWindow],
      [f.SETTING.maxHeaderListSize, maxHeaderBytes],
    ]);
    this.#writer.control(f.SETTINGS, 0, 0, settings);
    if (this.#connectionWindow > f.INITIAL_WINDOW)
      this.#writer.windowUpdate(0, this.#connectionWindow - f.INITIAL_WINDOW);
  }

  // Receiving

  #receive(chunk: Buffer): void {
    if (this.#over) return;
    try {
      this.#reader.read(chunk, this.#onFrame, this.#isOver);
    } catch (error) {
      if (!(error instanceof f.ConnectionError)) throw error;
      this.#goAway(error.code, error.message);
      this.#end();
      return;
    }
    if (this.socket.writableLength > MAX_UNSENT_BYTES) this.socket.pause();
  }

  readonly #isOver = (): boolean => this.#over;
  readonly #onFrame = (type: number, flags: number, stream: number, payload: Buffer): void =>
    this.#frame(type, flags, stream, payload);

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (!this.#settled && (type !== f.SETTINGS || flags & f.ACK))
      throw new f.ConnectionError(f.ERROR.protocol, 'the first frame is not SETTINGS');
    if (this.#block && type !== f.CONTINUATION)
      throw new f.ConnectionError(f.ERROR.protocol, 'a header block is not finished');
    switch (type) {
      case f.DATA:
        return this.#data(flags, stream, payload);
      case f.HEADERS:
        return this.#headers(flags, stream, payload);
      case f.CONTINUATION:
        return this.#continuation(flags, stream, payload);
      case f.RST_STREAM:
        return this.#rstStream(stream, payload);
      case f.SETTINGS:
        return this.#settings(flags, stream, payload);
      case f.PING:
        checkLength(payload, 8);
        checkOnConnection(stream);
        if (!(flags & f.ACK)) this.#writer.control(f.PING, f.ACK, 0, payload);
        return;
      case f.WINDOW_UPDATE:
        return this.#windowUpdate(stream, payload);
      case f.PRIORITY:
        return this.#priority(stream, payload);
      case f.GOAWAY:
        checkOnConnection(stream);
        if (payload.length < MIN_GOAWAY_BYTES) checkLength(payload, MIN_GOAWAY_BYTES);
        return;
      case f.PUSH_PROMISE:
        throw new f.ConnectionError(f.ERROR.protocol, 'a client sent PUSH_PROMISE');
      default:
    }
  }

  #data(flags: number, id: number, payload: Buffer): void {
    checkOnStream(id);
    this.#connectionWindow -= payload.length;
    if (this.#connectionWindow < 0)
      throw new f.ConnectionError(f.ERROR.flowControl, 'the connection window is exceeded');
    const bytes = withoutPadding(flags, payload);
    if (payload.length === 0 && !(flags & f.END_STREAM)) this.#abuse.count();
    const stream = this.#streams.get(id);
    if (!stream || stream.remoteEnded) {
      this.#notIdle(id);
      this.credit(payload.length);
      return this.#refuse(id, f.ERROR.streamClosed);
    }
    const error = stream.receive(bytes, payload.length) || (flags & f.END_STREAM ? stream.receiveEnd() : f.ERROR.none);
    if (error) this.#refuse(id, error);
  }

  #headers(flags: number, id: number, payload: Buffer): void {
    checkOnStream(id);
    const content = withoutPadding(flags, payload);
    const fields = withoutPriority(flags, content);
    const selfDependent = (flags & f.WITH_PRIORITY) !== 0 && dependsOnItself(id, content);
    const block = new HeaderBlock(id, (flags & f.END_STREAM) !== 0, selfDependent, fields);
    if (flags & f.END_HEADERS) this.#head(block, fields);
    else this.#block = block;
  }

  /** Priorities are checked and ignored: streams are served round robin. */
  #priority(id: number, payload: Buffer): void {
    checkOnStream(id);
    checkLength(payload, PRIORITY_BYTES);
    if (!dependsOnItself(id, payload)) return;
    // This closes a stream that was not open yet.
    if (id % 2 === 1 && id > this.#lastStream) this.#countStream(id);
    this.#refuse(id, f.ERROR.protocol);
  }

  #continuation(flags: number, id: number, payload: Buffer): void {
    const block = this.#block;
    if (!block || block.stream !== id) throw new f.ConnectionError(f.ERROR.protocol, 'CONTINUATION without HEADERS');
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
    this.#countStream(id);
    if (selfDependent) return this.#refuse(id, f.ERROR.protocol);
    // A client retries streams after the last one that GOAWAY named.
    if (this.#goingAway || this.#streams.size >= this.#options.maxConcurrentStreams)
      return this.reset(id, f.ERROR.refusedStream);
    this.#lastServed = id;
    const { fields, valid, tooMany } = decoded;
    let declaredBytes = NaN;
    if (!tooMany) {
      declaredBytes = valid ? declaredContentLength(fields) : INVALID_REQUEST;
      if (declaredBytes === INVALID_REQUEST || (endStream && declaredBytes > 0))
        return this.#refuse(id, f.ERROR.protocol);
    }
    const stream = new Http2Stream(id, fields, { endStream, declaredBytes, sendWindow: this.#streamWindow }, this);
    this.#streams.set(id, stream);
    if (tooMany) stream.answer(TOO_MANY_HEADERS, []);
    else this.#listener.begin(stream, this);
  }

  #trailers(stream: Http2Stream, endStream: boolean, { fields, valid }: Decoded): void {
    const accepted = endStream && valid && areTrailers(fields);
    const error = stream.remoteEnded ? f.ERROR.streamClosed : accepted ? stream.receiveEnd() : f.ERROR.protocol;
    if (error) this.#refuse(stream.id, error);
  }

  #countStream(id: number): void {
    this.#lastStream = id;
    this.#usedStreams++;
  }

  /** Headers of a stream that is closed, or whose id was skipped. */
  #notNew(id: number): void {
    if (this.#reset.has(id)) return;
    const isClosed = id % 2 === 1 && this.#lastStream === 2 * this.#usedStreams - 1;
    throw new f.ConnectionError(isClosed ? f.ERROR.streamClosed : f.ERROR.protocol, 'HEADERS on a closed stream');
  }

  #notIdle(id: number): void {
    if (id > this.#lastStream || id % 2 === 0)
      throw new f.ConnectionError(f.ERROR.protocol, 'a frame on an idle stream');
  }

  /** A stream error: resets the stream and keeps the connection (RFC 9113, 5.4.2). */
  #refuse(id: number, code: number): void {
    if (this.#reset.has(id)) return;
    this.#abuse.count();
    const stream = this.#streams.get(id);
    if (stream) stream.reset(code);
    else this.reset(id, code);
  }

  #rstStream(id: number, payload: Buffer): void {
    checkOnStream(id);
    checkLength(payload, 4);
    this.#notIdle(id);
    const stream = this.#streams.get(id);
    if (!stream) return;
    this.#abuse.count();
    stream.close();
  }

  #settings(flags: number, stream: number, payload: Buffer): void {
    checkOnConnection(stream);
    if (flags & f.ACK) return checkLength(payload, 0);
    if (this.#settled) this.#abuse.count();
    this.#settled = true;
    const { tableBytes, windowBytes } = readSettings(payload);
    if (tableBytes !== undefined) this.#writer.encoder.tableBytes = tableBytes;
    if (windowBytes !== undefined) this.#resizeWindows(windowBytes);
    this.#writer.control(f.SETTINGS, f.ACK, 0, NOTHING);
    this.#scheduler.run();
  }

  #resizeWindows(bytes: number): void {
    const more = bytes - this.#streamWindow;
    this.#streamWindow = bytes;
    for (const stream of this.#streams.values()) stream.sendWindow = grownWindow(stream.sendWindow, more);
  }

  #windowUpdate(id: number, payload: Buffer): void {
    checkLength(payload, 4);
    const more = payload.readUInt32BE() & f.MAX_WINDOW;
    if (id === 0) {
      if (more === 0) throw new f.ConnectionError(f.ERROR.protocol, 'WINDOW_UPDATE of 0');
      this.sendWindow = grownWindow(this.sendWindow, more);
      this.#scheduler.run();
      return;
    }
    const stream = this.#streams.get(id);
    if (!stream) return this.#notIdle(id);
    if (more === 0) return this.#refuse(id, f.ERROR.protocol);
    if (stream.sendWindow + more > f.MAX_WINDOW) return this.#refuse(id, f.ERROR.flowControl);
    stream.sendWindow += more;
    this.#scheduler.resume(stream);
  }

  // StreamConnection

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
    this.#reset.add(stream);
    if (this.#reset.size > MAX_RESET_STREAMS) for (const oldest of this.#reset) return void this.#reset.delete(oldest);
  }

  waitForRoom(stream: Http2Stream): void {
    this.#scheduler.wait(stream);
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
    this.#scheduler.forget(stream);
    if (this.isIdle) this.#idleTimeout.becameIdle();
    this.#endIfIdle();
  }

  // Closing

  #drained(): void {
    if (this.socket.isPaused()) this.socket.resume();
    this.#scheduler.run();
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

  /** The peer has closed its side. A request that it did not finish gets no answer. */
  #ended(): void {
    for (const stream of this.#streams.values()) if (!stream.remoteEnded) stream.close();
    this.#goingAway = true;
    this.#endIfIdle();
  }

  #end(): void {
    this.#writer.flush();
    this.#over = true;
    this.socket.end();
    this.#goAwayTimer ??= this.#options.clock.after(GOAWAY_MS, () => this.socket.destroy());
    this.#closeStreams();
  }

  #closed(): void {
    this.#over = true;
    this.#goAwayTimer?.cancel();
    this.#idleTimeout.cancel();
    this.#closeStreams();
    if (this.#reported) return;
    this.#reported = true;
    this.#listener.closed?.(this);
  }

  #closeStreams(): void {
    for (const stream of this.#streams.values()) stream.close();
  }
}
