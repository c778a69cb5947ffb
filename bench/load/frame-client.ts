/**
 * The client's side of HTTP/2, as little of it as a load takes: it reads frames off the socket itself, since a stream
 * object for every request and watch would cost the machine more than the server that is to be measured.
 */
import tls from 'node:tls';
import { HpackDecoder } from '../../src/kernel/http2/hpack-decoder.ts';
import type { Target } from './load.ts';

const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
const FLAG = { ack: 1, endStream: 1, endHeaders: 4 } as const;
const HEADER_BYTES = 9;
const MOST_FRAME_BYTES = 16_384;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const LARGEST_WINDOW = 2 ** 31 - 1;
const FIRST_WINDOW = 65_535;
const SETTING = { enablePush: 2, initialWindowSize: 4 } as const;
const NOTHING = Buffer.alloc(0);

/** What becomes of one request. */
export interface Heard {
  onHead?(status: number): void;
  onData(bytes: Buffer): void;
  /** The answer is complete. */
  onEnd(): void;
}

export class FrameClient {
  readonly #socket: tls.TLSSocket;
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
    const { hostname, port, host } = new URL(target.server);
    const { ca, cert, key } = target;
    this.#host = host;
    this.#socket = tls.connect({ host: hostname, port: Number(port), ALPNProtocols: ['h2'], ...(ca ? { ca } : { rejectUnauthorized: false }), ...(cert && key ? { cert, key } : {}) });
    const settings = Buffer.concat([setting(SETTING.enablePush, 0), setting(SETTING.initialWindowSize, LARGEST_WINDOW)]);
    this.#socket.write(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0, settings), frame(FRAME.windowUpdate, 0, 0, uint32(LARGEST_WINDOW - FIRST_WINDOW))]));
    this.#socket.on('data', (piece: Buffer) => this.#receive(piece));
    this.#socket.on('error', (error) => this.#broken(error.message));
    this.#socket.on('close', () => this.#broken('the server closed the connection'));
  }

  /** The same `headers` again are sent as the same bytes. A body is one frame: it has to be short. */
  request(headers: Record<string, string>, heard: Heard, body: Buffer = NOTHING): void {
    const id = (this.#last += 2);
    this.#heard.set(id, heard);
    let head = this.#heads.get(headers);
    if (!head) this.#heads.set(headers, (head = hpackLiterals({ ':scheme': 'https', ':authority': this.#host, ...headers })));
    if (body.length > MOST_FRAME_BYTES) throw new Error('a body of several frames');
    this.#send(frame(FRAME.headers, FLAG.endHeaders | (body.length === 0 ? FLAG.endStream : 0), id, head));
    if (body.length > 0) this.#send(frame(FRAME.data, FLAG.endStream, id, body));
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
    while (bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      if (bytes.length - at < HEADER_BYTES + length) break;
      this.#frame(bytes[at + 3]!, bytes[at + 4]!, bytes.readUInt32BE(at + 5), bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length));
      at += HEADER_BYTES + length;
    }
    this.#rest = bytes.subarray(at);
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    switch (type) {
      case FRAME.data:
        this.#heard.get(id)?.onData(payload);
        this.#allowMore(payload.length);
        if (flags & FLAG.endStream) this.#end(id);
        return;
      case FRAME.headers: {
        if (!(flags & FLAG.endHeaders)) return this.#broken('headers of several frames');
        const { fields } = this.#decoder.decode(payload);
        this.#heard.get(id)?.onHead?.(Number(fields[fields.indexOf(':status') + 1]));
        if (flags & FLAG.endStream) this.#end(id);
        return;
      }
      case FRAME.settings:
        if (!(flags & FLAG.ack)) this.#send(frame(FRAME.settings, FLAG.ack, 0, NOTHING));
        return;
      case FRAME.ping:
        if (!(flags & FLAG.ack)) this.#send(frame(FRAME.ping, FLAG.ack, 0, payload));
        return;
      case FRAME.reset:
      case FRAME.goAway:
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
    if (this.#received < LARGEST_WINDOW / 4) return;
    this.#send(frame(FRAME.windowUpdate, 0, 0, uint32(this.#received)));
    this.#received = 0;
  }
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

function setting(name: number, value: number): Buffer {
  const bytes = Buffer.alloc(6);
  bytes.writeUInt16BE(name, 0);
  bytes.writeUInt32BE(value, 2);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Each header as a literal that enters no table. */
function hpackLiterals(headers: Record<string, string>): Buffer {
  return Buffer.concat(Object.entries(headers).flatMap(([name, value]) => [Buffer.from([0]), hpackString(name), hpackString(value)]));
}

function hpackString(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length < 0x7f) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [0x7f];
  let left = bytes.length - 0x7f;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) length.push((left % 0x80) | 0x80);
  length.push(left);
  return Buffer.concat([Buffer.from(length), bytes]);
}
