/**
 * The server's side of a connection that speaks HTTP/2. Node's own costs five times as much for a request: it makes a
 * stream with all its machinery, an object of headers and a call into TLS for each.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.ts';
import * as f from './frames.ts';
import { FrameWriter } from './frame-writer.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import type { Head } from './hpack-encoder.ts';
import { isRequest } from './request-head.ts';
import { Http2Stream, type StreamConnection } from './stream.ts';

export interface Http2Options {
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

/** Whoever takes requests back as soon as they are made gets so many at once, and so many a second. */
const RESETS_AT_ONCE = 2000;
const RESETS_PER_MS = 0.1;
/** A peer that does not take its answers is not read from either. */
const DEAF_BYTES = 4 * 1024 * 1024;
const MOST_CONTINUATIONS = 256;
const NOTHING = Buffer.alloc(0);
const TOO_MANY_HEADERS: Head = [':status', '431'];

interface HeaderBlock {
  readonly stream: number;
  readonly endStream: boolean;
  readonly pieces: Buffer[];
  bytes: number;
}

export class Http2Connection implements StreamConnection {
  sendWindow = f.FIRST_WINDOW;
  maxFrameBytes = f.SMALLEST_MAX_FRAME;
  readonly #writer: FrameWriter;
  readonly #decoder: HpackDecoder;
  readonly #streams = new Map<number, Http2Stream>();
  #waiting = new Set<Http2Stream>();
  #rest: Buffer = NOTHING;
  #begun = false;
  #settled = false;
  #lastStream = 0;
  #streamWindow = f.FIRST_WINDOW;
  #receiveWindow: number;
  #uncredited = 0;
  #block: HeaderBlock | undefined;
  #resets = RESETS_AT_ONCE;
  #resetsAt: number;
  #goingAway = false;
  #over = false;
  #reported = false;
  #pumpScheduled = false;

