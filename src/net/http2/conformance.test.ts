/**
 * The cases of h2spec, in the order of its sections: what a server of HTTP/2 (RFC 7540) and HPACK (RFC 7541) has to
 * accept, and how it has to refuse the rest.
 */
import { describe, expect, it } from 'vitest';
import * as f from './frames.ts';
import {
  answered,
  type Case,
  continuation,
  dataOf,
  END,
  ends,
  type Fields,
  get,
  getAfter,
  getWith,
  HELD,
  isAlive,
  isAnswered,
  NOTHING_SET,
  ping,
  pong,
  post,
  priority,
  priorityPayload,
  request,
  resets,
  runCase,
  settingsAcknowledged,
  streamError,
  UNGREETED,
  windowSetting,
} from './testing/conformance.ts';
import { blockOf, indexed, integer, kept, neverKept, notKept, resized, text } from './testing/hpack.ts';
import { data, frame, GET, OPTIONS, POST, reset, settings, windowUpdate } from './testing/peer.ts';

const { ERROR, SETTING } = f;
const HEAD: Fields = [[':method', 'HEAD'], ...GET.slice(1)];
const BLOCK = blockOf(GET);
const MORE = notKept('x-dummy', 'x'.repeat(100));
const USER_AGENT = 58;
const PSEUDO = [':method', ':scheme', ':path'];
const without = (field: string): Fields => GET.filter(([name]) => name !== field);
const valueOf = (field: string): string => GET.find(([name]) => name === field)![1];
const huffman = { huffman: true };
const hex = (bytes: string): Buffer => Buffer.from(bytes, 'hex');
const openBlock = (flags = f.END_STREAM): Buffer => frame(f.HEADERS, flags, 1, BLOCK);
/** A literal field of each kind, by the first byte and the bits that its index has. */
const literal = (flags: number, bits: number, name: number | string, options = {}): Buffer =>
  Buffer.concat([
    ...(typeof name === 'number' ? [integer(flags, bits, name)] : [integer(flags, bits, 0), text(name, options)]),
    text('h2spec', options),
  ]);

