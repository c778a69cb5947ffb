import { describe, expect, it } from 'vitest';
import { ABUSE_BURST } from './abuse-budget.ts';
import * as f from './frames.ts';
import { blockOf, indexed, notKept } from './testing/hpack.ts';
import {
  data,
  frame,
  get,
  GET,
  headers,
  post,
  POST,
  RawPeer,
  reset,
  settings,
  uint32,
  windowUpdate,
} from './testing/peer.ts';

const { ERROR, SETTING } = f;
const OK = [':status', '200', 'content-type', 'text/plain'];

describe('the beginning', () => {
  it('sends our settings, and acknowledges settings', async () => {
    const peer = await RawPeer.greeted({ streamWindow: 100_000, connectionWindow: 200_000 });
    expect(peer.frames.map(({ type, flags, stream }) => [type, flags, stream])).toEqual([
      [f.SETTINGS, 0, 0],
      [f.WINDOW_UPDATE, 0, 0],
      [f.SETTINGS, f.ACK, 0],
    ]);
    expect(peer.frames[0]!.payload.toString('hex')).toBe(
      settings([3, 10], [4, 100_000], [6, 64 * 1024])
        .subarray(9)
        .toString('hex'),
    );
    expect(peer.frames[1]!.payload.readUInt32BE()).toBe(200_000 - 65_535);
  });

  it('accepts a preface byte by byte', async () => {
    const peer = new RawPeer();
    for (const byte of Buffer.concat([f.PREFACE, settings([SETTING.maxConcurrentStreams, 7]), get(1)]))
      peer.socket.write(Buffer.from([byte]));
    await peer.settle();
    expect([...peer.streams.keys()]).toEqual([1]);
    expect(peer.codeOf(0)).toBeUndefined();
  });

  it('sends no WINDOW_UPDATE for the default window', async () => {
    const peer = await RawPeer.greeted({ connectionWindow: 65_535 });
    expect(peer.of(0, f.WINDOW_UPDATE)).toEqual([]);
  });
});

