/**
 * The cases of h2spec, in the order of its sections: what a server of HTTP/2 (RFC 7540) and HPACK (RFC 7541) has to accept, and
 * how it has to refuse the rest.
 */
import { describe, expect, it } from 'vitest';
import * as f from './frames.ts';
import {
  answered, type Case, connectionError, continuation, dataOf, END, type Fields, get, getAfter, getWith, NOTHING_SET, ping, pong, post, priority, priorityPayload,
  request, runCase, settingsAcknowledged, streamError, windowSetting,
} from './testing-conformance.ts';
import { blockOf, indexed, integer, kept, neverKept, notKept, resized, text } from './testing-hpack.ts';
import { data, frame, GET, OPTIONS, POST, reset, settings, windowUpdate } from './testing-peer.ts';

const { ERROR, SETTING } = f;
const HEAD: Fields = [[':method', 'HEAD'], ...GET.slice(1)];
const BLOCK = blockOf(GET);
const MORE = notKept('x-dummy', 'x'.repeat(100));
const USER_AGENT = 58;
const huffman = { huffman: true };
const hex = (bytes: string): Buffer => Buffer.from(bytes, 'hex');
const openBlock = (flags = f.END_STREAM): Buffer => frame(f.HEADERS, flags, 1, BLOCK);
/** A literal field of each kind, by the first byte and the bits that its index has. */
const literal = (flags: number, bits: number, name: number | string, options = {}): Buffer =>
  Buffer.concat(typeof name === 'number' ? [integer(flags, bits, name), text('h2spec', options)] : [integer(flags, bits, 0), text(name, options), text('h2spec', options)]);