const GENERIC: Readonly<Record<string, readonly Case[]>> = {
  '1. Starting HTTP/2': [
    [
      'a client connection preface',
      [Buffer.concat([f.PREFACE, windowSetting(65_535)])],
      settingsAcknowledged(1),
      UNGREETED,
    ],
  ],
  '2. Streams and multiplexing': [
    ['PRIORITY on an idle stream', [priority(1, 0), ping()], isAlive],
    ['WINDOW_UPDATE on a half-closed (remote) stream', [windowSetting(0), get(), windowUpdate(1, 1)], dataOf(1)],
    [
      'PRIORITY on a half-closed (remote) stream',
      [windowSetting(0), get(), priority(1, 0), windowUpdate(1, 1)],
      dataOf(1),
    ],
    ['RST_STREAM on a half-closed (remote) stream', [get(), reset(1), ping()], isAlive, HELD],
    ['PRIORITY on a closed stream', [get(), priority(1, 0), ping()], isAlive],
  ],
  '3.1. DATA': [
    ['DATA', [post(), data(1, 'test', f.END_STREAM)], isAnswered],
    ['several DATA', [post(), data(1, 'test'), data(1, 'test', f.END_STREAM)], isAnswered],
    ['DATA with padding', [post(), frame(f.DATA, f.PADDED | f.END_STREAM, 1, hex('05746573740000000000'))], isAnswered],
  ],
  '3.2. HEADERS': [
    ['HEADERS', [get()], isAnswered],
    [
      'HEADERS with padding',
      [frame(f.HEADERS, END | f.PADDED, 1, Buffer.concat([Buffer.from([8]), BLOCK, Buffer.alloc(8)]))],
      isAnswered,
    ],
    [
      'HEADERS with priority',
      [frame(f.HEADERS, END | f.WITH_PRIORITY, 1, Buffer.concat([priorityPayload(0), BLOCK]))],
      isAnswered,
    ],
  ],
  '3.3. PRIORITY': [
    ['PRIORITY of weight 1', [priority(1, 0, { weight: 0 }), get()], isAnswered],
    ['PRIORITY of weight 256', [priority(1, 0, { weight: 255 }), get()], isAnswered],
    ['PRIORITY with a dependency', [priority(3, 1), get()], isAnswered],
    ['PRIORITY that is exclusive', [priority(1, 0, { exclusive: true }), get()], isAnswered],
    ['PRIORITY of an idle stream, then HEADERS of a lower one', [priority(3, 0), get(1)], isAnswered],
  ],
  '3.4. RST_STREAM': [['RST_STREAM', [request(GET, f.END_HEADERS), reset(1), ping()], isAlive]],
  '3.5. SETTINGS': [
    [
      'SETTINGS',
      [
        settings(
          [SETTING.headerTableSize, 4096],
          [SETTING.enablePush, 1],
          [SETTING.maxConcurrentStreams, 100],
          [SETTING.initialWindowSize, 65_535],
          [SETTING.maxFrameSize, 16_384],
          [SETTING.maxHeaderListSize, 100],
        ),
      ],
      settingsAcknowledged(2),
    ],
  ],
  '3.7. PING': [['PING', [ping('h2spec\0\0')], pong('h2spec\0\0')]],
  '3.8. GOAWAY': [['GOAWAY', [frame(f.GOAWAY, 0, 0, hex('0000000000000000')), ping()], isAlive]],
  '3.9. WINDOW_UPDATE': [
    ['WINDOW_UPDATE of the connection', [windowUpdate(0, 1), ping()], isAlive],
    ['WINDOW_UPDATE of a stream', [get(), windowUpdate(1, 1)], isAnswered],
  ],
  '3.10. CONTINUATION': [
    [
      'CONTINUATION',
      [frame(f.HEADERS, f.END_STREAM, 1, BLOCK.subarray(0, 5)), continuation(BLOCK.subarray(5))],
      isAnswered,
    ],
    [
      'several CONTINUATION',
      [
        frame(f.HEADERS, f.END_STREAM, 1, BLOCK.subarray(0, 5)),
        continuation(BLOCK.subarray(5, 10), 0),
        continuation(BLOCK.subarray(10)),
      ],
      isAnswered,
    ],
  ],
  '4. HTTP message exchanges': [
    ['GET', [get()], isAnswered],
    ['HEAD', [request(HEAD)], isAnswered],
    ['POST', [post(), data(1, 'test', f.END_STREAM)], isAnswered],
    ['POST with trailers', [post(['trailer', 'x-test']), data(1, 'test'), request([['x-test', 'ok']])], isAnswered],
  ],
  '5. HPACK': [
    ['an indexed field', [getWith(indexed(USER_AGENT))], isAnswered],
    ['a literal field that is kept, its name indexed', [getWith(literal(0x40, 6, USER_AGENT))], isAnswered],
    [
      'a literal field that is kept, its name indexed (Huffman)',
      [getWith(literal(0x40, 6, USER_AGENT, huffman))],
      isAnswered,
    ],
    ['a literal field that is kept, its name new', [getWith(kept('x-test', 'h2spec'))], isAnswered],
    [
      'a literal field that is kept, its name new (Huffman)',
      [getWith(literal(0x40, 6, 'x-test', huffman))],
      isAnswered,
    ],
    ['a literal field that is not kept, its name indexed', [getWith(literal(0, 4, USER_AGENT))], isAnswered],
    [
      'a literal field that is not kept, its name indexed (Huffman)',
      [getWith(literal(0, 4, USER_AGENT, huffman))],
      isAnswered,
    ],
    ['a literal field that is not kept, its name new', [getWith(notKept('x-test', 'h2spec'))], isAnswered],
    [
      'a literal field that is not kept, its name new (Huffman)',
      [getWith(literal(0, 4, 'x-test', huffman))],
      isAnswered,
    ],
    ['a literal field that is never kept, its name indexed', [getWith(literal(0x10, 4, USER_AGENT))], isAnswered],
    [
      'a literal field that is never kept, its name indexed (Huffman)',
      [getWith(literal(0x10, 4, USER_AGENT, huffman))],
      isAnswered,
    ],
    ['a literal field that is never kept, its name new', [getWith(neverKept('x-test', 'h2spec'))], isAnswered],
    [
      'a literal field that is never kept, its name new (Huffman)',
      [getWith(literal(0x10, 4, 'x-test', huffman))],
      isAnswered,
    ],
    ['a dynamic table size update', [getAfter(resized(128))], isAnswered],
    ['several dynamic table size updates', [getAfter(Buffer.concat([resized(128), resized(4096)]))], isAnswered],
  ],
};

