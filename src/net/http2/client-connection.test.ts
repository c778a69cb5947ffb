import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../kernel/virtual-clock.ts';
import { Http2ClientConnection } from './client-connection.ts';
import type { ClientStream } from './client-stream.ts';
import { Http2Connection } from './connection.ts';
import * as f from './frames.ts';
import type { Head } from './hpack-encoder.ts';
import type { Http2Stream } from './stream.ts';
import { blockOf } from './testing/hpack.ts';
import { data, duplexPair, frame, OPTIONS, reset, settings, uint32 } from './testing/peer.ts';

const HEAD: Head = [':method', 'POST', ':scheme', 'http', ':path', '/a', ':authority', 'b', 'te', 'trailers'];
const OK: Head = [':status', '200'];
const KEEP_ALIVE = { keepAliveMs: 6000, keepAliveTimeoutMs: 2000 };
const OK_BLOCK = blockOf([[':status', '200']]);

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
};

interface Answer {
  readonly stream: ClientStream;
  readonly body: Buffer[];
  ended: boolean;
  closed: boolean;
}

function clientOver(socket: Duplex, clock = new VirtualClock()) {
  const ends: (Error | undefined)[] = [];
  const client = new Http2ClientConnection(
    socket,
    { clock, ...OPTIONS, ...KEEP_ALIVE },
    { closed: (error) => void ends.push(error) },
  );
  const request = (body = Buffer.from('question'), isWhole = true): Answer => {
    const stream = client.open();
    const answer: Answer = { stream, body: [], ended: false, closed: false };
    stream.onClose(() => (answer.closed = true));
    stream.readPieces({ data: (bytes) => void answer.body.push(bytes), end: () => (answer.ended = true) });
    stream.send(HEAD, body, isWhole);
    return answer;
  };
  return { client, ends, request };
}

/** A client of our own server. */
function withServer(begin: (stream: Http2Stream) => void, options: Partial<typeof OPTIONS> = {}) {
  const [ours, theirs] = duplexPair();
  const clock = new VirtualClock();
  const server = new Http2Connection(theirs, { clock, ...OPTIONS, ...options }, { begin });
  return { server, ...clientOver(ours, clock) };
}

/** A client of a server whose every frame the test writes. */
function withRawServer() {
  const [ours, theirs] = duplexPair();
  const received: Buffer[] = [];
  theirs.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => {});
  const clock = new VirtualClock();
  const send = async (...frames: readonly Buffer[]): Promise<void> => {
    theirs.write(Buffer.concat(frames));
    await turns();
  };
  return { clock, theirs, send, bytes: () => Buffer.concat(received), ...clientOver(ours, clock) };
}