/** Each as it follows upon the preface and settings. */
const BREACHES: readonly (readonly [name: string, code: number, bytes: readonly Buffer[]])[] = [
  ['a frame that is too large', ERROR.frameSize, [frame(f.DATA, 0, 1, Buffer.alloc(16_385))]],
  [
    'the beginning of a frame that is too large',
    ERROR.frameSize,
    [frame(f.PING, 0, 0, Buffer.alloc(100_000)).subarray(0, 9)],
  ],

  ['data of no stream', ERROR.protocol, [data(0, 'x')]],
  ['data of a stream that never began', ERROR.protocol, [data(1, 'x')]],
  ['data of a stream of ours', ERROR.protocol, [get(3), data(2, 'x')]],
  ['data with more padding than frame', ERROR.protocol, [post(1), frame(f.DATA, f.PADDED, 1, Buffer.from([3, 1, 2]))]],
  ['padded data of no bytes at all', ERROR.protocol, [post(1), frame(f.DATA, f.PADDED, 1)]],

  ['headers of no stream', ERROR.protocol, [get(0)]],
  ['headers of an even stream', ERROR.protocol, [get(2)]],
  ['headers of a stream that was passed over', ERROR.protocol, [get(5), get(3)]],
  [
    'headers with more padding than frame',
    ERROR.protocol,
    [frame(f.HEADERS, f.PADDED | f.END_HEADERS, 1, Buffer.from([9, 0x82]))],
  ],
  [
    'headers without the priority they promise',
    ERROR.frameSize,
    [frame(f.HEADERS, f.WITH_PRIORITY | f.END_HEADERS, 1, Buffer.from([1, 2, 3, 4]))],
  ],
  ['a header block that is broken', ERROR.compression, [frame(f.HEADERS, f.END_HEADERS, 1, indexed(100))]],
  ['a continuation of nothing', ERROR.protocol, [frame(f.CONTINUATION, f.END_HEADERS, 1, indexed(2))]],
  [
    'a continuation after the end of headers',
    ERROR.protocol,
    [post(1), frame(f.CONTINUATION, f.END_HEADERS, 1, indexed(2))],
  ],
  [
    'a continuation of another stream',
    ERROR.protocol,
    [headers(1, GET, 0), frame(f.CONTINUATION, f.END_HEADERS, 3, indexed(2))],
  ],
  ['data within a header block', ERROR.protocol, [post(1), headers(3, GET, 0), data(1, 'x')]],
  ['a ping within a header block', ERROR.protocol, [headers(1, GET, 0), frame(f.PING, 0, 0, Buffer.alloc(8))]],
  ['an unknown frame within a header block', ERROR.protocol, [headers(1, GET, 0), frame(0x55, 0, 1)]],
  [
    'many continuations of nothing',
    ERROR.enhanceYourCalm,
    [headers(1, GET, 0), ...Array.from({ length: 300 }, () => frame(f.CONTINUATION, 0, 1))],
  ],
  [
    'continuations of many bytes',
    ERROR.enhanceYourCalm,
    [headers(1, GET, 0), ...Array.from({ length: 5 }, () => frame(f.CONTINUATION, 0, 1, Buffer.alloc(16_000)))],
  ],

  ['a priority of no stream', ERROR.protocol, [frame(f.PRIORITY, 0, 0, Buffer.alloc(5))]],
  ['a priority of another length', ERROR.frameSize, [frame(f.PRIORITY, 0, 1, Buffer.alloc(4))]],

  ['a reset of no stream', ERROR.protocol, [reset(0)]],
  ['a reset of a stream that never began', ERROR.protocol, [reset(1)]],
  ['a reset of another length', ERROR.frameSize, [get(1), frame(f.RST_STREAM, 0, 1, Buffer.alloc(3))]],

  ['settings of a stream', ERROR.protocol, [frame(f.SETTINGS, 0, 1)]],
  ['half a setting', ERROR.frameSize, [frame(f.SETTINGS, 0, 0, Buffer.alloc(7))]],
  ['settings taken note of with bytes', ERROR.frameSize, [frame(f.SETTINGS, f.ACK, 0, Buffer.alloc(6))]],
  ['push that is neither on nor off', ERROR.protocol, [settings([SETTING.enablePush, 2])]],
  ['a window that is too large', ERROR.flowControl, [settings([SETTING.initialWindowSize, 2 ** 31])]],
  [
    'a window that is too large, and then not',
    ERROR.flowControl,
    [settings([SETTING.initialWindowSize, 2 ** 31], [SETTING.initialWindowSize, 1])],
  ],
  ['frames that are too small', ERROR.protocol, [settings([SETTING.maxFrameSize, 16_383])]],
  ['frames that are too large', ERROR.protocol, [settings([SETTING.maxFrameSize, 2 ** 24])]],
  [
    "settings that make a stream's window too large",
    ERROR.flowControl,
    [get(1), windowUpdate(1, 2 ** 31 - 1 - 65_535), settings([SETTING.initialWindowSize, 65_536])],
  ],

  [
    'a push',
    ERROR.protocol,
    [get(1), frame(f.PUSH_PROMISE, f.END_HEADERS, 1, Buffer.concat([uint32(2), blockOf(GET)]))],
  ],
  ['a ping of a stream', ERROR.protocol, [frame(f.PING, 0, 1, Buffer.alloc(8))]],
  ['a ping of another length', ERROR.frameSize, [frame(f.PING, 0, 0, Buffer.alloc(7))]],
  ['a farewell of a stream', ERROR.protocol, [frame(f.GOAWAY, 0, 1, Buffer.alloc(8))]],
  ['a farewell that is too short', ERROR.frameSize, [frame(f.GOAWAY, 0, 0, Buffer.alloc(7))]],

  ['no more window of the connection', ERROR.protocol, [windowUpdate(0, 0)]],
  ['too much window of the connection', ERROR.flowControl, [windowUpdate(0, 2 ** 31 - 65_535)]],
  ['a window of a stream that never began', ERROR.protocol, [windowUpdate(1, 1)]],
  ['a window of another length', ERROR.frameSize, [frame(f.WINDOW_UPDATE, 0, 0, Buffer.alloc(5))]],
];