const HTTP2: Readonly<Record<string, readonly Case[]>> = {
  '3.5. Connection preface': [
    ['a client connection preface', NOTHING_SET, settingsAcknowledged(1), UNGREETED],
    ['an invalid one', [Buffer.from('INVALID CONNECTION PREFACE\r\n\r\n')], ends.protocol, UNGREETED],
  ],
  '4.1. Frame format': [
    ['a frame of unknown type', [frame(0x16, 0, 0, Buffer.alloc(8)), ping()], isAlive],
    ['a frame with undefined flags', [ping('abcdefgh', 0x16)], isAlive],
    ['a frame with the reserved bit', [ping('abcdefgh', 0x16, 0x8000_0000)], isAlive],
  ],
  '4.2. Frame size': [
    ['DATA of 2^14 bytes', [post(), data(1, 'x'.repeat(16_384), f.END_STREAM)], isAnswered],
    ['DATA of more', [post(), data(1, 'x'.repeat(16_385), f.END_STREAM)], ends.frameSize],
    ['HEADERS of more', [request([...GET, ['x-dummy', 'x'.repeat(16_384)]])], ends.frameSize],
  ],
  '4.3. Header compression': [
    ['an invalid header block', [frame(f.HEADERS, END, 1, hex('40'))], ends.compression],
    ['PRIORITY within a header block', [openBlock(0), priority(1, 0), continuation(MORE)], ends.protocol],
    ['HEADERS of another stream within a header block', [openBlock(0), get(3), continuation(MORE)], ends.protocol],
  ],
  '5.1. Stream states': [
    ['idle: DATA', [data(1, 'test', f.END_STREAM)], ends.protocol],
    ['idle: RST_STREAM', [reset(1)], ends.protocol],
    ['idle: WINDOW_UPDATE', [windowUpdate(1, 100)], ends.protocol],
    ['idle: CONTINUATION', [continuation(BLOCK)], ends.protocol],
    ['half closed (remote): DATA', [get(), data(1, 'test', f.END_STREAM)], resets.streamClosed, HELD],
    ['half closed (remote): HEADERS', [get(), get()], resets.streamClosed, HELD],
    ['half closed (remote): CONTINUATION', [get(), continuation(BLOCK)], ends.protocol, HELD],
    ['closed: DATA after RST_STREAM', [post(), reset(1), data(1, 'test', f.END_STREAM)], resets.streamClosed, HELD],
    ['closed: HEADERS after RST_STREAM', [post(), reset(1), get()], ends.streamClosed, HELD],
    ['closed: CONTINUATION after RST_STREAM', [post(), reset(1), continuation(MORE)], ends.protocol, HELD],
    ['closed: DATA', [get(), data(1, 'test', f.END_STREAM)], resets.streamClosed],
    ['closed: HEADERS', [get(), get()], ends.streamClosed],
    ['closed: CONTINUATION', [get(), continuation(MORE)], ends.protocol],
  ],
  '5.1.1. Stream identifiers': [
    ['an even one', [get(2)], ends.protocol],
    ['one that is lower than the one before', [get(5), get(3)], ends.protocol],
  ],
  '5.1.2. Stream concurrency': [
    [
      'one stream more than is allowed',
      [windowSetting(0), ...Array.from({ length: OPTIONS.maxConcurrentStreams + 1 }, (_, i) => get(2 * i + 1))],
      streamError(ERROR.refusedStream, 2 * OPTIONS.maxConcurrentStreams + 1),
      HELD,
    ],
  ],
  '5.3.1. Stream dependencies': [
    [
      'HEADERS of a stream that depends on itself',
      [frame(f.HEADERS, END | f.WITH_PRIORITY, 1, Buffer.concat([priorityPayload(1), BLOCK]))],
      resets.protocol,
    ],
    ['PRIORITY of a stream that depends on itself', [priority(1, 1)], resets.protocol],
  ],
  '5.4.1. Connection error handling': [
    ['an invalid PING closes the connection', [ping('abcdefgh', 0, 3)], (peer) => expect(peer.ended).toBe(true)],
    ['after GOAWAY (strict)', [ping('abcdefgh', 0, 3)], ends.protocol],
  ],
  '5.5. Extending HTTP/2': [
    ['an unknown frame', [frame(0x16, 0, 0, Buffer.alloc(8)), ping()], isAlive],
    ['an unknown frame within a header block', [openBlock(), frame(0x16, 0, 0, Buffer.alloc(8))], ends.protocol],
  ],
  '6.1. DATA': [
    ['of no stream', [data(0, 'test', f.END_STREAM)], ends.protocol],
    ['of a stream that is not open', [request(POST), data(1, 'test', f.END_STREAM)], resets.streamClosed, HELD],
    [
      'with more padding than frame',
      [post(['content-length', '4']), frame(f.DATA, f.PADDED | f.END_STREAM, 1, hex('0654657374'))],
      ends.protocol,
    ],
  ],
  '6.2. HEADERS': [
    ['without END_HEADERS, and PRIORITY', [openBlock(0), priority(1, 0), continuation(MORE)], ends.protocol],
    ['without END_HEADERS, and HEADERS of another stream', [openBlock(0), get(3), continuation(MORE)], ends.protocol],
    ['of no stream', [get(0)], ends.protocol],
    [
      'with more padding than frame',
      [frame(f.HEADERS, END | f.PADDED, 1, Buffer.concat([Buffer.from([BLOCK.length + 2]), BLOCK]))],
      ends.protocol,
    ],
  ],
  '6.3. PRIORITY': [
    ['of no stream', [priority(0, 0)], ends.protocol],
    ['of four bytes', [get(), frame(f.PRIORITY, 0, 1, hex('80000001'))], ends.frameSize],
  ],
  '6.4. RST_STREAM': [
    ['of no stream', [reset(0)], ends.protocol],
    ['of an idle stream', [reset(1)], ends.protocol],
    ['of three bytes', [get(), frame(f.RST_STREAM, 0, 1, hex('000000'))], ends.frameSize],
  ],
  '6.5. SETTINGS': [
    ['with ACK and a payload', [frame(f.SETTINGS, f.ACK, 0, hex('00'))], ends.frameSize],
    ['of a stream', [frame(f.SETTINGS, 0, 1, hex('000300000064'))], ends.protocol],
    ['of three bytes', [frame(f.SETTINGS, 0, 0, hex('000300'))], ends.frameSize],
  ],
  '6.5.2. Defined settings': [
    ['ENABLE_PUSH of 2', [settings([SETTING.enablePush, 2])], ends.protocol],
    ['INITIAL_WINDOW_SIZE of 2^31', [windowSetting(2 ** 31)], ends.flowControl],
    ['MAX_FRAME_SIZE below the first value', [settings([SETTING.maxFrameSize, 16_383])], ends.protocol],
    ['MAX_FRAME_SIZE above the largest', [settings([SETTING.maxFrameSize, 2 ** 24])], ends.protocol],
    ['one that nobody knows', [settings([0xff, 1]), ping()], isAlive],
  ],
  '6.5.3. Settings synchronization': [
    ['INITIAL_WINDOW_SIZE twice', [windowSetting(100, 1), get()], dataOf(1)],
    ['is acknowledged', [settings([SETTING.enablePush, 0])], settingsAcknowledged(2)],
  ],
  '6.7. PING': [
    ['is answered', [ping('h2spec\0\0')], pong('h2spec\0\0')],
    ['with ACK is not', [ping('invalid\0', f.ACK), ping('h2spec\0\0')], pong('h2spec\0\0')],
    ['of a stream', [ping('abcdefgh', 0, 1)], ends.protocol],
    ['of six bytes', [ping('abcdef')], ends.frameSize],
  ],
  '6.8. GOAWAY': [['of a stream', [frame(f.GOAWAY, 0, 1, Buffer.alloc(8))], ends.protocol]],
  '6.9. WINDOW_UPDATE': [
    ['of 0', [windowUpdate(0, 0)], ends.protocol],
    ['of 0 on a stream', [request(GET, f.END_HEADERS), windowUpdate(1, 0)], resets.protocol, HELD],
    ['of three bytes', [frame(f.WINDOW_UPDATE, 0, 0, hex('000001'))], ends.frameSize],
  ],
  '6.9.1. The flow-control window': [
    ['of 1', [windowSetting(1), get()], dataOf(1)],
    ['above 2^31-1', [windowUpdate(0, 2 ** 31 - 1), windowUpdate(0, 2 ** 31 - 1)], ends.flowControl],
    [
      'of a stream above 2^31-1',
      [request(GET, f.END_HEADERS), windowUpdate(1, 2 ** 31 - 1), windowUpdate(1, 2 ** 31 - 1)],
      resets.flowControl,
      HELD,
    ],
  ],
  '6.9.2. Initial flow-control window size': [
    ['is changed after HEADERS', [windowSetting(0), get(), windowSetting(1)], dataOf(1)],
    ['makes a window negative', [windowSetting(3), get(), windowSetting(2), windowUpdate(1, 2)], dataOf(3, 1)],
    ['beyond the largest', [frame(f.SETTINGS, 0, 0, hex('000480000000'))], ends.flowControl],
  ],
  '6.10. CONTINUATION': [
    ['several after HEADERS', [openBlock(), continuation(MORE, 0), continuation(MORE)], isAnswered],
    ['followed by another frame', [openBlock(0), continuation(MORE, 0), data(1, 'test', f.END_STREAM)], ends.protocol],
    ['of no stream', [openBlock(), continuation(MORE, f.END_HEADERS, 0)], ends.protocol],
    ['after HEADERS with END_HEADERS', [get(), continuation(MORE)], ends.protocol],
    ['after CONTINUATION with END_HEADERS', [openBlock(), continuation(MORE), continuation(MORE)], ends.protocol],
    [
      'after DATA',
      [openBlock(0), data(1, 'test', f.END_STREAM), continuation(MORE, 0), continuation(MORE, f.END_HEADERS, 0)],
      ends.protocol,
    ],
  ],
  '7. Error codes': [
    ['GOAWAY with an unknown one', [frame(f.GOAWAY, 0, 0, hex('00000000000000ff')), ping()], isAlive],
    ['RST_STREAM with an unknown one', [post(), reset(1, 0xff), ping()], isAlive, HELD],
  ],
  '8.1. Request and response': [
    [
      'second HEADERS without END_STREAM',
      [post(), data(1, 'test'), request([['x-test', 'ok']], f.END_HEADERS)],
      resets.protocol,
    ],
  ],
  '8.1.2. Header fields': [['a name in upper case', [request([...GET, ['X-TEST', 'ok']])], resets.protocol]],
  '8.1.2.1. Pseudo-header fields': [
    ['an unknown one', [request([...GET, [':test', 'ok']])], resets.protocol],
    ['one of answers', [request([...GET, [':status', '200']])], resets.protocol],
    ['in trailers', [post(), data(1, 'test'), request([[':method', 'POST']], f.END_HEADERS)], resets.protocol],
    ['after a regular field', [request([['x-test', 'ok'], ...GET])], resets.protocol],
  ],
  '8.1.2.2. Connection-specific fields': [
    ['connection', [request([...GET, ['connection', 'keep-alive']])], resets.protocol],
    [
      'te with anything but trailers',
      [request([...GET, ['trailers', 'test'], ['te', 'trailers, deflate']])],
      resets.protocol,
    ],
  ],
  '8.1.2.3. Request pseudo-header fields': [
    ['an empty :path', [request(GET.map(([name, value]) => [name, name === ':path' ? '' : value]))], resets.protocol],
    ...PSEUDO.map((left): Case => [`no ${left}`, [request(without(left))], resets.protocol]),
    ...PSEUDO.map((twice): Case => [`${twice} twice`, [request([...GET, [twice, valueOf(twice)]])], resets.protocol]),
  ],
  '8.1.2.6. Malformed requests': [
    [
      'a content-length that is not that of DATA',
      [post(['content-length', '1']), data(1, 'test', f.END_STREAM)],
      resets.protocol,
    ],
    [
      'a content-length that is not the sum of DATA',
      [post(['content-length', '1']), data(1, 'test'), data(1, 'test', f.END_STREAM)],
      resets.protocol,
    ],
  ],
  '8.2. Server push': [
    ['PUSH_PROMISE', [frame(f.PUSH_PROMISE, f.END_HEADERS, 1, Buffer.concat([hex('00000003'), BLOCK]))], ends.protocol],
  ],
};