const GENERIC: Readonly<Record<string, readonly Case[]>> = {
  '1. Starting HTTP/2': [{ name: 'a client connection preface', begins: [], sends: [Buffer.concat([f.PREFACE, windowSetting(65_535)])], expects: settingsAcknowledged(1) }],
  '2. Streams and multiplexing': [
    { name: 'PRIORITY on an idle stream', sends: [priority(1, 0), ping()], expects: pong() },
    { name: 'WINDOW_UPDATE on a half-closed (remote) stream', sends: [windowSetting(0), get(), windowUpdate(1, 1)], expects: dataOf(1) },
    { name: 'PRIORITY on a half-closed (remote) stream', sends: [windowSetting(0), get(), priority(1, 0), windowUpdate(1, 1)], expects: dataOf(1) },
    { name: 'RST_STREAM on a half-closed (remote) stream', held: true, sends: [get(), reset(1), ping()], expects: pong() },
    { name: 'PRIORITY on a closed stream', sends: [get(), priority(1, 0), ping()], expects: pong() },
  ],
  '3.1. DATA': [
    { name: 'DATA', sends: [post(), data(1, 'test', f.END_STREAM)], expects: answered() },
    { name: 'several DATA', sends: [post(), data(1, 'test'), data(1, 'test', f.END_STREAM)], expects: answered() },
    { name: 'DATA with padding', sends: [post(), frame(f.DATA, f.PADDED | f.END_STREAM, 1, hex('057465737400000000' + '00'))], expects: answered() },
  ],
  '3.2. HEADERS': [
    { name: 'HEADERS', sends: [get()], expects: answered() },
    { name: 'HEADERS with padding', sends: [frame(f.HEADERS, END | f.PADDED, 1, Buffer.concat([Buffer.from([8]), BLOCK, Buffer.alloc(8)]))], expects: answered() },
    { name: 'HEADERS with priority', sends: [frame(f.HEADERS, END | f.WITH_PRIORITY, 1, Buffer.concat([priorityPayload(0), BLOCK]))], expects: answered() },
  ],
  '3.3. PRIORITY': [
    { name: 'PRIORITY of weight 1', sends: [priority(1, 0, { weight: 0 }), get()], expects: answered() },
    { name: 'PRIORITY of weight 256', sends: [priority(1, 0, { weight: 255 }), get()], expects: answered() },
    { name: 'PRIORITY with a dependency', sends: [priority(3, 1), get()], expects: answered() },
    { name: 'PRIORITY that is exclusive', sends: [priority(1, 0, { exclusive: true }), get()], expects: answered() },
    { name: 'PRIORITY of an idle stream, then HEADERS of a lower one', sends: [priority(3, 0), get(1)], expects: answered() },
  ],
  '3.4. RST_STREAM': [{ name: 'RST_STREAM', sends: [request(GET, f.END_HEADERS), reset(1), ping()], expects: pong() }],
  '3.5. SETTINGS': [
    {
      name: 'SETTINGS',
      sends: [settings([SETTING.headerTableSize, 4096], [SETTING.enablePush, 1], [SETTING.maxConcurrentStreams, 100], [SETTING.initialWindowSize, 65_535], [SETTING.maxFrameSize, 16_384], [SETTING.maxHeaderListSize, 100])],
      expects: settingsAcknowledged(2),
    },
  ],
  '3.7. PING': [{ name: 'PING', sends: [ping('h2spec\0\0')], expects: pong('h2spec\0\0') }],
  '3.8. GOAWAY': [{ name: 'GOAWAY', sends: [frame(f.GOAWAY, 0, 0, hex('0000000000000000')), ping()], expects: pong() }],
  '3.9. WINDOW_UPDATE': [
    { name: 'WINDOW_UPDATE of the connection', sends: [windowUpdate(0, 1), ping()], expects: pong() },
    { name: 'WINDOW_UPDATE of a stream', sends: [get(), windowUpdate(1, 1)], expects: answered() },
  ],
  '3.10. CONTINUATION': [
    { name: 'CONTINUATION', sends: [frame(f.HEADERS, f.END_STREAM, 1, BLOCK.subarray(0, 5)), continuation(BLOCK.subarray(5))], expects: answered() },
    { name: 'several CONTINUATION', sends: [frame(f.HEADERS, f.END_STREAM, 1, BLOCK.subarray(0, 5)), continuation(BLOCK.subarray(5, 10), 0), continuation(BLOCK.subarray(10))], expects: answered() },
  ],
  '4. HTTP message exchanges': [
    { name: 'GET', sends: [get()], expects: answered() },
    { name: 'HEAD', sends: [request(HEAD)], expects: answered() },
    { name: 'POST', sends: [post(), data(1, 'test', f.END_STREAM)], expects: answered() },
    { name: 'POST with trailers', sends: [post(['trailer', 'x-test']), data(1, 'test'), request([['x-test', 'ok']])], expects: answered() },
  ],
  '5. HPACK': [
    { name: 'an indexed field', sends: [getWith(indexed(USER_AGENT))], expects: answered() },
    { name: 'a literal field that is kept, its name indexed', sends: [getWith(literal(0x40, 6, USER_AGENT))], expects: answered() },
    { name: 'a literal field that is kept, its name indexed (Huffman)', sends: [getWith(literal(0x40, 6, USER_AGENT, huffman))], expects: answered() },
    { name: 'a literal field that is kept, its name new', sends: [getWith(kept('x-test', 'h2spec'))], expects: answered() },
    { name: 'a literal field that is kept, its name new (Huffman)', sends: [getWith(literal(0x40, 6, 'x-test', huffman))], expects: answered() },
    { name: 'a literal field that is not kept, its name indexed', sends: [getWith(literal(0, 4, USER_AGENT))], expects: answered() },
    { name: 'a literal field that is not kept, its name indexed (Huffman)', sends: [getWith(literal(0, 4, USER_AGENT, huffman))], expects: answered() },
    { name: 'a literal field that is not kept, its name new', sends: [getWith(notKept('x-test', 'h2spec'))], expects: answered() },
    { name: 'a literal field that is not kept, its name new (Huffman)', sends: [getWith(literal(0, 4, 'x-test', huffman))], expects: answered() },
    { name: 'a literal field that is never kept, its name indexed', sends: [getWith(literal(0x10, 4, USER_AGENT))], expects: answered() },
    { name: 'a literal field that is never kept, its name indexed (Huffman)', sends: [getWith(literal(0x10, 4, USER_AGENT, huffman))], expects: answered() },
    { name: 'a literal field that is never kept, its name new', sends: [getWith(neverKept('x-test', 'h2spec'))], expects: answered() },
    { name: 'a literal field that is never kept, its name new (Huffman)', sends: [getWith(literal(0x10, 4, 'x-test', huffman))], expects: answered() },
    { name: 'a dynamic table size update', sends: [getAfter(resized(128))], expects: answered() },
    { name: 'several dynamic table size updates', sends: [getAfter(Buffer.concat([resized(128), resized(4096)]))], expects: answered() },
  ],
};