describe('connection errors', () => {
  it.each(BREACHES)('%s', async (_name, code, bytes) => {
    const peer = await RawPeer.greeted();
    await peer.send(...bytes);
    expect(peer.codeOf(0)).toBe(code);
    expect(peer.of(0, f.GOAWAY)).toHaveLength(1);
    expect(peer.ended).toBe(true);
    expect([...peer.streams.values()].every(({ closed }) => closed)).toBe(true);
    // Whoever does not go is not waited for.
    await peer.clock.advance(1000);
    await peer.settle();
    expect(peer.closed).toBe(1);
  });

  it.each([
    ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'), ERROR.protocol],
    [
      'a preface with a mistake at its end',
      Buffer.concat([f.PREFACE.subarray(0, 23), Buffer.from('x')]),
      ERROR.protocol,
    ],
    ['a request before settings', Buffer.concat([f.PREFACE, get(1)]), ERROR.protocol],
    ['settings taken note of before settings', Buffer.concat([f.PREFACE, frame(f.SETTINGS, f.ACK, 0)]), ERROR.protocol],
  ])('%s', async (_name, bytes, code) => {
    const peer = new RawPeer();
    await peer.send(bytes);
    expect(peer.codeOf(0)).toBe(code);
    expect(peer.ended).toBe(true);
    expect(peer.streams.size).toBe(0);
  });

  it.each([
    ['headers', [get(1)]],
    ['trailers', [headers(1, [['x', 'y']], f.END_HEADERS | f.END_STREAM)]],
  ])('%s of a stream that is over', async (_name, bytes) => {
    const peer = await RawPeer.greeted({ begin: (stream) => stream.answer(OK, []) });
    await peer.send(get(1));
    await peer.send(...bytes);
    expect(peer.codeOf(0)).toBe(ERROR.streamClosed);
  });

  it('more data than the connection has room for', async () => {
    const peer = await RawPeer.greeted({ connectionWindow: 65_535 });
    await peer.send(
      post(1),
      post(3),
      ...Array.from({ length: 4 }, (_, i) => data(1 + 2 * (i % 2), Buffer.alloc(16_384))),
    );
    expect(peer.codeOf(0)).toBe(ERROR.flowControl);
  });
});

/** Each of stream 1, and not of others. */
const MISTAKES: readonly (readonly [name: string, code: number, bytes: readonly Buffer[]])[] = [
  ['capitals in a name', ERROR.protocol, [post(1, ['Accept', '*/*'])]],
  ['a blank in a name', ERROR.protocol, [post(1, ['a b', 'c'])]],
  ['an empty name', ERROR.protocol, [post(1, ['', 'c'])]],
  ['a line feed in a value', ERROR.protocol, [post(1, ['x', 'a\nb: c'])]],
  ['a connection header', ERROR.protocol, [post(1, ['connection', 'close'])]],
  ['an upgrade', ERROR.protocol, [post(1, ['upgrade', 'websocket'])]],
  ['a transfer encoding', ERROR.protocol, [post(1, ['transfer-encoding', 'chunked'])]],
  ['TE of more than trailers', ERROR.protocol, [post(1, ['te', 'gzip'])]],
  ['no method', ERROR.protocol, [headers(1, GET.slice(1))]],
  [
    'no path',
    ERROR.protocol,
    [
      headers(
        1,
        GET.filter(([name]) => name !== ':path'),
      ),
    ],
  ],
  [
    'no scheme',
    ERROR.protocol,
    [
      headers(
        1,
        GET.filter(([name]) => name !== ':scheme'),
      ),
    ],
  ],
  [
    'an empty path',
    ERROR.protocol,
    [
      headers(
        1,
        GET.map(([name, value]) => [name, name === ':path' ? '' : value]),
      ),
    ],
  ],
  ['two paths', ERROR.protocol, [headers(1, [...GET, [':path', '/']])]],
  ['a path after headers', ERROR.protocol, [headers(1, [...GET.slice(0, 2), ['accept', '*/*'], ...GET.slice(2)])]],
  ['a status', ERROR.protocol, [post(1, [':status', '200'])]],
  ['a pseudo header that nobody knows', ERROR.protocol, [post(1, [':protocol', 'websocket'])]],
  ['no headers at all', ERROR.protocol, [headers(1, [])]],

  ['a length that is no number', ERROR.protocol, [post(1, ['content-length', 'x'])]],
  ['two lengths', ERROR.protocol, [post(1, ['content-length', '1'], ['content-length', '2'])]],
  [
    'a length and no body',
    ERROR.protocol,
    [headers(1, [...POST, ['content-length', '1']], f.END_HEADERS | f.END_STREAM)],
  ],
  ['more data than the head says', ERROR.protocol, [post(1, ['content-length', '3']), data(1, '1234')]],
  ['less data than the head says', ERROR.protocol, [post(1, ['content-length', '3']), data(1, '12', f.END_STREAM)]],
  [
    'less data than the head says, and trailers',
    ERROR.protocol,
    [post(1, ['content-length', '3']), data(1, '12'), headers(1, [['x', 'y']], f.END_HEADERS | f.END_STREAM)],
  ],

  ['data after the end', ERROR.streamClosed, [get(1), data(1, 'x')]],
  ['headers after the end', ERROR.streamClosed, [get(1), get(1)]],
  ['headers that are no trailers', ERROR.protocol, [post(1), headers(1, [['x', 'y']])]],
  ['trailers with a path', ERROR.protocol, [post(1), headers(1, [[':path', '/']], f.END_HEADERS | f.END_STREAM)]],
  ['trailers with capitals', ERROR.protocol, [post(1), headers(1, [['X', 'y']], f.END_HEADERS | f.END_STREAM)]],
  ['no more window', ERROR.protocol, [get(1), windowUpdate(1, 0)]],
  ['too much window', ERROR.flowControl, [get(1), windowUpdate(1, 2 ** 31 - 65_535)]],
  [
    'more data than the stream has room for',
    ERROR.flowControl,
    [post(1), ...Array.from({ length: 17 }, () => data(1, Buffer.alloc(16_384)))],
  ],
  ['data after a reset', ERROR.streamClosed, [post(1), reset(1), data(1, 'x'), data(1, 'y')]],
];