  constructor(
    readonly socket: Duplex,
    private readonly options: Http2Options,
    private readonly listener: Http2Listener,
  ) {
    this.#writer = new FrameWriter(socket);
    this.#decoder = new HpackDecoder({ bytes: options.maxHeaderBytes, pairs: options.maxHeaderPairs });
    this.#receiveWindow = options.connectionWindow;
    this.#resetsAt = options.clock.monotonic();
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

  destroy(): void {
    this.socket.destroy();
    this.#closed();
  }

  #announce(): void {
    const { maxConcurrentStreams, streamWindow, maxHeaderBytes, connectionWindow } = this.options;
    const settings = [
      [f.SETTING.maxConcurrentStreams, maxConcurrentStreams],
      [f.SETTING.initialWindowSize, streamWindow],
      [f.SETTING.maxHeaderListSize, maxHeaderBytes],
    ] as const;
    const payload = Buffer.alloc(6 * settings.length);
    for (const [i, [name, value]] of settings.entries()) payload.writeUInt32BE(value, payload.writeUInt16BE(name, 6 * i));
    this.#writer.control(f.SETTINGS, 0, 0, payload);
    this.#writer.windowUpdate(0, connectionWindow - f.FIRST_WINDOW);
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
      if (bytes.compare(f.PREFACE, 0, length, 0, length) !== 0) throw new f.ConnectionError(f.ERROR.protocol, 'no preface');
      if (length < f.PREFACE.length) return 0;
      this.#begun = true;
      at = length;
    }
    while (bytes.length - at >= f.FRAME_HEADER_BYTES && !this.#over) {
      const length = bytes.readUIntBE(at, 3);
      if (length > f.SMALLEST_MAX_FRAME) throw new f.ConnectionError(f.ERROR.frameSize, 'a frame is too large');
      const end = at + f.FRAME_HEADER_BYTES + length;
      if (bytes.length < end) break;
      this.#frame(bytes[at + 3]!, bytes[at + 4]!, bytes.readUInt32BE(at + 5) & f.LARGEST_WINDOW, bytes.subarray(at + f.FRAME_HEADER_BYTES, end));
      at = end;
    }
    return at;
  }

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (!this.#settled && type !== f.SETTINGS) throw new f.ConnectionError(f.ERROR.protocol, 'settings come first');
    if (this.#block && type !== f.CONTINUATION) throw new f.ConnectionError(f.ERROR.protocol, 'a header block is not complete');
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
        checkLength(payload, 5);
        ofStream(stream);
        return;
      case f.GOAWAY:
        ofConnection(stream);
        return;
      case f.PUSH_PROMISE:
        throw new f.ConnectionError(f.ERROR.protocol, 'a client pushes nothing');
      default:
    }
  }

  #data(flags: number, id: number, payload: Buffer): void {
    ofStream(id);
    this.#receiveWindow -= payload.length;
    if (this.#receiveWindow < 0) throw new f.ConnectionError(f.ERROR.flowControl, 'more data than was allowed');
    const bytes = withoutPadding(flags, payload);
    const stream = this.#streams.get(id);
    if (!stream || stream.remoteEnded) {
      if (id > this.#lastStream) throw new f.ConnectionError(f.ERROR.protocol, 'data of a stream that never began');
      this.credit(payload.length);
      if (stream) stream.reset(f.ERROR.streamClosed);
      return;
    }
    if (!stream.receive(bytes, payload.length) || (flags & f.END_STREAM && !stream.receiveEnd())) stream.reset(f.ERROR.protocol);
  }

  #headers(flags: number, id: number, payload: Buffer): void {
    ofStream(id);
    let block = withoutPadding(flags, payload);
    if (flags & f.WITH_PRIORITY) {
      if (block.length < 5) throw new f.ConnectionError(f.ERROR.frameSize, 'a priority is missing');
      block = block.subarray(5);
    }
    const endStream = (flags & f.END_STREAM) !== 0;
    if (flags & f.END_HEADERS) return this.#head(id, endStream, block);
    this.#block = { stream: id, endStream, pieces: [block], bytes: block.length };
  }

  #continuation(flags: number, id: number, payload: Buffer): void {
    const block = this.#block;
    if (!block || block.stream !== id) throw new f.ConnectionError(f.ERROR.protocol, 'a continuation of nothing');
    block.pieces.push(payload);
    block.bytes += payload.length;
    if (block.bytes > this.options.maxHeaderBytes || block.pieces.length > MOST_CONTINUATIONS) throw new f.ConnectionError(f.ERROR.enhanceYourCalm, 'too many headers');
    if (!(flags & f.END_HEADERS)) return;
    this.#block = undefined;
    this.#head(id, block.endStream, Buffer.concat(block.pieces));
  }

  #head(id: number, endStream: boolean, block: Buffer): void {
    const { fields, good, tooMany } = this.#decoder.decode(block);
    const known = this.#streams.get(id);
    if (known) return this.#trailers(known, endStream);
    if (id % 2 === 0 || id <= this.#lastStream) throw new f.ConnectionError(id % 2 === 0 ? f.ERROR.protocol : f.ERROR.streamClosed, 'not a new stream');
    // What comes after the last one that a farewell named is not looked at: its client takes it elsewhere.
    if (this.#goingAway) return this.reset(id, f.ERROR.refusedStream);
    this.#lastStream = id;
    if (this.#streams.size >= this.options.maxConcurrentStreams) return this.reset(id, f.ERROR.refusedStream);
    if (!tooMany && (!good || !isRequest(fields))) return this.reset(id, f.ERROR.protocol);
    const stream = new Http2Stream(id, fields, { endStream, sendWindow: this.#streamWindow }, this);
    if (stream.declaredBytes < 0 || (!endStream && Number.isNaN(stream.declaredBytes) && fields.includes('content-length'))) return this.reset(id, f.ERROR.protocol);
    this.#streams.set(id, stream);
    if (tooMany) stream.answer(TOO_MANY_HEADERS, []);
    else this.listener.begin(stream, this);
  }

  #trailers(stream: Http2Stream, endStream: boolean): void {
    if (stream.remoteEnded) stream.reset(f.ERROR.streamClosed);
    else if (!endStream || !stream.receiveEnd()) stream.reset(f.ERROR.protocol);
  }

  #wasReset(id: number, payload: Buffer): void {
    ofStream(id);
    checkLength(payload, 4);
    if (id > this.#lastStream) throw new f.ConnectionError(f.ERROR.protocol, 'a reset of a stream that never began');
    const stream = this.#streams.get(id);
    if (!stream) return;
    this.#countReset();
    stream.close();
  }

  #countReset(): void {
    const now = this.options.clock.monotonic();
    this.#resets = Math.min(RESETS_AT_ONCE, this.#resets + (now - this.#resetsAt) * RESETS_PER_MS) - 1;
    this.#resetsAt = now;
    if (this.#resets < 0) throw new f.ConnectionError(f.ERROR.enhanceYourCalm, 'too many resets');
  }

  #settings(flags: number, stream: number, payload: Buffer): void {
    ofConnection(stream);
    if (flags & f.ACK) return checkLength(payload, 0);
    if (payload.length % 6 !== 0) throw new f.ConnectionError(f.ERROR.frameSize, 'half a setting');
    this.#settled = true;
    for (let at = 0; at < payload.length; at += 6) this.#setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#writer.control(f.SETTINGS, f.ACK, 0, NOTHING);
    this.#pumpWaiting();
  }

  #setting(name: number, value: number): void {
    switch (name) {
      case f.SETTING.headerTableSize:
        this.#writer.encoder.tableBytes = value;
        break;
      case f.SETTING.enablePush:
        if (value > 1) throw new f.ConnectionError(f.ERROR.protocol, 'neither on nor off');
        break;
      case f.SETTING.initialWindowSize: {
        if (value > f.LARGEST_WINDOW) throw new f.ConnectionError(f.ERROR.flowControl, 'a window is too large');
        const more = value - this.#streamWindow;
        this.#streamWindow = value;
        for (const stream of this.#streams.values()) stream.sendWindow = enlarged(stream.sendWindow, more);
        break;
      }
      case f.SETTING.maxFrameSize:
        if (value < f.SMALLEST_MAX_FRAME || value > f.LARGEST_MAX_FRAME) throw new f.ConnectionError(f.ERROR.protocol, 'no size of a frame');
        break;
      default:
    }
  }

  #windowUpdate(id: number, payload: Buffer): void {
    checkLength(payload, 4);
    const more = payload.readUInt32BE() & f.LARGEST_WINDOW;
    if (id === 0) {
      if (more === 0) throw new f.ConnectionError(f.ERROR.protocol, 'no more window');
      this.sendWindow = enlarged(this.sendWindow, more);
      this.#pumpWaiting();
      return;
    }
    const stream = this.#streams.get(id);
    if (!stream) {
      if (id > this.#lastStream) throw new f.ConnectionError(f.ERROR.protocol, 'a window of a stream that never began');
      return;
    }
    if (more === 0) return stream.reset(f.ERROR.protocol);
    if (stream.sendWindow + more > f.LARGEST_WINDOW) return stream.reset(f.ERROR.flowControl);
    stream.sendWindow += more;
    if (this.#waiting.delete(stream)) stream.pump();
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
  }

  waitForRoom(stream: Http2Stream): void {
    this.#waiting.add(stream);
    // Its turn was over, and there is room for the next.
    if (!this.congested && this.sendWindow > 0 && stream.sendWindow > 0) this.#pumpSoon();
  }

  credit(bytes: number): void {
    this.#uncredited += bytes;
    if (this.#uncredited < this.options.connectionWindow / 2 || this.#over) return;
    this.#receiveWindow += this.#uncredited;
    this.#writer.windowUpdate(0, this.#uncredited);
    this.#uncredited = 0;
  }

  creditStream(stream: number, bytes: number): void {
    if (!this.#over) this.#writer.windowUpdate(stream, bytes);
  }

  closed(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    this.#waiting.delete(stream);
    this.#endIfIdle();
  }

  #pumpSoon(): void {
    if (this.#pumpScheduled) return;
    this.#pumpScheduled = true;
    queueMicrotask(() => {
      this.#pumpScheduled = false;
      this.#pumpWaiting();
    });
  }

  #pumpWaiting(): void {
    if (this.#waiting.size === 0) return;
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const stream of waiting) stream.pump();
  }

  // The end

  #drained(): void {
    if (this.socket.isPaused()) this.socket.resume();
    this.#pumpWaiting();
  }

  #goAway(code: number, message: string): void {
    this.#goingAway = true;
    const text = Buffer.from(message, 'latin1');
    const payload = Buffer.alloc(8 + text.length);
    payload.writeUInt32BE(code, payload.writeUInt32BE(this.#lastStream));
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
    this.#closeStreams();
  }

  #closed(): void {
    this.#over = true;
    this.#closeStreams();
    if (this.#reported) return;
    this.#reported = true;
    this.listener.closed?.(this);
  }

  #closeStreams(): void {
    for (const stream of this.#streams.values()) stream.close();
  }
}

function checkLength(payload: Buffer, bytes: number): void {
  if (payload.length !== bytes) throw new f.ConnectionError(f.ERROR.frameSize, 'a frame has not its size');
}

function ofStream(stream: number): void {
  if (stream === 0) throw new f.ConnectionError(f.ERROR.protocol, 'a frame is of no stream');
}

function ofConnection(stream: number): void {
  if (stream !== 0) throw new f.ConnectionError(f.ERROR.protocol, 'a frame is of a stream');
}

function enlarged(window: number, more: number): number {
  if (window + more > f.LARGEST_WINDOW) throw new f.ConnectionError(f.ERROR.flowControl, 'a window is too large');
  return window + more;
}

function withoutPadding(flags: number, payload: Buffer): Buffer {
  if (!(flags & f.PADDED)) return payload;
  const padding = payload[0];
  if (padding === undefined || padding >= payload.length) throw new f.ConnectionError(f.ERROR.protocol, 'more padding than frame');
  return payload.subarray(1, payload.length - padding);
}