const HTTP2: Readonly<Record<string, readonly Case[]>> = {
  '3.5. Connection preface': [
    { name: 'a client connection preface', begins: [], sends: NOTHING_SET, expects: settingsAcknowledged(1) },
    { name: 'an invalid one', begins: [], sends: [Buffer.from('INVALID CONNECTION PREFACE\r\n\r\n')], expects: connectionError(ERROR.protocol) },
  ],
  '4.1. Frame format': [
    { name: 'a frame of unknown type', sends: [frame(0x16, 0, 0, Buffer.alloc(8)), ping()], expects: pong() },
    { name: 'a frame with undefined flags', sends: [ping('abcdefgh', 0x16)], expects: pong() },
    { name: 'a frame with the reserved bit', sends: [ping('abcdefgh', 0x16, 0x8000_0000)], expects: pong() },
  ],
  '4.2. Frame size': [
    { name: 'DATA of 2^14 bytes', sends: [post(), data(1, 'x'.repeat(16_384), f.END_STREAM)], expects: answered() },
    { name: 'DATA of more', sends: [post(), data(1, 'x'.repeat(16_385), f.END_STREAM)], expects: connectionError(ERROR.frameSize) },
    { name: 'HEADERS of more', sends: [request([...GET, ['x-dummy', 'x'.repeat(16_384)]])], expects: connectionError(ERROR.frameSize) },
  ],
  '4.3. Header compression': [
    { name: 'an invalid header block', sends: [frame(f.HEADERS, END, 1, hex('40'))], expects: connectionError(ERROR.compression) },
    { name: 'PRIORITY within a header block', sends: [openBlock(0), priority(1, 0), continuation(MORE)], expects: connectionError(ERROR.protocol) },
    { name: 'HEADERS of another stream within a header block', sends: [openBlock(0), get(3), continuation(MORE)], expects: connectionError(ERROR.protocol) },
  ],
  '5.1. Stream states': [
    { name: 'idle: DATA', sends: [data(1, 'test', f.END_STREAM)], expects: connectionError(ERROR.protocol) },
    { name: 'idle: RST_STREAM', sends: [reset(1)], expects: connectionError(ERROR.protocol) },
    { name: 'idle: WINDOW_UPDATE', sends: [windowUpdate(1, 100)], expects: connectionError(ERROR.protocol) },
    { name: 'idle: CONTINUATION', sends: [continuation(BLOCK)], expects: connectionError(ERROR.protocol) },
    { name: 'half closed (remote): DATA', held: true, sends: [get(), data(1, 'test', f.END_STREAM)], expects: streamError(ERROR.streamClosed) },
    { name: 'half closed (remote): HEADERS', held: true, sends: [get(), get()], expects: streamError(ERROR.streamClosed) },
    { name: 'half closed (remote): CONTINUATION', held: true, sends: [get(), continuation(BLOCK)], expects: connectionError(ERROR.protocol) },
    { name: 'closed: DATA after RST_STREAM', held: true, sends: [post(), reset(1), data(1, 'test', f.END_STREAM)], expects: streamError(ERROR.streamClosed) },
    { name: 'closed: HEADERS after RST_STREAM', held: true, sends: [post(), reset(1), get()], expects: connectionError(ERROR.streamClosed) },
    { name: 'closed: CONTINUATION after RST_STREAM', held: true, sends: [post(), reset(1), continuation(MORE)], expects: connectionError(ERROR.protocol) },
    { name: 'closed: DATA', sends: [get(), data(1, 'test', f.END_STREAM)], expects: streamError(ERROR.streamClosed) },
    { name: 'closed: HEADERS', sends: [get(), get()], expects: connectionError(ERROR.streamClosed) },
    { name: 'closed: CONTINUATION', sends: [get(), continuation(MORE)], expects: connectionError(ERROR.protocol) },
  ],
  '5.1.1. Stream identifiers': [
    { name: 'an even one', sends: [get(2)], expects: connectionError(ERROR.protocol) },
    { name: 'one that is lower than the one before', sends: [get(5), get(3)], expects: connectionError(ERROR.protocol) },
  ],
  '5.1.2. Stream concurrency': [
    {
      name: 'one stream more than is allowed',
      held: true,
      sends: [windowSetting(0), ...Array.from({ length: OPTIONS.maxConcurrentStreams + 1 }, (_, i) => get(2 * i + 1))],
      expects: streamError(ERROR.refusedStream, 2 * OPTIONS.maxConcurrentStreams + 1),
    },
  ],
  '5.3.1. Stream dependencies': [
    { name: 'HEADERS of a stream that depends on itself', sends: [frame(f.HEADERS, END | f.WITH_PRIORITY, 1, Buffer.concat([priorityPayload(1), BLOCK]))], expects: streamError(ERROR.protocol) },
    { name: 'PRIORITY of a stream that depends on itself', sends: [priority(1, 1)], expects: streamError(ERROR.protocol) },
  ],
  '5.4.1. Connection error handling': [
    { name: 'an invalid PING closes the connection', sends: [ping('abcdefgh', 0, 3)], expects: (peer) => expect(peer.ended).toBe(true) },
    { name: 'after GOAWAY (strict)', sends: [ping('abcdefgh', 0, 3)], expects: connectionError(ERROR.protocol) },
  ],
  '5.5. Extending HTTP/2': [
    { name: 'an unknown frame', sends: [frame(0x16, 0, 0, Buffer.alloc(8)), ping()], expects: pong() },
    { name: 'an unknown frame within a header block', sends: [openBlock(), frame(0x16, 0, 0, Buffer.alloc(8))], expects: connectionError(ERROR.protocol) },
  ],
  '6.1. DATA': [
    { name: 'of no stream', sends: [data(0, 'test', f.END_STREAM)], expects: connectionError(ERROR.protocol) },
    { name: 'of a stream that is not open', held: true, sends: [request(POST), data(1, 'test', f.END_STREAM)], expects: streamError(ERROR.streamClosed) },
    { name: 'with more padding than frame', sends: [post(['content-length', '4']), frame(f.DATA, f.PADDED | f.END_STREAM, 1, hex('0654657374'))], expects: connectionError(ERROR.protocol) },
  ],
  '6.2. HEADERS': [
    { name: 'without END_HEADERS, and PRIORITY', sends: [openBlock(0), priority(1, 0), continuation(MORE)], expects: connectionError(ERROR.protocol) },
    { name: 'without END_HEADERS, and HEADERS of another stream', sends: [openBlock(0), get(3), continuation(MORE)], expects: connectionError(ERROR.protocol) },
    { name: 'of no stream', sends: [get(0)], expects: connectionError(ERROR.protocol) },
    { name: 'with more padding than frame', sends: [frame(f.HEADERS, END | f.PADDED, 1, Buffer.concat([Buffer.from([BLOCK.length + 2]), BLOCK]))], expects: connectionError(ERROR.protocol) },
  ],
  '6.3. PRIORITY': [
    { name: 'of no stream', sends: [priority(0, 0)], expects: connectionError(ERROR.protocol) },
    { name: 'of four bytes', sends: [get(), frame(f.PRIORITY, 0, 1, hex('80000001'))], expects: connectionError(ERROR.frameSize) },
  ],
  '6.4. RST_STREAM': [
    { name: 'of no stream', sends: [reset(0)], expects: connectionError(ERROR.protocol) },
    { name: 'of an idle stream', sends: [reset(1)], expects: connectionError(ERROR.protocol) },
    { name: 'of three bytes', sends: [get(), frame(f.RST_STREAM, 0, 1, hex('000000'))], expects: connectionError(ERROR.frameSize) },
  ],
  '6.5. SETTINGS': [
    { name: 'with ACK and a payload', sends: [frame(f.SETTINGS, f.ACK, 0, hex('00'))], expects: connectionError(ERROR.frameSize) },
    { name: 'of a stream', sends: [frame(f.SETTINGS, 0, 1, hex('000300000064'))], expects: connectionError(ERROR.protocol) },
    { name: 'of three bytes', sends: [frame(f.SETTINGS, 0, 0, hex('000300'))], expects: connectionError(ERROR.frameSize) },
  ],
  '6.5.2. Defined settings': [
    { name: 'ENABLE_PUSH of 2', sends: [settings([SETTING.enablePush, 2])], expects: connectionError(ERROR.protocol) },
    { name: 'INITIAL_WINDOW_SIZE of 2^31', sends: [windowSetting(2 ** 31)], expects: connectionError(ERROR.flowControl) },
    { name: 'MAX_FRAME_SIZE below the first value', sends: [settings([SETTING.maxFrameSize, 16_383])], expects: connectionError(ERROR.protocol) },
    { name: 'MAX_FRAME_SIZE above the largest', sends: [settings([SETTING.maxFrameSize, 2 ** 24])], expects: connectionError(ERROR.protocol) },
    { name: 'one that nobody knows', sends: [settings([0xff, 1]), ping()], expects: pong() },
  ],
  '6.5.3. Settings synchronization': [
    { name: 'INITIAL_WINDOW_SIZE twice', sends: [windowSetting(100, 1), get()], expects: dataOf(1) },
    { name: 'is acknowledged', sends: [settings([SETTING.enablePush, 0])], expects: settingsAcknowledged(2) },
  ],
  '6.7. PING': [
    { name: 'is answered', sends: [ping('h2spec\0\0')], expects: pong('h2spec\0\0') },
    { name: 'with ACK is not', sends: [ping('invalid\0', f.ACK), ping('h2spec\0\0')], expects: pong('h2spec\0\0') },
    { name: 'of a stream', sends: [ping('abcdefgh', 0, 1)], expects: connectionError(ERROR.protocol) },
    { name: 'of six bytes', sends: [ping('abcdef')], expects: connectionError(ERROR.frameSize) },
  ],
  '6.8. GOAWAY': [{ name: 'of a stream', sends: [frame(f.GOAWAY, 0, 1, Buffer.alloc(8))], expects: connectionError(ERROR.protocol) }],
  '6.9. WINDOW_UPDATE': [
    { name: 'of 0', sends: [windowUpdate(0, 0)], expects: connectionError(ERROR.protocol) },
    { name: 'of 0 on a stream', held: true, sends: [request(GET, f.END_HEADERS), windowUpdate(1, 0)], expects: streamError(ERROR.protocol) },
    { name: 'of three bytes', sends: [frame(f.WINDOW_UPDATE, 0, 0, hex('000001'))], expects: connectionError(ERROR.frameSize) },
  ],
  '6.9.1. The flow-control window': [
    { name: 'of 1', sends: [windowSetting(1), get()], expects: dataOf(1) },
    { name: 'above 2^31-1', sends: [windowUpdate(0, 2 ** 31 - 1), windowUpdate(0, 2 ** 31 - 1)], expects: connectionError(ERROR.flowControl) },
    { name: 'of a stream above 2^31-1', held: true, sends: [request(GET, f.END_HEADERS), windowUpdate(1, 2 ** 31 - 1), windowUpdate(1, 2 ** 31 - 1)], expects: streamError(ERROR.flowControl) },
  ],
  '6.9.2. Initial flow-control window size': [
    { name: 'is changed after HEADERS', sends: [windowSetting(0), get(), windowSetting(1)], expects: dataOf(1) },
    { name: 'makes a window negative', sends: [windowSetting(3), get(), windowSetting(2), windowUpdate(1, 2)], expects: dataOf(3, 1) },
    { name: 'beyond the largest', sends: [frame(f.SETTINGS, 0, 0, hex('000480000000'))], expects: connectionError(ERROR.flowControl) },
  ],
  '6.10. CONTINUATION': [
    { name: 'several after HEADERS', sends: [openBlock(), continuation(MORE, 0), continuation(MORE)], expects: answered() },
    { name: 'followed by another frame', sends: [openBlock(0), continuation(MORE, 0), data(1, 'test', f.END_STREAM)], expects: connectionError(ERROR.protocol) },
    { name: 'of no stream', sends: [openBlock(), continuation(MORE, f.END_HEADERS, 0)], expects: connectionError(ERROR.protocol) },
    { name: 'after HEADERS with END_HEADERS', sends: [get(), continuation(MORE)], expects: connectionError(ERROR.protocol) },
    { name: 'after CONTINUATION with END_HEADERS', sends: [openBlock(), continuation(MORE), continuation(MORE)], expects: connectionError(ERROR.protocol) },
    { name: 'after DATA', sends: [openBlock(0), data(1, 'test', f.END_STREAM), continuation(MORE, 0), continuation(MORE, f.END_HEADERS, 0)], expects: connectionError(ERROR.protocol) },
  ],
  '7. Error codes': [
    { name: 'GOAWAY with an unknown one', sends: [frame(f.GOAWAY, 0, 0, hex('00000000000000ff')), ping()], expects: pong() },
    { name: 'RST_STREAM with an unknown one', held: true, sends: [post(), reset(1, 0xff), ping()], expects: pong() },
  ],
  '8.1. Request and response': [{ name: 'second HEADERS without END_STREAM', sends: [post(), data(1, 'test'), request([['x-test', 'ok']], f.END_HEADERS)], expects: streamError(ERROR.protocol) }],
  '8.1.2. Header fields': [{ name: 'a name in upper case', sends: [request([...GET, ['X-TEST', 'ok']])], expects: streamError(ERROR.protocol) }],
  '8.1.2.1. Pseudo-header fields': [
    { name: 'an unknown one', sends: [request([...GET, [':test', 'ok']])], expects: streamError(ERROR.protocol) },
    { name: 'one of answers', sends: [request([...GET, [':status', '200']])], expects: streamError(ERROR.protocol) },
    { name: 'in trailers', sends: [post(), data(1, 'test'), request([[':method', 'POST']], f.END_HEADERS)], expects: streamError(ERROR.protocol) },
    { name: 'after a regular field', sends: [request([['x-test', 'ok'], ...GET])], expects: streamError(ERROR.protocol) },
  ],
  '8.1.2.2. Connection-specific fields': [
    { name: 'connection', sends: [request([...GET, ['connection', 'keep-alive']])], expects: streamError(ERROR.protocol) },
    { name: 'te with anything but trailers', sends: [request([...GET, ['trailers', 'test'], ['te', 'trailers, deflate']])], expects: streamError(ERROR.protocol) },
  ],
  '8.1.2.3. Request pseudo-header fields': [
    { name: 'an empty :path', sends: [request(GET.map(([name, value]) => [name, name === ':path' ? '' : value]))], expects: streamError(ERROR.protocol) },
    ...([':method', ':scheme', ':path'] as const).map((left): Case => ({ name: `no ${left}`, sends: [request(GET.filter(([name]) => name !== left))], expects: streamError(ERROR.protocol) })),
    ...([':method', ':scheme', ':path'] as const).map((twice): Case => ({ name: `${twice} twice`, sends: [request([...GET, ...GET.filter(([name]) => name === twice)])], expects: streamError(ERROR.protocol) })),
  ],
  '8.1.2.6. Malformed requests': [
    { name: 'a content-length that is not that of DATA', sends: [post(['content-length', '1']), data(1, 'test', f.END_STREAM)], expects: streamError(ERROR.protocol) },
    { name: 'a content-length that is not the sum of DATA', sends: [post(['content-length', '1']), data(1, 'test'), data(1, 'test', f.END_STREAM)], expects: streamError(ERROR.protocol) },
  ],
  '8.2. Server push': [{ name: 'PUSH_PROMISE', sends: [frame(f.PUSH_PROMISE, f.END_HEADERS, 1, Buffer.concat([hex('00000003'), BLOCK]))], expects: connectionError(ERROR.protocol) }],
};