describe('stream errors', () => {
  it.each(MISTAKES)('%s', async (_name, code, bytes) => {
    const peer = await RawPeer.greeted();
    await peer.send(...bytes, get(3));
    expect(peer.codeOf(1)).toBe(code);
    expect(peer.of(1, f.RST_STREAM)).toHaveLength(1);
    expect(peer.streams.get(1)?.closed ?? true).toBe(true);
    expect(peer.codeOf(0)).toBeUndefined();
    peer.streams.get(3)!.answer(OK, []);
    await peer.settle();
    expect(peer.isComplete(3)).toBe(true);
  });

  it('exceed the allowed number', async () => {
    const peer = await RawPeer.greeted({ maxConcurrentStreams: 2 });
    await peer.send(
      post(1),
      post(3),
      post(5),
      data(5, 'on its way'),
      headers(5, [['x', 'y']], f.END_HEADERS | f.END_STREAM),
      data(1, 'x'),
    );
    expect(peer.codeOf(5)).toBe(ERROR.refusedStream);
    expect([...peer.streams.keys()]).toEqual([1, 3]);
    expect(peer.of(5)).toHaveLength(1);
    expect(peer.codeOf(0)).toBeUndefined();
    peer.streams.get(1)!.reset(ERROR.internal);
    await peer.send(get(7));
    expect([...peer.streams.keys()]).toEqual([1, 3, 7]);
  });

  it('frames in flight of a reset stream are ignored', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(post(1));
    peer.streams.get(1)!.reset(ERROR.internal);
    await peer.send(data(1, 'x'), windowUpdate(1, 1), headers(1, [['x', 'y']], f.END_HEADERS | f.END_STREAM), reset(1));
    expect(peer.of(1).map(({ type }) => type)).toEqual([f.RST_STREAM]);
    expect(peer.codeOf(0)).toBeUndefined();
  });
});

describe('too many headers', () => {
  const many = (stream: number): Buffer =>
    post(stream, ...Array.from({ length: 120 }, (_, i) => [`x-${i}`, 'y'] as const));
  const large = (stream: number): Buffer => {
    const block = Buffer.concat([blockOf(GET), notKept('x', 'y'.repeat(9000)), Buffer.alloc(0)]);
    return frame(f.HEADERS, f.END_HEADERS | f.END_STREAM, stream, block);
  };

  it.each([
    ['in number', many, {}],
    ['in bytes', large, { maxHeaderBytes: 8192 }],
  ])('%s are answered with 431', async (_name, bytes, options) => {
    const peer = await RawPeer.greeted(options);
    await peer.send(bytes(1), get(3));
    expect(peer.read(peer.of(1, f.HEADERS)[0]!)).toEqual([':status', '431']);
    expect(peer.isComplete(1)).toBe(true);
    expect([...peer.streams.keys()]).toEqual([3]);
  });
});

