/**
 * The watching side of HTTP/2, as little of it as counting events takes: it reads frames off the socket itself, since a
 * stream object an event would cost the machine more than the server that is to be measured.
 */
import tls from 'node:tls';
import type { Target } from './load.ts';

const FRAME = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const;
const FLAG = { ack: 1, endStream: 1, endHeaders: 4 } as const;
const HEADER_BYTES = 9;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const LARGEST_WINDOW = 2 ** 31 - 1;
const FIRST_WINDOW = 65_535;
const SETTING = { enablePush: 2, initialWindowSize: 4 } as const;
/** HPACK's one byte for `:status: 200`, and the bits of a change of its table's size, which may come before it. */
const STATUS_200 = 0x88;
const isTableSize = (byte: number): boolean => (byte & 0xe0) === 0x20;
const NEWLINE = 0x0a;

export interface WatchEvents {
  /** So many watches have been answered, so many events have come. */
  onOpened(watches: number): void;
  onEvents(events: number): void;
  onEnded(reason: string): void;
}

/** Opens so many watches of a path on one connection; gives what closes it. */
export function openWatches(target: Target, path: string, { watches, ...events }: WatchEvents & { readonly watches: number }): () => void {
  const { hostname, port, host } = new URL(target.server);
  const { ca, cert, key, token } = target;
  const socket = tls.connect({ host: hostname, port: Number(port), ALPNProtocols: ['h2'], ...(ca ? { ca } : { rejectUnauthorized: false }), ...(cert && key ? { cert, key } : {}) });
  let closed = false;
  const end = (reason: string): void => {
    if (!closed) events.onEnded(reason);
  };
  const settings = Buffer.concat([setting(SETTING.enablePush, 0), setting(SETTING.initialWindowSize, LARGEST_WINDOW)]);
  socket.write(Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0, settings), frame(FRAME.windowUpdate, 0, 0, uint32(LARGEST_WINDOW - FIRST_WINDOW))]));
  const request = hpackLiterals({ ':method': 'GET', ':scheme': 'https', ':authority': host, ':path': path, accept: 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) });
  for (let i = 0; i < watches; i++) socket.write(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 2 * i + 1, request));

  const onFrame = (type: number, flags: number, payload: Buffer): number => {
    switch (type) {
      case FRAME.data:
        if (flags & FLAG.endStream) end('the server ended a watch');
        return newlines(payload);
      case FRAME.headers:
        if (payload[payload.findIndex((byte) => !isTableSize(byte))] !== STATUS_200 || flags & FLAG.endStream) end('a watch was refused');
        else events.onOpened(1);
        return 0;
      case FRAME.settings:
        if (!(flags & FLAG.ack)) socket.write(frame(FRAME.settings, FLAG.ack, 0, Buffer.alloc(0)));
        return 0;
      case FRAME.ping:
        if (!(flags & FLAG.ack)) socket.write(frame(FRAME.ping, FLAG.ack, 0, payload));
        return 0;
      case FRAME.reset:
      case FRAME.goAway:
        end(`the server sent frame ${type}: ${payload.toString('hex')}`);
        return 0;
      default:
        return 0;
    }
  };
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    let at = 0;
    let count = 0;
    while (bytes.length - at >= HEADER_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      if (bytes.length - at < HEADER_BYTES + length) break;
      count += onFrame(bytes[at + 3]!, bytes[at + 4]!, bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length));
      at += HEADER_BYTES + length;
    }
    rest = bytes.subarray(at);
    if (count > 0) events.onEvents(count);
  });
  socket.on('error', (error) => end(error.message));
  socket.on('close', () => end('the server closed the connection'));
  return () => {
    closed = true;
    socket.destroy();
  };
}

function newlines(payload: Buffer): number {
  let count = 0;
  for (let at = payload.indexOf(NEWLINE); at >= 0; at = payload.indexOf(NEWLINE, at + 1)) count++;
  return count;
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