const HPACK: Readonly<Record<string, readonly Case[]>> = {
  '2.3.3. Index address space': [
    ['an indexed field beyond the tables', [getWith(indexed(70))], ends.compression],
    [
      'a literal field with a name beyond the tables',
      [getWith(Buffer.concat([integer(0x40, 6, 70), text('')]))],
      ends.compression,
    ],
  ],
  '4.2. Maximum table size': [['an update at the end of a block', [getWith(resized(1))], ends.compression]],
  '5.2. String literals': [
    ['Huffman with more than 7 bits of padding', [getWith(hex('0085f2b24a84ff8449509fff'))], ends.compression],
    ['Huffman padded with zeros', [getWith(hex('0085f2b24a84ff83495090'))], ends.compression],
    ['Huffman with EOS', [getWith(hex('0085f2b24a84ff874951fffffffa7f'))], ends.compression],
  ],
  '6.1. Indexed fields': [['index 0', [getWith(indexed(0))], ends.compression]],
  '6.3. Dynamic table size update': [
    ['larger than was allowed', [getAfter(resized(f.DEFAULT_TABLE_BYTES + 1))], ends.compression],
  ],
};

const SUITES = { generic: GENERIC, http2: HTTP2, hpack: HPACK };

describe.each(Object.entries(SUITES))('%s', (_suite, sections) => {
  describe.each(Object.entries(sections))('%s', (_section, cases) => {
    it.each(cases.map((one) => [one[0], one] as const))('%s', (_name, one) => runCase(one));
  });
});