describe('the abuse budget', () => {
  it.each([
    ['requests that are taken back', (id: number) => [get(id), reset(id)]],
    ['requests that are broken by a window', (id: number) => [get(id), windowUpdate(id, 0)]],
    ['requests that are broken by data', (id: number) => [get(id), data(id, 'x')]],
    ['requests that are none', (id: number) => [headers(id, [])]],
    ['data without bytes', (id: number) => (id === 1 ? [post(1)] : [data(1, '')])],
    ['settings', () => [settings([SETTING.initialWindowSize, 1])]],
  ])('%s are accepted for a while', async (_name, bytes) => {
    const peer = await RawPeer.greeted();
    const pieces = (from: number, count: number): Buffer[] =>
      Array.from({ length: count }, (_, i) => bytes(2 * (from + i) + 1)).flat();
    await peer.send(...pieces(0, ABUSE_BURST));
    expect(peer.codeOf(0)).toBeUndefined();
    await peer.clock.advance(100);
    await peer.send(...pieces(ABUSE_BURST, 10));
    expect(peer.codeOf(0)).toBeUndefined();
    await peer.send(...pieces(ABUSE_BURST + 10, 2));
    expect(peer.codeOf(0)).toBe(ERROR.enhanceYourCalm);
  });
});

describe('accepted frames', () => {
  it('headers in pieces, padded, with a priority', async () => {
    const peer = await RawPeer.greeted();
    const block = blockOf(POST);
    const first = Buffer.concat([Buffer.from([2, 0, 0, 0, 0, 5]), block.subarray(0, 10), Buffer.alloc(2)]);
    await peer.send(
      frame(f.HEADERS, f.PADDED | f.WITH_PRIORITY, 1, first),
      frame(f.CONTINUATION, 0, 1, block.subarray(10, 20)),
      frame(f.CONTINUATION, f.END_HEADERS, 1, block.subarray(20)),
      frame(f.DATA, f.PADDED, 1, Buffer.from([2, 0x68, 0x69, 0, 0])),
      frame(f.DATA, f.PADDED | f.END_STREAM, 1, Buffer.from([0])),
    );
    expect(peer.streams.get(1)!.headers).toEqual(Object.fromEntries(POST));
    expect(String(await peer.streams.get(1)!.readBody(100))).toBe('hi');
  });

  it('trailers', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(post(1), data(1, 'body'), headers(1, [['grpc-status', '0']], f.END_HEADERS | f.END_STREAM));
    expect(String(await peer.streams.get(1)!.readBody(100))).toBe('body');
    expect(peer.streams.get(1)!.remoteEnded).toBe(true);
  });

  it('pings, unknown frames, priorities, GOAWAY, settings', async () => {
    const peer = await RawPeer.greeted();
    const ping = Buffer.from('12345678');
    await peer.send(
      frame(f.PING, 0, 0, ping),
      frame(f.PING, f.ACK, 0, ping),
      frame(0x55, 0xff, 7, Buffer.alloc(100)),
      frame(f.PRIORITY, 0, 9, Buffer.alloc(5)),
      frame(f.GOAWAY, 0, 0, Buffer.alloc(20)),
      settings([0x99, 5], [SETTING.maxFrameSize, 1_000_000], [SETTING.enablePush, 0]),
      frame(f.SETTINGS, f.ACK, 0),
      frame(f.HEADERS, 0xc0 | f.END_HEADERS | f.END_STREAM, 2 ** 31 + 1, blockOf(GET)),
    );
    expect(peer.of(0, f.PING).map(({ flags, payload }) => [flags, String(payload)])).toEqual([[f.ACK, '12345678']]);
    expect([...peer.streams.keys()]).toEqual([1]);
    expect(peer.codeOf(0)).toBeUndefined();
  });

  it('a body that is complete by its length, before its stream ends', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(post(1, ['content-length', '4']), data(1, 'bo'), data(1, 'dy'));
    const stream = peer.streams.get(1)!;
    expect(stream.declaredBytes).toBe(4);
    expect(String(await stream.readBody(100))).toBe('body');
    stream.answer(OK, [], Buffer.from('answer'));
    await peer.settle();
    expect(String(peer.body(1))).toBe('answer');
    expect(stream.closed).toBe(false);
    await peer.send(data(1, '', f.END_STREAM));
    expect(stream.closed).toBe(true);
  });

  it('a body that is too large is not read to its end', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(post(1));
    const stream = peer.streams.get(1)!;
    const body = expect(stream.readBody(10)).rejects.toMatchObject({ reason: 'TooLarge' });
    for (let i = 0; i < 100; i++) await peer.send(data(1, Buffer.alloc(16_384)));
    await body;
    stream.answer(OK, []);
    await peer.send(data(1, 'x', f.END_STREAM));
    expect(stream.closed).toBe(true);
    expect(peer.codeOf(1)).toBeUndefined();
  });
});