const HPACK: Readonly<Record<string, readonly Case[]>> = {
  '2.3.3. Index address space': [
    { name: 'an indexed field beyond the tables', sends: [getWith(indexed(70))], expects: connectionError(ERROR.compression) },
    { name: 'a literal field with a name beyond the tables', sends: [getWith(Buffer.concat([integer(0x40, 6, 70), text('')]))], expects: connectionError(ERROR.compression) },
  ],
  '4.2. Maximum table size': [{ name: 'an update at the end of a block', sends: [getWith(resized(1))], expects: connectionError(ERROR.compression) }],
  '5.2. String literals': [
    { name: 'Huffman with more than 7 bits of padding', sends: [getWith(hex('0085f2b24a84ff8449509fff'))], expects: connectionError(ERROR.compression) },
    { name: 'Huffman padded with zeros', sends: [getWith(hex('0085f2b24a84ff83495090'))], expects: connectionError(ERROR.compression) },
    { name: 'Huffman with EOS', sends: [getWith(hex('0085f2b24a84ff874951fffffffa7f'))], expects: connectionError(ERROR.compression) },
  ],
  '6.1. Indexed fields': [{ name: 'index 0', sends: [getWith(indexed(0))], expects: connectionError(ERROR.compression) }],
  '6.3. Dynamic table size update': [{ name: 'larger than was allowed', sends: [getAfter(resized(f.DEFAULT_TABLE_BYTES + 1))], expects: connectionError(ERROR.compression) }],
};

