import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { END_HEADERS, END_STREAM, FRAME, frame, PREFACE } from './hostile-http2.ts';

/** Attacks below HTTP: bytes on a socket that no client library would send. */
export interface AttackOptions {
  readonly port: number;
  /** How often; connections that are opened are closed at the end. */
  readonly times: number;
}

type Attack = (options: AttackOptions) => Promise<void>;

/** `:method GET, :scheme https, :path /version, :authority x`, in HPACK. */
const REQUEST_HEADERS = Buffer.concat([
  Buffer.from([0x82, 0x87, 0x04, 8]),
  Buffer.from('/version'),
  Buffer.from([0x41, 1]),
  Buffer.from('x'),
]);

const settings = frame(FRAME.settings, 0, 0);

async function connect(port: number, protocol: 'h2' | 'http/1.1'): Promise<tls.TLSSocket> {
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: [protocol] });
  socket.on('error', () => {});
  socket.resume();
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends, gives the server a moment, and hangs up. */
async function blurt(socket: net.Socket, pieces: Iterable<Buffer | string>, pauseMs = 0): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  await sleep(50);
  socket.destroy();
}

const http2Attack =
  (pieces: (round: number) => Iterable<Buffer>): Attack =>
  async ({ port, times }) => {
    for (let i = 0; i < times; i++) await blurt(await connect(port, 'h2'), [PREFACE, settings, ...pieces(i)]);
  };

const http1Attack =
  (pieces: (round: number) => Iterable<Buffer | string>, pauseMs = 0): Attack =>
  async ({ port, times }) => {
    for (let i = 0; i < times; i++) await blurt(await connect(port, 'http/1.1'), pieces(i), pauseMs);
  };

const streams = (count: number): number[] => Array.from({ length: count }, (_, i) => 2 * i + 1);

