/** HTTP/2 as nobody should send it: frames out of order, header compression that lies, floods, windows that overflow. */
import type { Random } from '../../src/kernel/index.ts';

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const END_STREAM = 1;
export const END_HEADERS = 4;
const PADDED = 8;
const PRIORITY = 0x20;

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
  claimedLength = payload.length,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(claimedLength, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

const pick = <T>(random: Random, from: readonly T[]): T => from[random.integer(from.length)]!;

/** A header without an entry in any table. */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const { length } = bytes;
  if (length < 127) return Buffer.concat([Buffer.from([length]), bytes]);
  const rest: number[] = [];
  let left = length - 127;
  for (; left >= 128; left = Math.floor(left / 128)) rest.push((left % 128) | 128);
  return Buffer.concat([Buffer.from([127, ...rest, left]), bytes]);
}

const request = (method: string, path: string, more: readonly Buffer[] = []): Buffer =>
  Buffer.concat([
    literal(':method', method),
    Buffer.from([0x87]),
    literal(':path', path),
    literal(':authority', 'x'),
    ...more,
  ]);

export interface Http2Ground {
  readonly paths: readonly string[];
  /** Headers that every request may carry, such as a token. */
  readonly headers?: readonly (readonly [string, string])[];
}

/** A whole connection's bytes. */
export function hostileHttp2(random: Random, ground: Http2Ground): Buffer[] {
  const pieces: Buffer[] = [random.next() < 0.95 ? PREFACE : Buffer.from(random.bytes(24))];
  if (random.next() < 0.95)
    pieces.push(frame(FRAME.settings, 0, 0, random.next() < 0.8 ? Buffer.alloc(0) : settings(random)));
  for (let i = 1 + random.integer(12); i > 0; i--) pieces.push(...action(random, ground));
  if (random.next() > 0.2) return pieces;
  const all = Buffer.concat(pieces);
  return [all.subarray(0, random.integer(all.length))];
}

function settings(random: Random): Buffer {
  const entries = Array.from({ length: random.integer(4) }, () => {
    const entry = Buffer.alloc(6);
    entry.writeUInt16BE(random.next() < 0.8 ? 1 + random.integer(6) : random.integer(65_536), 0);
    entry.writeUInt32BE(
      pick(random, [0, 1, 2, 16_384, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, random.integer(65_536)]),
      2,
    );
    return entry;
  });
  return Buffer.concat([...entries, random.next() < 0.1 ? Buffer.alloc(3) : Buffer.alloc(0)]);
}

/** Mostly the next stream of a client; sometimes one that cannot be. */
const stream = (random: Random): number =>
  random.next() < 0.8 ? 1 + 2 * random.integer(20) : pick(random, [0, 2, 4, 0x7fff_ffff, 0xffff_ffff, 1]);

function headerBlock(random: Random, { paths, headers = [] }: Http2Ground): Buffer {
  const more = headers.map(([name, value]) => literal(name, value));
  const chance = random.next();
  if (chance < 0.4)
    return request(
      pick(random, ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'BREW', '', 'CONNECT', 'G T']),
      pick(random, paths),
      more,
    );
  if (chance < 0.5)
    return request(
      'GET',
      pick(random, ['//', '', '*', 'x', '/\x00', '/\xff', '/%zz', `/${'x'.repeat(30_000)}`, 'http://x/y']),
      more,
    );
  const odd = pick(random, [
    () => literal('UPPER', 'x'),
    () => literal('connection', 'close'),
    () => literal('transfer-encoding', 'chunked'),
    () => literal('te', 'gzip'),
    () => literal('content-length', pick(random, ['5', '-1', '99999999999999999999', 'x'])),
    () => literal(':path', '/again'),
    () => literal(':unknown', 'x'),
    () => literal('', 'x'),
    () => literal('a\x00b', 'x'),
    () => literal('a', 'b\r\nc: d'),
    () => literal('host', 'y'),
    () => literal('x', 'y'.repeat(60_000)),
    () => Buffer.concat(Array.from({ length: random.integer(3000) }, (_, i) => literal(`x-${i}`, 'y'))),
    // One large entry of the dynamic table, and thousands of references to it.
    () =>
      Buffer.concat([
        Buffer.from([0x40]),
        text('bomb'),
        text('b'.repeat(3900)),
        Buffer.alloc(random.integer(16_000), 0xbe),
      ]),
    // The size of the dynamic table changes in the middle, and beyond what was agreed.
    () => Buffer.from([0x3f, 0xe1, 0xff, 0xff, 0xff, 0x0f]),
    () => Buffer.alloc(1 + random.integer(200), 0x20),
    // Numbers and texts that do not end, and Huffman codes that are none.
    () => Buffer.alloc(20, 0xff),
    () => Buffer.concat([Buffer.from([0x00, 0x7f, 0xff, 0xff, 0xff, 0x7f])]),
    () =>
      Buffer.concat([
        Buffer.from([0x00, 0x81]),
        Buffer.from(random.bytes(1)),
        Buffer.from([0x9f]),
        Buffer.from(random.bytes(31)),
      ]),
    () => Buffer.from(random.bytes(1 + random.integer(300))),
  ])();
  return random.next() < 0.7 ? Buffer.concat([request('GET', pick(random, paths), more), odd]) : odd;
}

