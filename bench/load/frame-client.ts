/**
 * The client's side of HTTP/2, as little of it as a load takes: it reads frames off the socket itself, since a stream
 * object for every request and watch would cost the machine more than the server that is to be measured.
 */
import net from 'node:net';
import tls from 'node:tls';
import * as f from '../../src/net/http2/frames.ts';
import { HpackDecoder } from '../../src/net/http2/hpack-decoder.ts';
import { frame, settings, windowUpdate } from '../../src/net/http2/testing/frames.ts';
import { blockOf } from '../../src/net/http2/testing/hpack.ts';
import type { Target } from './load.ts';

const NOTHING = Buffer.alloc(0);

/** What becomes of one request. */
export interface Heard {
  /** Status and headers of the response, and then its trailers, names and values alternating. */
  onHead?(status: number, fields: readonly string[]): void;
  onData(bytes: Buffer): void;
  /** The answer is complete. */
  onEnd(): void;
}

export class FrameClient {
  readonly #socket: net.Socket;
  readonly #scheme: string;
  readonly #host: string;
  readonly #decoder = new HpackDecoder({ bytes: 1 << 20, pairs: 1000 });
  readonly #heard = new Map<number, Heard>();
  readonly #heads = new Map<Record<string, string>, Buffer>();
  #last = -1;
  #rest: Buffer = NOTHING;
  #received = 0;
  #out: Buffer[] = [];
  #closed = false;

  constructor(
    target: Target,
    private readonly onBroken: (reason: string) => void,
  ) {
    const { protocol, hostname, port, host } = new URL(target.server);
    this.#scheme = protocol.slice(0, -1);
    this.#host = host;
    const address = { host: hostname, port: Number(port) };
    this.#socket = this.#scheme === 'http' ? net.connect(address) : tls.connect({ ...address, ...tlsOptions(target) });
    this.#socket.setNoDelay(true);
    const ours = settings([f.SETTING.enablePush, 0], [f.SETTING.initialWindowSize, f.MAX_WINDOW]);
    this.#socket.write(Buffer.concat([f.PREFACE, ours, windowUpdate(0, f.MAX_WINDOW - f.INITIAL_WINDOW)]));
    this.#socket.on('data', (piece: Buffer) => this.#receive(piece));
    this.#socket.on('error', (error) => this.#broken(error.message));
    this.#socket.on('close', () => this.#broken('the server closed the connection'));
  }

  /** The same `headers` again are sent as the same bytes. A body is one frame: it has to be short. `ends`: no more of it follows. */
  request(headers: Record<string, string>, heard: Heard, body: Buffer = NOTHING, ends = true): void {
    const id = (this.#last += 2);
    this.#heard.set(id, heard);
    let head = this.#heads.get(headers);
    if (!head)
      this.#heads.set(
        headers,
        (head = blockOf(Object.entries({ ':scheme': this.#scheme, ':authority': this.#host, ...headers }))),
      );
    if (body.length > f.MIN_MAX_FRAME_BYTES) throw new Error('a body of several frames');
    this.#send(frame(f.HEADERS, f.END_HEADERS | (body.length === 0 ? f.END_STREAM : 0), id, head));
    if (body.length > 0) this.#send(frame(f.DATA, ends ? f.END_STREAM : 0, id, body));
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #broken(reason: string): void {
    if (!this.#closed) this.onBroken(reason);
  }

  #send(bytes: Buffer): void {
    this.#out.push(bytes);
    if (this.#out.length > 1) return;
    queueMicrotask(() => {
      this.#socket.write(Buffer.concat(this.#out));
      this.#out = [];
    });
  }

  #receive(piece: Buffer): void {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, piece]) : piece;
    let at = 0;
    while (bytes.length - at >= f.FRAME_HEADER_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      if (bytes.length - at < f.FRAME_HEADER_BYTES + length) break;
      this.#frame(
        bytes[at + 3]!,
        bytes[at + 4]!,
        bytes.readUInt32BE(at + 5),
        bytes.subarray(at + f.FRAME_HEADER_BYTES, at + f.FRAME_HEADER_BYTES + length),
      );
      at += f.FRAME_HEADER_BYTES + length;
    }
    this.#rest = bytes.subarray(at);
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    switch (type) {
      case f.DATA:
        this.#heard.get(id)?.onData(payload);
        this.#allowMore(payload.length);
        if (flags & f.END_STREAM) this.#end(id);
        return;
      case f.HEADERS: {
        if (!(flags & f.END_HEADERS)) return this.#broken('headers of several frames');
        const { fields } = this.#decoder.decode(payload);
        this.#heard.get(id)?.onHead?.(Number(fields[fields.indexOf(':status') + 1]), fields);
        if (flags & f.END_STREAM) this.#end(id);
        return;
      }
      case f.SETTINGS:
        if (!(flags & f.ACK)) this.#send(frame(f.SETTINGS, f.ACK, 0, NOTHING));
        return;
      case f.PING:
        if (!(flags & f.ACK)) this.#send(frame(f.PING, f.ACK, 0, payload));
        return;
      case f.RST_STREAM:
      case f.GOAWAY:
        this.#broken(`the server sent frame ${type}: ${payload.toString('hex')}`);
        return;
      default:
    }
  }

  #end(id: number): void {
    this.#heard.get(id)?.onEnd();
    this.#heard.delete(id);
  }

  /** Streams are too short for their windows; all of them together may not be. */
  #allowMore(bytes: number): void {
    this.#received += bytes;
    if (this.#received < f.MAX_WINDOW / 4) return;
    this.#send(windowUpdate(0, this.#received));
    this.#received = 0;
  }
}

const tlsOptions = ({ ca, cert, key }: Target): tls.ConnectionOptions => ({
  ALPNProtocols: ['h2'],
  ...(ca ? { ca } : { rejectUnauthorized: false }),
  ...(cert && key ? { cert, key } : {}),
});