it('has all cases of h2spec, with the strict one', () => {
  const counts = Object.values(SUITES).map((sections) => Object.values(sections).flat().length);
  expect(counts).toEqual([44, 95, 8]);
});

describe('a stream that depends on itself', () => {
  const selfDependent = (stream: number, flags: number, fields = BLOCK): Buffer =>
    frame(
      f.HEADERS,
      flags | f.WITH_PRIORITY,
      stream,
      Buffer.concat([priorityPayload(stream), fields, kept('x-kept', 'x')]),
    );

  const cases: readonly Case[] = [
    ['in several frames', [selfDependent(1, f.END_STREAM), continuation(MORE)], resets.protocol],
    ['in trailers', [post(), selfDependent(1, END, Buffer.alloc(0))], resets.protocol, HELD],
    ['is not looked at further', [priority(1, 1), get(1)], resets.protocol],
    ['leaves others alone', [priority(3, 3), selfDependent(5, END), get(7)], answered(7)],
    [
      'leaves the table of fields in order',
      [selfDependent(1, END), frame(f.HEADERS, END, 3, Buffer.concat([BLOCK, indexed(62)]))],
      answered(3),
    ],
  ];
  it.each(cases.map((one) => [one[0], one] as const))('%s', (_name, one) => runCase(one));
});