describe('Http2ClientConnection', () => {
  it('sends a request and receives body and trailers', async () => {
    const seen: string[] = [];
    const { request } = withServer((stream) => {
      void stream.readBody(1000).then((body) => {
        seen.push(`${stream.field(':path')} ${body.toString()}`);
        stream.begin(OK, []);
        stream.write(Buffer.from('answer'));
        stream.endWithTrailers(['grpc-status', '0']);
      });
    });
    const answer = request();
    await turns();
    expect(seen).toEqual(['/a question']);
    expect(Buffer.concat(answer.body).toString()).toBe('answer');
    expect([answer.stream.status, answer.stream.trailer('grpc-status')]).toEqual(['200', '0']);
    expect([answer.ended, answer.closed]).toEqual([true, true]);
  });

  it('takes a response that is headers alone', async () => {
    const { request } = withServer((stream) => stream.answer([':status', '200', 'grpc-status', '12'], []));
    const answer = request();
    await turns();
    expect(answer.stream.trailer('grpc-status')).toBe('12');
    expect(answer.ended).toBe(true);
  });

  it('moves bodies larger than all windows in both directions, many at a time', async () => {
    const large = Buffer.alloc(3 * 1024 * 1024, 'x');
    const { request } = withServer((stream) => {
      void stream.readBody(large.length).then((body) => stream.answer(OK, [], body));
    });
    const answers = [request(large), request(large), request(large)];
    for (let i = 0; i < 400 && answers.some(({ ended }) => !ended); i++) await turns();
    for (const { body } of answers) expect(Buffer.concat(body).equals(large)).toBe(true);
  });

  it('holds the server back while a stream is paused', async () => {
    let pending = (): number => 0;
    const { request } = withServer((stream) => {
      stream.begin(OK, []);
      stream.write(Buffer.alloc(1024 * 1024));
      pending = () => stream.pendingBytes;
    });
    const answer = request(Buffer.alloc(0), false);
    answer.stream.pause();
    for (let i = 0; i < 20; i++) await turns();
    expect(pending()).toBe(1024 * 1024 - OPTIONS.streamWindow);
    answer.stream.resume();
    for (let i = 0; i < 40; i++) await turns();
    expect(pending()).toBe(0);
  });

  it('takes no more requests than the server allows', async () => {
    const waiting: Http2Stream[] = [];
    const { client, request } = withServer((stream) => void waiting.push(stream), { maxConcurrentStreams: 2 });
    await turns();
    request();
    request();
    expect(client.takesRequests).toBe(false);
    await turns();
    waiting[0]!.answer(OK, []);
    await turns();
    expect(client.takesRequests).toBe(true);
  });

  it('says which requests a server that goes away has not looked at', async () => {
    const { client, request, send, ends } = withRawServer();
    await send(settings());
    const [served, refused] = [request(), request()];
    await send(frame(f.GOAWAY, 0, 0, Buffer.concat([uint32(1), uint32(0)])));
    expect([served.closed, refused.closed, refused.stream.refused]).toEqual([false, true, true]);
    expect(client.takesRequests).toBe(false);
    await send(frame(f.HEADERS, f.END_HEADERS | f.END_STREAM, 1, OK_BLOCK));
    expect([served.ended, served.stream.refused, ends.length]).toEqual([true, false, 1]);
  });

  it.each([
    ['refused', f.ERROR.refusedStream, true],
    ['ended', f.ERROR.internal, false],
  ])('tells a request that was %s by a reset from others', async (_name, code, refused) => {
    const { request, send } = withRawServer();
    await send(settings());
    const answer = request();
    await send(reset(1, code));
    expect([answer.closed, answer.ended, answer.stream.refused]).toEqual([true, false, refused]);
  });

  it('ends every request when the connection is lost', async () => {
    const { theirs, request, send, ends } = withRawServer();
    await send(settings());
    const answers = [request(), request()];
    theirs.destroy();
    await turns();
    expect(answers.map(({ closed, ended }) => [closed, ended])).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(ends).toHaveLength(1);
  });

  it('asks a silent server whether it is there, only while a response is due', async () => {
    const { clock, bytes, request, send, ends } = withRawServer();
    await send(settings());
    await clock.advance(60_000);
    await turns();
    const before = bytes().length;
    request();
    await turns();
    const asked = bytes().length;
    expect(asked).toBeGreaterThan(before);
    await clock.advance(KEEP_ALIVE.keepAliveMs);
    await turns();
    expect(bytes().subarray(asked)).toEqual(frame(f.PING, 0, 0, Buffer.from('k8tsping')));
    await send(frame(f.PING, f.ACK, 0, Buffer.from('k8tsping')));
    await clock.advance(KEEP_ALIVE.keepAliveTimeoutMs);
    expect(ends).toEqual([]);
    await clock.advance(KEEP_ALIVE.keepAliveMs + KEEP_ALIVE.keepAliveTimeoutMs);
    await turns();
    expect(ends).toHaveLength(1);
    expect(ends[0]!.message).toContain('does not answer');
  });

  it.each([
    ['data on a stream that was never opened', [settings(), data(99, Buffer.from('x'))]],
    ['headers on a stream that was never opened', [settings(), frame(f.HEADERS, f.END_HEADERS, 99, OK_BLOCK)]],
    ['a pushed stream', [settings(), frame(f.PUSH_PROMISE, f.END_HEADERS, 1, Buffer.concat([uint32(2), OK_BLOCK]))]],
    ['a first frame that is not SETTINGS', [frame(f.PING, 0, 0, Buffer.alloc(8))]],
    ['a frame that is too large', [settings(), frame(f.DATA, 0, 1, Buffer.alloc(20_000))]],
    ['a header block that is no HPACK', [settings(), frame(f.HEADERS, f.END_HEADERS, 1, Buffer.from([0xff, 0xff]))]],
  ])('ends the connection at %s', async (_name, frames) => {
    const { request, send, ends } = withRawServer();
    const answer = request();
    await send(...frames);
    expect([ends.length, answer.closed, answer.ended]).toEqual([1, true, false]);
  });

  it('survives any bytes of a server', async () => {
    let seed = 1;
    const random = (): number => (seed = (seed * 48271) % 2147483647);
    for (let round = 0; round < 60; round++) {
      const { request, send, ends, theirs } = withRawServer();
      const answer = request();
      const garbage = Buffer.from(Array.from({ length: 40 }, () => random() % 256));
      const shaped = frame(random() % 10, random() % 256, random() % 4, garbage.subarray(0, random() % 40));
      await send(settings(), shaped, round % 2 === 0 ? garbage : Buffer.alloc(0));
      theirs.destroy();
      await turns();
      expect(answer.closed).toBe(true);
      expect(ends).toHaveLength(1);
    }
  });
});
