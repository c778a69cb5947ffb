/**
 * What both sides of an HTTP/2 connection do alike: cut bytes into frames, put header blocks together, keep the flow-control
 * windows, and send what streams have to send.
 */
import type { Duplex } from 'node:stream';
import {
  checkLength,
  checkOnConnection,
  checkOnStream,
  dependsOnItself,
  grownWindow,
  withoutPadding,
  withoutPriority,
} from './frame-checks.ts';
import { FrameReader } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import * as f from './frames.ts';
import { HeaderBlock } from './header-block.ts';
import { HpackDecoder, type Decoded } from './hpack-decoder.ts';
import type { Head } from './hpack-encoder.ts';
import { readSettings, settingsPayload, type PeerSettings } from './settings.ts';
import type { Http2Stream, StreamConnection } from './stream.ts';
import { WriteScheduler } from './write-scheduler.ts';

export interface ConnectionLimits {
  readonly maxHeaderBytes: number;
  readonly maxHeaderPairs: number;
  /** Flow-control windows: how many bytes a peer may send that this side has not consumed. */
  readonly streamWindow: number;
  readonly connectionWindow: number;
}

/**
 * Frames that the peer sent before it received a reset are no error; the connection remembers this many reset streams.
 */
const MAX_RESET_STREAMS = 1024;
const MIN_GOAWAY_BYTES = 8;
const NOTHING = Buffer.alloc(0);

export abstract class ConnectionCore<Stream extends Http2Stream> implements StreamConnection {
  sendWindow = f.INITIAL_WINDOW;
  readonly maxFrameBytes = f.MIN_MAX_FRAME_BYTES;
  readonly receiveWindow: number;
  readonly creditBytes: number;
  protected readonly writer: FrameWriter;
  protected readonly streams = new Map<number, Stream>();
  /** The peer's first SETTINGS have arrived. */
  protected settled = false;
  /** Nothing more is read or sent. */
  protected over = false;
  /** The window with which a stream begins to send. */
  protected streamWindow = f.INITIAL_WINDOW;
  readonly #decoder: HpackDecoder;
  readonly #scheduler = new WriteScheduler(this);
  /** Streams that this side reset. */
  readonly #reset = new Set<number>();
  readonly #reader: FrameReader;
  #connectionWindow: number;
  #uncredited = 0;
  #block: HeaderBlock | undefined;
  readonly #limits: ConnectionLimits;

  constructor(
    readonly socket: Duplex,
    limits: ConnectionLimits,
    reader: FrameReader,
  ) {
    this.#limits = limits;
    this.#reader = reader;
    this.writer = new FrameWriter(socket);
    this.#decoder = new HpackDecoder({ bytes: limits.maxHeaderBytes, pairs: limits.maxHeaderPairs });
    // Before the peer has our SETTINGS, it uses the protocol's initial windows.
    this.receiveWindow = Math.max(f.INITIAL_WINDOW, limits.streamWindow);
    this.creditBytes = limits.streamWindow / 2;
    this.#connectionWindow = Math.max(f.INITIAL_WINDOW, limits.connectionWindow);
  }

  /** A violation of the protocol by the peer: the connection cannot go on. */
  protected abstract fail(error: f.ConnectionError): void;
  /** A whole header block: of a new stream, of a known one, or of one that is closed. */
  protected abstract head(block: HeaderBlock, decoded: Decoded): void;
  /** Throws when the stream has never been used. */
  protected abstract notIdle(id: number): void;
  /** The peer has reset the stream. */
  protected abstract resetByPeer(stream: Stream, code: number): void;
  protected abstract priority(id: number, payload: Buffer): void;
  /** The peer did something that is allowed, but costs more than it is worth when it is done often. */
  protected countAbuse(): void {}
  protected goAwayReceived(_lastStream: number): void {}
  protected settingsReceived(_settings: PeerSettings): void {}

  protected sendSettings(settings: readonly (readonly [name: number, value: number])[]): void {
    this.writer.control(f.SETTINGS, 0, 0, settingsPayload(settings));
    if (this.#connectionWindow > f.INITIAL_WINDOW)
      this.writer.windowUpdate(0, this.#connectionWindow - f.INITIAL_WINDOW);
  }

  // Receiving

  /** False when the connection cannot go on. */
  protected receive(chunk: Buffer): boolean {
    if (this.over) return false;
    try {
      this.#reader.read(chunk, this.#onFrame, this.#isOver);
    } catch (error) {
      if (!(error instanceof f.ConnectionError)) throw error;
      this.fail(error);
      return false;
    }
    return true;
  }

  readonly #isOver = (): boolean => this.over;
  readonly #onFrame = (type: number, flags: number, stream: number, payload: Buffer): void =>
    this.#frame(type, flags, stream, payload);

  #frame(type: number, flags: number, stream: number, payload: Buffer): void {
    if (!this.settled && (type !== f.SETTINGS || flags & f.ACK))
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
        return this.#ping(flags, stream, payload);
      case f.WINDOW_UPDATE:
        return this.#windowUpdate(stream, payload);
      case f.PRIORITY:
        return this.priority(stream, payload);
      case f.GOAWAY:
        checkOnConnection(stream);
        if (payload.length < MIN_GOAWAY_BYTES) checkLength(payload, MIN_GOAWAY_BYTES);
        return this.goAwayReceived(payload.readUInt32BE() & f.MAX_WINDOW);
      case f.PUSH_PROMISE:
        throw new f.ConnectionError(f.ERROR.protocol, 'PUSH_PROMISE is not enabled');
      default:
    }
  }

