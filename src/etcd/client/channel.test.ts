/** Calls to members that refuse, vanish and come back. The contract of the store runs on a real etcd in test/. */
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createContext } from '../../kernel/index.ts';
import { Http2Connection, type Http2Stream } from '../../net/http2/index.ts';
import { frame, FRAME_HEADER_BYTES } from '../wire/frames.ts';
import { RangeResponse } from '../wire/messages.ts';
import { GrpcCode } from '../wire/status.ts';
import { CallError } from './call-error.ts';
import { calls } from './calls.ts';
import { Channel } from './channel.ts';
import { Endpoints } from './endpoints.ts';
import { callUnary } from './unary.ts';

const { clock } = createContext({ writeLog: () => {} });
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** A member that answers each call as `answer` says. */
async function member(answer: (stream: Http2Stream, count: number) => void, port = 0) {
  let count = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    const options = { maxHeaderBytes: 65_536, maxHeaderPairs: 100, maxConcurrentStreams: 100, streamWindow: 65_535 };
    void new Http2Connection(
      socket,
      { clock, ...options, connectionWindow: 65_535, prefaceMs: 10_000, idleMs: 90_000 },
      { begin: (stream) => answer(stream, ++count) },
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const close = (): void => {
    server.close();
    cut();
  };
  closing.push(close);
  return { endpoint: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, cut, close, count: () => count };
}

const ok = (stream: Http2Stream): void => {
  stream.begin([':status', '200', 'content-type', 'application/grpc'], []);
  stream.write(frame(RangeResponse.encode({ count: 3 }, { reserve: FRAME_HEADER_BYTES })));
  stream.endWithTrailers(['grpc-status', '0']);
};
const refusal =
  (code: number, message: string) =>
  (stream: Http2Stream): void =>
    stream.answer([':status', '200', 'grpc-status', String(code), 'grpc-message', message], []);

function channelTo(endpoint: string): Channel {
  const channel = new Channel({ endpoint, tls: undefined, clock });
  closing.push(() => channel.close());
  return channel;
}

const range = (channel: Channel, timeoutMs = 3000) =>
  callUnary({ channel, clock, timeoutMs }, calls.range, { key: 'a' });

function endpointsTo(...endpoints: string[]): Endpoints {
  const members = new Endpoints({ endpoints, clock, requestTimeoutMs: 3000, retryForMs: 3000 });
  closing.push(() => members.close());
  return members;
}

describe('a call to a member', () => {
  it('returns the message', async () => {
    const { endpoint } = await member(ok);
    expect((await range(channelTo(endpoint))).count).toBe(3);
  });

  it.each([
    ['of the trailers', refusal(GrpcCode.OUT_OF_RANGE, 'a%20b%C3%A4'), GrpcCode.OUT_OF_RANGE, 'a bä'],
    [
      'of a server that speaks no gRPC',
      (s: Http2Stream) => s.answer([':status', '503'], []),
      GrpcCode.UNAVAILABLE,
      '503',
    ],
  ])('fails with the status %s', async (_name, answer, code, text) => {
    const { endpoint } = await member(answer);
    const error = await range(channelTo(endpoint)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(text), neverSent: false });
  });

  it('fails as never sent when nobody listens, and works once somebody does', async () => {
    const { endpoint, close } = await member(ok);
    close();
    const channel = channelTo(endpoint);
    const error = await range(channel).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallError);
    expect(error).toMatchObject({ neverSent: true, message: expect.stringContaining('ECONNREFUSED') });
    await member(ok, Number(new URL(endpoint).port));
    await expect
      .poll(() =>
        range(channel).then(
          ({ count }) => count,
          () => 0,
        ),
      )
      .toBe(3);
  });

  it('fails when its deadline has passed, and the next one works', async () => {
    const { endpoint } = await member((stream, count) => (count === 1 ? undefined : ok(stream)));
    const channel = channelTo(endpoint);
    await expect(range(channel, 50)).rejects.toMatchObject({ code: GrpcCode.DEADLINE_EXCEEDED });
    expect((await range(channel)).count).toBe(3);
  });
});

describe('calls to several members', () => {
  it('repeat a read whose connection is cut, at another member', async () => {
    const first = await member(() => first.cut());
    const second = await member(ok);
    const members = endpointsTo(first.endpoint, second.endpoint);
    expect((await members.unary(calls.range, { key: 'a' }, { idempotent: true })).count).toBe(3);
  });

  it('do not repeat a write whose outcome is unknown', async () => {
    const first = await member(() => first.cut());
    const second = await member(ok);
    const members = endpointsTo(first.endpoint, second.endpoint);
    await expect(members.unary(calls.range, { key: 'a' }, { idempotent: false })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(second.count()).toBe(0);
  });

  it.each([
    ['has no leader', refusal(GrpcCode.UNAVAILABLE, 'etcdserver: no leader')],
    ['refuses the stream', (stream: Http2Stream) => stream.reset(7)],
  ])('repeat a write that a member has not begun: it %s', async (_name, answer) => {
    const first = await member(answer);
    const second = await member(ok);
    const members = endpointsTo(first.endpoint, second.endpoint);
    expect((await members.unary(calls.range, { key: 'a' }, { idempotent: false })).count).toBe(3);
  });
});
