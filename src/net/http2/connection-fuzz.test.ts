/** Whatever a peer sends, its connection goes on or ends: it throws nothing, and holds nothing that it should not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/seeded-random.ts';
import { VirtualClock } from '../../kernel/virtual-clock.ts';
import { Http2Connection } from './connection.ts';
import * as f from './frames.ts';
import type { Http2Stream } from './stream.ts';
import { blockOf, indexed, kept, neverKept, resized } from './testing/hpack.ts';
import { data, duplexPair, frame, GET, headers, OPTIONS, POST, reset, settings, windowUpdate } from './testing/peer.ts';

const unhandled: unknown[] = [];
const hear = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', hear).on('uncaughtException', hear));
afterAll(() => void process.off('unhandledRejection', hear).off('uncaughtException', hear));

const pick = <T>(random: SeededRandom, from: readonly T[]): T => from[random.integer(from.length)]!;
const chance = (random: SeededRandom, part: number): boolean => random.next() < part;

/** Answers like a server does, some at once, some later, some never. */
function serveAnyhow(random: SeededRandom, stream: Http2Stream, later: (() => void)[]): void {
  const answer = (): void => {
    const body = Buffer.alloc(pick(random, [0, 1, 100, 20_000, 200_000]));
    if (chance(random, 0.7))
      return stream.answer([':status', '200', 'x-kind', String(random.integer(50))], ['etag', 'e'], body);
    stream.begin([':status', '201'], []);
    stream.write(body.subarray(0, 10), () => stream.write(body.subarray(10)));
    if (chance(random, 0.5)) later.push(() => stream.end());
    if (chance(random, 0.1)) later.push(() => stream.reset(f.ERROR.internal));
  };
  if (chance(random, 0.4)) void stream.readBody(pick(random, [0, 10, 100_000])).then(answer, answer);
  else if (chance(random, 0.5)) answer();
  else later.push(answer);
}

/** Whatever came in, what goes out are frames. */
class FrameCheck {
  #left = 0;
  #header = Buffer.alloc(0);
  #wrong: string | undefined;