export const rawAttacks: Record<string, Attack> = {
  'plain HTTP on the TLS port': async ({ port, times }) => {
    for (let i = 0; i < times; i++) {
      const socket = net.connect(port, '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      await blurt(socket, ['GET /version HTTP/1.1\r\nHost: x\r\n\r\n']);
    }
  },
  'a TLS handshake that stops half way': async ({ port, times }) => {
    const sockets = Array.from({ length: times * 5 }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
    for (const socket of sockets) socket.write(Buffer.from('16030100c8010000c40303', 'hex'));
    await sleep(100);
    for (const socket of sockets) socket.destroy();
  },
  'garbage instead of the HTTP/2 preface': async ({ port, times }) => {
    for (let i = 0; i < times; i++) await blurt(await connect(port, 'h2'), [Buffer.alloc(5000, i)]);
  },
  'truncated frames': http2Attack((i) => [
    frame(FRAME.headers, END_HEADERS, 1, REQUEST_HEADERS, 10_000).subarray(0, 5 + i * 3),
  ]),
  'frames that claim more than is allowed': http2Attack(() => [frame(FRAME.data, 0, 1, Buffer.alloc(10), 0xffffff)]),
  'broken header compression': http2Attack((i) => [
    frame(FRAME.headers, END_HEADERS | END_STREAM, 1, Buffer.alloc(100, 0xff - i)),
  ]),
  'requests that are reset at once': http2Attack(() =>
    streams(3000).flatMap((id) => [
      frame(FRAME.headers, END_HEADERS | END_STREAM, id, REQUEST_HEADERS),
      frame(FRAME.reset, 0, id, Buffer.from([0, 0, 0, 8])),
    ]),
  ),
  'headers that never end': http2Attack(() => [
    frame(FRAME.headers, 0, 1, REQUEST_HEADERS),
    ...streams(500).map(() =>
      frame(
        FRAME.continuation,
        0,
        1,
        Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0x81, 0x7e]), Buffer.alloc(16_000, 0x62)]),
      ),
    ),
  ]),
  'a flood of settings and pings': http2Attack(() =>
    streams(5000).flatMap(() => [settings, frame(FRAME.ping, 0, 0, Buffer.alloc(8))]),
  ),
  'windows that overflow': http2Attack(() =>
    streams(10).map(() => frame(FRAME.windowUpdate, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]))),
  ),
  'frames on streams that cannot be': http2Attack(() => [
    frame(FRAME.data, 0, 0, Buffer.from('x')),
    frame(FRAME.headers, END_HEADERS, 2, REQUEST_HEADERS),
    frame(FRAME.push, END_HEADERS, 1, Buffer.alloc(4)),
    frame(0xaa, 0xff, 7, Buffer.alloc(100)),
  ]),
  'bodies that stop in the middle': http2Attack(() =>
    streams(50).flatMap((id) => [
      frame(FRAME.headers, END_HEADERS, id, postHeaders()),
      frame(FRAME.data, 0, id, Buffer.from('{"apiVersion":')),
    ]),
  ),
  'a reader that takes nothing': async ({ port, times }) => {
    const zeroWindow = frame(FRAME.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));
    const sockets = await Promise.all(Array.from({ length: times }, () => connect(port, 'h2')));
    for (const socket of sockets)
      socket.write(
        Buffer.concat([
          PREFACE,
          zeroWindow,
          ...streams(100).map((id) => frame(FRAME.headers, END_HEADERS | END_STREAM, id, openApiHeaders())),
        ]),
      );
    await sleep(300);
    for (const socket of sockets) socket.destroy();
  },
  'HTTP/1.1 that is none': http1Attack((i) => [
    [
      '\0\0\0\0',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'GET / HTTP/1.1\r\nHost : x\r\n\r\n',
      `GET /${'\xff'.repeat(100)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
    ][i % 6]!,
  ]),
  'an upgrade to nothing known': http1Attack((i) => [
    `GET /api/v1/namespaces/default/pods/x/exec?watch=${i} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${['websocket', 'SPDY/3.1', 'h2c', '\t'][i % 4]}\r\n\r\n`,
  ]),
  'chunks with lengths that lie': http1Attack(() => [
    'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    'fffffffff\r\n{"a"',
    'zz\r\n\r\n',
  ]),
  'two content lengths': http1Attack(() => [
    'POST /version HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 500\r\n\r\nhello',
  ]),
  'headers of two megabytes': http1Attack(() => [
    'GET /version HTTP/1.1\r\nHost: x\r\n',
    ...Array.from({ length: 200 }, (_, i) => `X-${i}: ${'y'.repeat(10_000)}\r\n`),
    '\r\n',
  ]),
  'a hundred thousand small headers': http1Attack(() => [
    'GET /version HTTP/1.1\r\nHost: x\r\n',
    'a: b\r\n'.repeat(100_000),
    '\r\n',
  ]),
  'clients that send a byte now and then': async ({ port, times }) => {
    const slow = await Promise.all(Array.from({ length: times * 10 }, () => connect(port, 'http/1.1')));
    await Promise.all(slow.map((socket) => blurt(socket, 'GET /version HT', 20)));
  },
  'more requests at once than answers are read': http1Attack(() => [
    'GET /version HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2000),
  ]),
  'random bytes instead of TLS': async ({ port, times }) => {
    for (let i = 0; i < times; i++) {
      const socket = net.connect(port, '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      await blurt(socket, [
        Buffer.alloc(20_000, 0x16 + i),
        Buffer.from('1603030005', 'hex'),
        Buffer.from('15030300020246', 'hex'),
      ]);
    }
  },
  'a TLS record that claims more than it has': async ({ port, times }) => {
    for (let i = 0; i < times; i++) {
      const socket = net.connect(port, '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      await blurt(socket, [Buffer.from('160301ffff0100ffff0303', 'hex'), Buffer.alloc(70_000)]);
    }
  },
  'one header, referred to without end': http2Attack(() => [
    frame(
      FRAME.headers,
      END_STREAM,
      1,
      Buffer.concat([
        REQUEST_HEADERS,
        Buffer.from([0x40, 4]),
        Buffer.from('bomb'),
        Buffer.from([0x7f, 0x81, 0x1e]),
        Buffer.alloc(3968, 0x62),
      ]),
    ),
    ...streams(60).map(() => frame(FRAME.continuation, 0, 1, Buffer.alloc(16_000, 0xbe))),
    frame(FRAME.continuation, END_HEADERS, 1, Buffer.alloc(16_000, 0xbe)),
  ]),
  'headers in a hundred thousand pieces': http2Attack(() => [
    frame(FRAME.headers, END_STREAM, 1, REQUEST_HEADERS),
    Buffer.concat(Array.from({ length: 100_000 }, () => frame(FRAME.continuation, 0, 1))),
  ]),
  'streams that depend on themselves': http2Attack(() =>
    streams(200).map((id) => frame(FRAME.priority, 0, id, Buffer.from([0, 0, id >> 8, id & 0xff, 1]))),
  ),
  'windows that are opened byte by byte': http2Attack(() => [
    frame(FRAME.settings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 1])),
    frame(FRAME.headers, END_HEADERS | END_STREAM, 1, openApiHeaders()),
    ...streams(5000).map(() => frame(FRAME.windowUpdate, 0, 1, Buffer.from([0, 0, 0, 1]))),
  ]),
  'gzip bombs': async ({ port, times }) => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    for (let i = 0; i < times; i++) {
      const head = `POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`;
      await blurt(await connect(port, 'http/1.1'), [head, bomb]);
    }
  },
};

/** `:method POST`, `:path /apis/authorization.k8s.io/v1/selfsubjectreviews`. */
function postHeaders(): Buffer {
  const path = Buffer.from('/apis/authentication.k8s.io/v1/selfsubjectreviews');
  return Buffer.concat([Buffer.from([0x83, 0x87, 0x04, path.length]), path, Buffer.from([0x41, 1]), Buffer.from('x')]);
}

function openApiHeaders(): Buffer {
  const path = Buffer.from('/openapi/v2');
  return Buffer.concat([Buffer.from([0x82, 0x87, 0x04, path.length]), path, Buffer.from([0x41, 1]), Buffer.from('x')]);
}
