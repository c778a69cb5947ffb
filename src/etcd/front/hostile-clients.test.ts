/** What clients of the front may do to it, and what it does then. */
import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RealClock } from '../../kernel/index.ts';
import { FRAME_HEADER_BYTES, frame } from '../wire/frames.ts';
import { TxnRequest } from '../wire/messages.ts';
import { MalformedMessage, WireReader } from '../wire/protobuf.ts';
import { listen, type Listener } from './listener.ts';
import type { StreamCall } from './stream-call.ts';

const MEGABYTE = 1024 * 1024;
let listener: Listener;
let session: http2.ClientHttp2Session;
let taken = 0;
let release = (): void => {};

/** A unary method that answers at once, and a stream whose handler takes one message and waits. */
const services = {
  test: {
    Unary: { unary: async () => Promise.resolve(frame(Buffer.alloc(FRAME_HEADER_BYTES))) },
    Slow: {
      stream: async (call: StreamCall) => {
        for await (const _message of call.messages()) {
          taken++;
          await new Promise<void>((resolve) => (release = resolve));
        }
      },
    },
  },
};

beforeAll(async () => {
  listener = await listen({
    clock: new RealClock(),
    host: '127.0.0.1',
    port: 0,
    services,
    maxMessageBytes: MEGABYTE,
    page: () => Promise.resolve(undefined),
  });
  session = http2.connect(`http://127.0.0.1:${listener.port}`).on('error', () => {});
});
afterAll(async () => {
  session.destroy();
  await listener.close();
});
beforeEach(() => void (taken = 0));

const call = (method: string): http2.ClientHttp2Stream =>
  session
    .request({ ':method': 'POST', ':path': `/test/${method}`, 'content-type': 'application/grpc' })
    .on('error', () => {});
const message = (size: number): Buffer => frame(Buffer.alloc(FRAME_HEADER_BYTES + size));

/** Of buffers, without garbage. */
function retainedBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().arrayBuffers;
}

async function sentOf(stream: http2.ClientHttp2Stream, pieces: number, size: number): Promise<number> {
  let sent = 0;
  for (let i = 0; i < pieces && !stream.destroyed; i++) {
    const done = new Promise<void>((resolve) => stream.write(message(size), () => resolve()));
    const inTime = await Promise.race([
      done.then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 200)),
    ]);
    if (!inTime) break;
    sent += size;
  }
  return sent;
}

describe('a client of the front', () => {
  it('is stopped when it sends messages faster than they are read', async () => {
    const stream = call('Slow');
    const sent = await sentOf(stream, 200, MEGABYTE / 8);
    // 4 MB wait, and as much as fits into HTTP/2's window; not all that it would like to send.
    expect(sent).toBeLessThan(200 * (MEGABYTE / 8));
    await expect.poll(() => taken).toBe(1);
    stream.close();
    release();
  });

  it('may continue to send after its unary call was answered, and nothing is buffered', async () => {
    const stream = call('Unary');
    stream.resume();
    stream.write(message(10));
    await once(stream, 'response');
    const before = retainedBytes();
    await sentOf(stream, 100, MEGABYTE);
    // What HTTP/2 may have in flight, and the message that is being written; what was read is freed a little later.
    await expect.poll(() => retainedBytes() - before).toBeLessThan(20 * MEGABYTE);
    stream.close();
  });

  it('may reset its requests before they are answered', async () => {
    const socket = net.connect(listener.port, '127.0.0.1').on('error', () => {});
    socket.resume();
    const raw = (type: number, flags: number, id: number, payload = Buffer.alloc(0)): Buffer => {
      const head = Buffer.alloc(9);
      head.writeUIntBE(payload.length, 0, 3);
      head[3] = type;
      head[4] = flags;
      head.writeUInt32BE(id, 5);
      return Buffer.concat([head, payload]);
    };
    // GET /, refused at once with 405; and a broken frame, which ends the connection.
    const get = Buffer.from([0x82, 0x86, 0x84, 0x41, 0x01, 0x78]);
    const requests = Array.from({ length: 50 }, (_, i) =>
      Buffer.concat([raw(1, 5, 2 * i + 1, get), raw(3, 0, 2 * i + 1, Buffer.from([0, 0, 0, 8]))]),
    );
    socket.write(
      Buffer.concat([
        Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
        raw(4, 0, 0),
        ...requests,
        raw(8, 0, 0, Buffer.alloc(4)),
        raw(0, 0, 0),
      ]),
    );
    await once(socket, 'close');
    const stream = call('Unary');
    stream.end(message(1));
    const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
    expect(headers[':status']).toBe(200);
    stream.close();
  });
});

describe('a transaction in a transaction', () => {
  const nested = (depth: number): Buffer => {
    let inner: Buffer = Buffer.alloc(0);
    for (let i = 0; i < depth; i++) inner = delimited(2, delimited(4, inner));
    return inner;
  };
  const delimited = (field: number, content: Buffer): Buffer => {
    const length: number[] = [];
    let left = content.length;
    for (; left >= 128; left = Math.floor(left / 128)) length.push((left % 128) | 128);
    return Buffer.concat([Buffer.from([field * 8 + 2, ...length, left]), content]);
  };

  it.each([
    ['as deep as etcd allows', 128, undefined],
    ['deeper than the stack', 5000, MalformedMessage],
  ])('is decoded, %s', (_name, depth, error) => {
    const decode = (): unknown => TxnRequest.read(new WireReader(nested(depth)));
    if (error === undefined) expect(decode()).toBeDefined();
    else expect(decode).toThrow(error);
  });
});