  receive(piece: Buffer): void {
    for (let at = 0; at < piece.length && !this.#wrong;) {
      const skipped = Math.min(this.#left, piece.length - at);
      this.#left -= skipped;
      at += skipped;
      const part = piece.subarray(at, at + f.FRAME_HEADER_BYTES - this.#header.length);
      at += part.length;
      this.#header = Buffer.concat([this.#header, part]);
      if (this.#header.length < f.FRAME_HEADER_BYTES) return;
      this.#left = this.#header.readUIntBE(0, 3);
      const type = this.#header[3]!;
      const isOfConnection = type === f.SETTINGS || type === f.PING || type === f.GOAWAY;
      if (
        this.#left > f.MIN_MAX_FRAME_BYTES ||
        type > f.CONTINUATION ||
        (type !== f.WINDOW_UPDATE && isOfConnection !== (this.#header.readUInt32BE(5) === 0))
      )
        this.#wrong = this.#header.toString('hex');
      this.#header = Buffer.alloc(0);
    }
  }

  check(): void {
    if (this.#wrong) throw new Error(`no frame: ${this.#wrong}`);
  }
}

interface Served {
  readonly write: (bytes: Buffer) => void;
  readonly finish: () => void;
}

/** Bytes go in without a stream in between: nothing is caught on the way. */
function serve(random: SeededRandom, later: (() => void)[]): Served {
  const [socket, serverSocket] = duplexPair();
  let closed = 0;
  const streams = new Set<Http2Stream>();
  const connection = new Http2Connection(
    serverSocket,
    { clock: new VirtualClock(), ...OPTIONS, maxHeaderBytes: 4096 },
    {
      begin(stream) {
        streams.add(stream);
        stream.onClose(() => void streams.delete(stream));
        serveAnyhow(random, stream, later);
      },
      closed: () => void closed++,
    },
  );
  const answered = new FrameCheck();
  socket.on('error', () => {}).on('data', (piece: Buffer) => answered.receive(piece));
  return {
    write: (bytes) => void serverSocket.emit('data', bytes),
    finish() {
      connection.destroy();
      answered.check();
      if (closed !== 1) throw new Error(`closed ${closed} times`);
      if (streams.size > 0) throw new Error(`${streams.size} streams are left`);
    },
  };
}

const NAMES = ['accept', 'x-y', 'content-length', 'cookie', 'te', 'Upper', ':path', ':method', 'connection', ''];
const VALUES = ['', '/', '5', 'GET', 'trailers', 'x'.repeat(300), '\n'];

function randomBlock(random: SeededRandom): Buffer {
  const pieces = [chance(random, 0.8) ? blockOf(chance(random, 0.5) ? GET : POST) : Buffer.alloc(0)];
  if (chance(random, 0.1)) pieces.unshift(resized(random.integer(5000)));
  for (let i = random.integer(6); i > 0; i--) {
    const kind = random.integer(4);
    if (kind === 0) pieces.push(indexed(random.integer(80)));
    else if (kind === 1) pieces.push(kept(pick(random, NAMES), pick(random, VALUES)));
    else
      pieces.push(
        neverKept(chance(random, 0.8) ? `x-${random.integer(5)}` : pick(random, NAMES), pick(random, VALUES)),
      );
  }
  return Buffer.concat(pieces);
}

/** Of a few streams, in an order that no rule of the connection forbids. */
function orderlyFrame(random: SeededRandom, next: { id: number }): Buffer {
  const old = Math.max(1, next.id - 2 * random.integer(6));
  const end = chance(random, 0.5) ? f.END_STREAM : 0;
  if (next.id > 0) {
    switch (random.integer(10)) {
      case 0:
        return data(old, random.bytes(pick(random, [0, 1, 5, 1000, 16_384])), end);
      case 1:
        return reset(old);
      case 2:
        return windowUpdate(chance(random, 0.5) ? 0 : old, pick(random, [1, 1000, 100_000]));
      case 3:
        return settings(
          [f.SETTING.initialWindowSize, pick(random, [0, 1, 100, 65_535, 1_000_000])],
          [f.SETTING.headerTableSize, pick(random, [0, 4096])],
        );
      case 4:
        return frame(f.PING, random.integer(2), 0, random.bytes(8));
      case 5:
        return frame(
          0x20 + random.integer(20),
          random.integer(256),
          random.integer(20),
          random.bytes(random.integer(20)),
        );
      default:
    }
  }
  next.id += 2;
  if (chance(random, 0.8)) return headers(next.id, chance(random, 0.5) ? GET : POST, end | f.END_HEADERS);
  return Buffer.concat([
    headers(next.id, GET, end),
    frame(f.CONTINUATION, 0, next.id),
    frame(f.CONTINUATION, f.END_HEADERS, next.id, blockOf([[`x-${random.integer(5)}`, pick(random, VALUES)]])),
  ]);
}

/** Of a few streams, most of them in a sensible order. */
function randomFrame(random: SeededRandom, next: { id: number }): Buffer {
  const flags =
    (chance(random, 0.5) ? f.END_STREAM : 0) |
    (chance(random, 0.9) ? f.END_HEADERS : 0) |
    (chance(random, 0.1) ? f.PADDED : 0) |
    (chance(random, 0.05) ? f.WITH_PRIORITY : 0);
  switch (random.integer(20)) {
    case 0:
      return frame(f.CONTINUATION, flags, Math.max(1, next.id), randomBlock(random));
    case 1:
      return frame(random.integer(20), random.integer(256), random.integer(20), random.bytes(random.integer(20)));
    case 2:
      return headers(Math.max(1, next.id), chance(random, 0.5) ? [] : [['x', 'y']], flags);
    case 3:
    case 4:
      return frame(f.HEADERS, flags, (next.id += 2), randomBlock(random));
    default:
      return orderlyFrame(random, next);
  }
}

function mutated(random: SeededRandom, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let i = random.integer(4); i > 0 && copy.length > 0; i--)
    copy[random.integer(copy.length)] = random.integer(256);
  const kind = random.integer(10);
  if (kind === 0) return copy.subarray(0, random.integer(copy.length + 1));
  return kind === 1 ? Buffer.concat([copy, random.bytes(random.integer(30))]) : copy;
}

/** In pieces as the network might make them. */
function feed(random: SeededRandom, { write }: Served, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) {
    const to = chance(random, 0.5) ? bytes.length : at + 1 + random.integer(bytes.length - at);
    write(bytes.subarray(at, to));
    at = to;
  }
}

const KINDS = {
  'random bytes': (random) => Buffer.from(random.bytes(random.integer(200))),
  'random bytes in frames that are none': (random) =>
    frame(random.integer(12), random.integer(256), random.integer(8), random.bytes(random.integer(40))),
  'random header blocks': (random, next) =>
    frame(
      f.HEADERS,
      f.END_HEADERS | f.END_STREAM,
      (next.id += 2),
      chance(random, 0.5) ? mutated(random, randomBlock(random)) : random.bytes(random.integer(60)),
    ),
  'frames in order': orderlyFrame,
  'frames in some order': randomFrame,
  'frames that were changed on the way': (random, next) =>
    chance(random, 0.9) ? randomFrame(random, next) : mutated(random, randomFrame(random, next)),
} satisfies Record<string, (random: SeededRandom, next: { id: number }) => Buffer>;

const ROUNDS = process.env['K8TS_EVERYTHING'] === '1' ? 6_000 : 200;
const FRAMES = 30;

describe('a connection survives', () => {
  it.each(Object.entries(KINDS))('%s', async (kind, make) => {
    for (let round = 0; round < ROUNDS; round++) {
      const random = new SeededRandom(`${kind} ${round}`);
      const next = { id: -1 };
      const later: (() => void)[] = [];
      const served = serve(random, later);
      try {
        if (kind !== 'random bytes' || chance(random, 0.5)) served.write(Buffer.concat([f.PREFACE, settings()]));
        for (let i = 0; i < FRAMES; i++) {
          feed(random, served, make(random, next));
          if (chance(random, 0.3)) later.shift()?.();
          if (chance(random, 0.1)) await new Promise((resolve) => setImmediate(resolve));
        }
        for (const act of later) act();
        await new Promise((resolve) => setImmediate(resolve));
        served.finish();
      } catch (error) {
        throw new Error(`${kind}, round ${round}`, { cause: error });
      }
    }
    expect(unhandled).toEqual([]);
  });
});
