/**
 * The client side of an HTTP/2 connection, for gRPC to etcd. It shares frames, header compression and flow control with the
 * server side and costs as little: grpc-js on Node's own takes most of the time of a request to etcd.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../../kernel/index.ts';
import { ClientStream } from './client-stream.ts';
import { ConnectionCore, type ConnectionLimits } from './connection-core.ts';
import { checkLength, checkOnStream, PRIORITY_BYTES } from './frame-checks.ts';
import { FrameReader } from './frame-reader.ts';
import * as f from './frames.ts';
import type { HeaderBlock } from './header-block.ts';
import type { Decoded } from './hpack-decoder.ts';
import type { PeerSettings } from './settings.ts';
import type { Http2Stream } from './stream.ts';

interface ClientOptions extends ConnectionLimits {
  readonly clock: Clock;
  /** A server that has sent nothing for this long while a response is due is asked whether it is still there. */
  readonly keepAliveMs: number;
  readonly keepAliveTimeoutMs: number;
}

interface ClientListener {
  /** No new request is taken; open ones may still end. */
  goingAway?(): void;
  closed(error: Error | undefined): void;
}

const NO_PREFACE = Buffer.alloc(0);
const PING_PAYLOAD = Buffer.from('k8tsping', 'latin1');
/** Ids of streams are 31 bits. */
const MAX_STREAM_ID = 2 ** 31 - 1;

export class Http2ClientConnection extends ConnectionCore<ClientStream> {
  #nextStream = 1;
  #maxStreams = Infinity;
  #goingAway = false;
  #reported = false;
  #error: Error | undefined;
  #lastReceived: number;
  #keepAlive: Timer | undefined;
  readonly #options: ClientOptions;
  readonly #listener: ClientListener;

  constructor(socket: Duplex, options: ClientOptions, listener: ClientListener) {
    super(socket, options, new FrameReader(NO_PREFACE));
    this.#options = options;
    this.#listener = listener;
    this.#lastReceived = options.clock.monotonic();
    socket.write(f.PREFACE);
    this.sendSettings([
      [f.SETTING.enablePush, 0],
      [f.SETTING.initialWindowSize, options.streamWindow],
      [f.SETTING.maxHeaderListSize, options.maxHeaderBytes],
    ]);
    socket.on('data', (chunk: Buffer) => {
      this.#lastReceived = options.clock.monotonic();
      this.receive(chunk);
    });
    socket.on('drain', () => this.sendWaiting());
    socket.on('error', (error) => this.#end(error));
    socket.once('end', () => this.#end(undefined));
    socket.once('close', () => this.#end(undefined));
  }

  /** Whether `open` gives a stream now: false after GOAWAY, and while the server allows no more streams. */
  get takesRequests(): boolean {
    return !this.#goingAway && !this.over && this.streams.size < this.#maxStreams && this.#nextStream < MAX_STREAM_ID;
  }

  get isUsable(): boolean {
    return !this.#goingAway && !this.over && this.#nextStream < MAX_STREAM_ID;
  }

  /** A stream for a new request; only when `takesRequests`. */
  open(): ClientStream {
    const stream = new ClientStream(this.#nextStream, this.streamWindow, this);
    this.#nextStream += 2;
    this.streams.set(stream.id, stream);
    this.#keepAlive ??= this.#options.clock.after(this.#options.keepAliveMs, () => this.#checkAlive());
    return stream;
  }

  /** Ends the connection and every open stream. */
  destroy(error?: Error): void {
    this.writer.flush();
    this.#end(error);
  }

  /** Pings only while a response is due: etcd refuses clients that ping for nothing. */
  #checkAlive(): void {
    this.#keepAlive = undefined;
    if (this.over || this.streams.size === 0) return;
    const { clock, keepAliveMs, keepAliveTimeoutMs } = this.#options;
    const silentMs = clock.monotonic() - this.#lastReceived;
    if (silentMs < keepAliveMs) {
      this.#keepAlive = clock.after(keepAliveMs - silentMs, () => this.#checkAlive());
      return;
    }
    const askedAt = clock.monotonic();
    this.writer.control(f.PING, 0, 0, PING_PAYLOAD);
    this.#keepAlive = clock.after(keepAliveTimeoutMs, () => {
      if (this.#lastReceived < askedAt) return this.#end(new Error('the server does not answer'));
      this.#checkAlive();
    });
  }

  // ConnectionCore

  protected override fail(error: f.ConnectionError): void {
    this.sendGoAway(0, error.code, error.message);
    this.writer.flush();
    this.#end(error);
  }

  protected override head({ stream: id, endStream }: HeaderBlock, { fields, tooMany }: Decoded): void {
    const stream = this.streams.get(id);
    if (!stream) return this.notIdle(id);
    // What is valid is decided for requests only; of a response, single headers are looked up by their names.
    if (tooMany) return this.refuse(id, f.ERROR.protocol);
    if (stream.remoteEnded) return this.refuse(id, f.ERROR.streamClosed);
    const isInformational = !endStream && fields[0] === ':status' && fields[1]!.startsWith('1');
    if (isInformational) return;
    const error = stream.receiveHead(fields, endStream);
    if (error) this.refuse(id, error);
  }

  protected override notIdle(id: number): void {
    if (id >= this.#nextStream || id % 2 === 0)
      throw new f.ConnectionError(f.ERROR.protocol, 'a frame on an idle stream');
  }

  protected override resetByPeer(stream: ClientStream, code: number): void {
    stream.refused = code === f.ERROR.refusedStream;
    stream.close();
  }

  protected override goAwayReceived(lastStream: number): void {
    this.#goingAway = true;
    this.#listener.goingAway?.();
    for (const stream of this.streams.values()) {
      if (stream.id <= lastStream) continue;
      stream.refused = true;
      stream.close();
    }
    if (this.streams.size === 0) this.#end(undefined);
  }

  protected override settingsReceived({ maxConcurrentStreams }: PeerSettings): void {
    if (maxConcurrentStreams !== undefined) this.#maxStreams = maxConcurrentStreams;
  }

  protected override priority(id: number, payload: Buffer): void {
    checkOnStream(id);
    checkLength(payload, PRIORITY_BYTES);
  }

  override closed(stream: Http2Stream): void {
    super.closed(stream);
    if (this.#goingAway && this.streams.size === 0) this.#end(undefined);
  }

  #end(error: Error | undefined): void {
    this.#error ??= error;
    this.over = true;
    this.#keepAlive?.cancel();
    this.socket.destroy();
    this.closeStreams();
    if (this.#reported) return;
    this.#reported = true;
    this.#listener.closed(this.#error);
  }
}