  #data(flags: number, id: number, payload: Buffer): void {
    checkOnStream(id);
    this.#connectionWindow -= payload.length;
    if (this.#connectionWindow < 0)
      throw new f.ConnectionError(f.ERROR.flowControl, 'the connection window is exceeded');
    const bytes = withoutPadding(flags, payload);
    if (payload.length === 0 && !(flags & f.END_STREAM)) this.countAbuse();
    const stream = this.streams.get(id);
    if (!stream || stream.remoteEnded) {
      this.notIdle(id);
      this.credit(payload.length);
      return this.refuse(id, f.ERROR.streamClosed);
    }
    const error = stream.receive(bytes, payload.length) || (flags & f.END_STREAM ? stream.receiveEnd() : f.ERROR.none);
    if (error) this.refuse(id, error);
  }

  #headers(flags: number, id: number, payload: Buffer): void {
    checkOnStream(id);
    const content = withoutPadding(flags, payload);
    const fields = withoutPriority(flags, content);
    const selfDependent = (flags & f.WITH_PRIORITY) !== 0 && dependsOnItself(id, content);
    const block = new HeaderBlock(id, (flags & f.END_STREAM) !== 0, selfDependent, fields);
    if (flags & f.END_HEADERS) this.head(block, this.#decoder.decode(fields));
    else this.#block = block;
  }

  #continuation(flags: number, id: number, payload: Buffer): void {
    const block = this.#block;
    if (!block || block.stream !== id) throw new f.ConnectionError(f.ERROR.protocol, 'CONTINUATION without HEADERS');
    block.add(payload, this.#limits.maxHeaderBytes);
    if (!(flags & f.END_HEADERS)) return;
    this.#block = undefined;
    this.head(block, this.#decoder.decode(block.whole()));
  }

  #rstStream(id: number, payload: Buffer): void {
    checkOnStream(id);
    checkLength(payload, 4);
    this.notIdle(id);
    const stream = this.streams.get(id);
    if (!stream) return;
    this.countAbuse();
    this.resetByPeer(stream, payload.readUInt32BE());
  }

  #settings(flags: number, stream: number, payload: Buffer): void {
    checkOnConnection(stream);
    if (flags & f.ACK) return checkLength(payload, 0);
    if (this.settled) this.countAbuse();
    this.settled = true;
    const settings = readSettings(payload);
    const { tableBytes, windowBytes } = settings;
    if (tableBytes !== undefined) this.writer.encoder.tableBytes = tableBytes;
    if (windowBytes !== undefined) this.#resizeWindows(windowBytes);
    this.writer.control(f.SETTINGS, f.ACK, 0, NOTHING);
    this.settingsReceived(settings);
    this.#scheduler.run();
  }

  #ping(flags: number, stream: number, payload: Buffer): void {
    checkLength(payload, 8);
    checkOnConnection(stream);
    if (!(flags & f.ACK)) this.writer.control(f.PING, f.ACK, 0, payload);
  }

  #resizeWindows(bytes: number): void {
    const more = bytes - this.streamWindow;
    this.streamWindow = bytes;
    for (const stream of this.streams.values()) stream.sendWindow = grownWindow(stream.sendWindow, more);
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
    const stream = this.streams.get(id);
    if (!stream) return this.notIdle(id);
    if (more === 0) return this.refuse(id, f.ERROR.protocol);
    if (stream.sendWindow + more > f.MAX_WINDOW) return this.refuse(id, f.ERROR.flowControl);
    stream.sendWindow += more;
    this.#scheduler.resume(stream);
  }

  /** A stream error: resets the stream and keeps the connection (RFC 9113, 5.4.2). */
  protected refuse(id: number, code: number): void {
    if (this.#reset.has(id)) return;
    this.countAbuse();
    const stream = this.streams.get(id);
    if (stream) stream.reset(code);
    else this.reset(id, code);
  }

  protected wasReset(id: number): boolean {
    return this.#reset.has(id);
  }

  // StreamConnection

  get congested(): boolean {
    return this.writer.congested;
  }

  headers(stream: number, flags: number, common: Head, own: Head): void {
    this.writer.headers(stream, flags, common, own);
  }

  data(stream: number, flags: number, bytes: Uint8Array, from: number, to: number): void {
    this.writer.data(stream, flags, bytes, from, to);
  }

  reset(stream: number, code: number): void {
    const payload = Buffer.allocUnsafe(4);
    payload.writeUInt32BE(code);
    this.writer.control(f.RST_STREAM, 0, stream, payload);
    this.#reset.add(stream);
    if (this.#reset.size > MAX_RESET_STREAMS) for (const oldest of this.#reset) return void this.#reset.delete(oldest);
  }

  waitForRoom(stream: Http2Stream): void {
    this.#scheduler.wait(stream);
  }

  credit(bytes: number): void {
    this.#uncredited += bytes;
    if (this.#uncredited < this.#limits.connectionWindow / 2 || this.over) return;
    this.#connectionWindow += this.#uncredited;
    this.writer.windowUpdate(0, this.#uncredited);
    this.#uncredited = 0;
  }

  creditStream(stream: number, bytes: number): void {
    if (!this.over) this.writer.windowUpdate(stream, bytes);
  }

  closed(stream: Http2Stream): void {
    this.streams.delete(stream.id);
    this.#scheduler.forget(stream);
  }

  /** The socket takes bytes again. */
  protected sendWaiting(): void {
    this.#scheduler.run();
  }

  protected sendGoAway(lastStream: number, code: number, message: string): void {
    const text = Buffer.from(message, 'latin1');
    const payload = Buffer.alloc(MIN_GOAWAY_BYTES + text.length);
    payload.writeUInt32BE(code, payload.writeUInt32BE(lastStream));
    text.copy(payload, MIN_GOAWAY_BYTES);
    this.writer.control(f.GOAWAY, 0, 0, payload);
  }

  protected closeStreams(): void {
    for (const stream of this.streams.values()) stream.close();
  }
}