const SUITES = { generic: GENERIC, http2: HTTP2, hpack: HPACK };

describe.each(Object.entries(SUITES))('%s', (_suite, sections) => {
  describe.each(Object.entries(sections))('%s', (_section, cases) => {
    it.each(cases.map((one) => [one.name, one] as const))('%s', (_name, one) => runCase(one));
  });
});

it('has all cases of h2spec, with the strict one', () => {
  const counts = Object.values(SUITES).map((sections) => Object.values(sections).flat().length);
  expect(counts).toEqual([44, 95, 8]);
});

describe('a stream that depends on itself', () => {
  const selfDependent = (stream: number, flags: number, fields = BLOCK): Buffer =>
    frame(f.HEADERS, flags | f.WITH_PRIORITY, stream, Buffer.concat([priorityPayload(stream), fields, kept('x-kept', 'x')]));

  it.each<Case>([
    { name: 'in several frames', sends: [selfDependent(1, f.END_STREAM), continuation(MORE)], expects: streamError(ERROR.protocol) },
    { name: 'in trailers', held: true, sends: [post(), selfDependent(1, END, Buffer.alloc(0))], expects: streamError(ERROR.protocol) },
    { name: 'is not looked at further', sends: [priority(1, 1), get(1)], expects: streamError(ERROR.protocol) },
    { name: 'leaves others alone', sends: [priority(3, 3), selfDependent(5, END), get(7)], expects: answered(7) },
    { name: 'leaves the table of fields in order', sends: [selfDependent(1, END), frame(f.HEADERS, END, 3, Buffer.concat([BLOCK, indexed(62)]))], expects: answered(3) },
  ])('$name', (one) => runCase(one));
});