describe('answers', () => {
  it('of all lengths, in few frames', async () => {
    const peer = await RawPeer.greeted({}, [SETTING.initialWindowSize, 10_000_000]);
    await peer.send(windowUpdate(0, 10_000_000));
    for (const [i, length] of [0, 1, 4000, 16_384, 16_385, 65_536, 300_000].entries()) {
      const id = 2 * i + 1;
      await peer.send(get(id));
      const body = Buffer.alloc(length, String(i));
      peer.streams.get(id)!.answer(OK, ['content-length', String(length)], body);
      await peer.settle();
      expect(peer.read(peer.of(id, f.HEADERS)[0]!)).toEqual([...OK, 'content-length', String(length)]);
      expect(peer.body(id).equals(body)).toBe(true);
      expect(peer.isComplete(id)).toBe(true);
      expect(peer.of(id, f.DATA)).toHaveLength(Math.ceil(length / 16_384));
      expect(peer.streams.get(id)!.closed).toBe(true);
    }
  });

  it('with headers in several frames', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(get(1), get(3));
    const own = Array.from({ length: 10 }, (_, i) => [`x-${i}`, String(i).repeat(5000)]).flat();
    peer.streams.get(1)!.answer(OK, own);
    peer.streams.get(3)!.answer(OK, []);
    await peer.settle();
    const frames = peer.of(1);
    expect(frames.map(({ type, flags }) => [type, flags])).toEqual([
      [f.HEADERS, f.END_STREAM],
      [f.CONTINUATION, 0],
      [f.CONTINUATION, 0],
      [f.CONTINUATION, f.END_HEADERS],
    ]);
    expect(peer.read({ ...frames[0]!, payload: Buffer.concat(frames.map(({ payload }) => payload)) })).toEqual([
      ...OK,
      ...own,
    ]);
    expect(peer.read(peer.of(3)[0]!)).toEqual(OK);
  });

  it('piece by piece, empty ones among them', async () => {
    const peer = await RawPeer.greeted();
    await peer.send(get(1));
    const stream = peer.streams.get(1)!;
    const taken: string[] = [];
    stream.begin(OK, []);
    for (const piece of ['one', '', 'two']) stream.write(Buffer.from(piece), () => taken.push(piece));
    stream.end();
    stream.write(Buffer.from('late'), () => taken.push('late'));
    await peer.settle();
    expect(String(peer.body(1))).toBe('onetwo');
    expect(taken).toEqual(['one', '', 'two', 'late']);
    expect(peer.isComplete(1)).toBe(true);
  });

  it('for a peer without a table', async () => {
    const peer = await RawPeer.greeted({ begin: (stream) => stream.answer(OK, ['etag', 'e']) });
    await peer.send(get(1), settings([SETTING.headerTableSize, 0], [SETTING.headerTableSize, 4096]), get(3), get(5));
    for (const id of [1, 3, 5]) expect(peer.read(peer.of(id)[0]!)).toEqual([...OK, 'etag', 'e']);
    expect(peer.of(3)[0]!.payload[0]).toBe(0x20);
  });
});