function headers(random: Random, ground: Http2Ground): Buffer[] {
  const id = stream(random);
  let block = headerBlock(random, ground);
  let flags = random.next() < 0.7 ? END_STREAM : 0;
  if (random.next() < 0.1) {
    // It depends on itself, or on nothing.
    block = Buffer.concat([Buffer.from([0, 0, 0, random.next() < 0.5 ? id & 0xff : 0, 16]), block]);
    flags |= PRIORITY;
  }
  if (random.next() < 0.1) {
    block = Buffer.concat([Buffer.from([random.integer(256)]), block]);
    flags |= PADDED;
  }
  const parts: Buffer[] = [];
  const size = random.next() < 0.2 ? 1 + random.integer(50) : 16_000;
  for (let from = 0; from === 0 || from < block.length; from += size) parts.push(block.subarray(from, from + size));
  const last = random.next() < 0.9;
  return parts
    .slice(0, 400)
    .map((part, index) =>
      frame(
        index === 0 ? FRAME.headers : FRAME.continuation,
        (index === 0 ? flags : 0) | (index === parts.length - 1 && last ? END_HEADERS : 0),
        id,
        part,
      ),
    );
}

function action(random: Random, ground: Http2Ground): Buffer[] {
  const id = stream(random);
  const chance = random.next();
  if (chance < 0.5) return headers(random, ground);
  return pick<() => Buffer[]>(random, [
    () => [frame(FRAME.data, random.next() < 0.5 ? END_STREAM : 0, id, Buffer.from(random.bytes(random.integer(500))))],
    () => [frame(FRAME.data, PADDED, id, Buffer.from([random.integer(256), ...random.bytes(10)]))],
    () => [frame(FRAME.data, 0, id, Buffer.alloc(10), 0xff_ffff)],
    () => [frame(FRAME.priority, 0, id, Buffer.from([0, 0, 0, id & 0xff, 16]))],
    () => [frame(FRAME.priority, 0, id, Buffer.alloc(random.integer(8)))],
    () =>
      Array.from({ length: random.integer(300) }, (_, i) =>
        frame(FRAME.reset, 0, 1 + 2 * i, Buffer.from([0, 0, 0, 8])),
      ),
    () =>
      Array.from({ length: random.integer(300) }, (_, i) =>
        Buffer.concat([
          frame(FRAME.headers, END_HEADERS | END_STREAM, 41 + 2 * i, request('GET', pick(random, ground.paths))),
          frame(FRAME.reset, 0, 41 + 2 * i, Buffer.from([0, 0, 0, 8])),
        ]),
      ),
    () => [frame(FRAME.settings, 0, random.next() < 0.9 ? 0 : id, settings(random))],
    () => Array.from({ length: random.integer(500) }, () => frame(FRAME.settings, 0, 0)),
    () => [frame(FRAME.settings, 1, 0, Buffer.alloc(random.integer(3)))],
    () => [frame(FRAME.push, END_HEADERS, id, Buffer.alloc(4))],
    () => Array.from({ length: random.integer(500) }, () => frame(FRAME.ping, 0, 0, Buffer.alloc(8))),
    () => [frame(FRAME.ping, 0, id, Buffer.alloc(random.integer(12)))],
    () => [frame(FRAME.goAway, 0, 0, Buffer.alloc(random.integer(20)))],
    () =>
      Array.from({ length: random.integer(20) }, () =>
        frame(
          FRAME.windowUpdate,
          0,
          random.next() < 0.5 ? 0 : id,
          Buffer.from(
            pick(random, [
              [0, 0, 0, 0],
              [0x7f, 0xff, 0xff, 0xff],
              [0xff, 0xff, 0xff, 0xff],
              [0, 0, 1, 0],
            ]),
          ),
        ),
      ),
    () => [frame(FRAME.continuation, pick(random, [0, END_HEADERS]), id, Buffer.from(random.bytes(20)))],
    () => Array.from({ length: random.integer(300) }, () => frame(FRAME.data, 0, id, Buffer.alloc(0))),
    () => [frame(10 + random.integer(240), random.integer(256), id, Buffer.from(random.bytes(random.integer(100))))],
    () => [Buffer.from(random.bytes(random.integer(100)))],
  ])();
}

/** The statuses that stand alone in HPACK's static table: 500 is one of them. */
export function countOf500(answer: Buffer): number {
  let count = 0;
  for (let at = 0; at + 9 <= answer.length; at += 9 + answer.readUIntBE(at, 3))
    if (answer[at + 3] === FRAME.headers && answer[at + 9] === 0x8e) count++;
  return count;
}
