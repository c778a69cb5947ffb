/** Clients that do not read: what waits for them is bounded, counted and ended, whichever thread has the port. */
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import http2 from 'node:http2';
import { join } from 'node:path';
import tls from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../scripts/build.mjs';
import { createContext } from '../../kernel/index.ts';
import { createAuthority, issue, type KeyPair } from '../pki/certificates.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { listen } from './serve.ts';
import type { Transport } from './transport.ts';

const outdir = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'node_modules',
  '.cache',
  'k8ts-front-test',
  `slow-${process.pid}`,
);
const ctx = createContext();
let ca: KeyPair;
let serving: KeyPair;

beforeAll(async () => {
  await build({ entryPoints: { 'front-thread': 'src/apiserver/transport/thread/front-thread.ts' }, outdir });
  const authority = await createAuthority(ctx, 'test-ca');
  ca = authority;
  serving = await issue(ctx, authority, {
    commonName: 'server',
    dnsNames: ['localhost'],
    addresses: ['127.0.0.1'],
    usage: 'server',
  });
});
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

const THREADS = {
  'this thread has the port': () => undefined,
  'a thread of its own has the port': () => new Worker(join(outdir, 'front-thread.js')),
} satisfies Record<string, () => Worker | undefined>;

const MEGABYTE = 1024 * 1024;
const LENGTH = 20 * MEGABYTE;
/** What two buffers of an answer, and the socket, may hold. */
const LITTLE = 12 * MEGABYTE;

interface Answering {
  /** How much of a long answer has been made. */
  made: number;
  over: boolean;
  /** Whether another long answer would have been refused. */
  readonly congested: boolean | undefined;
}

/** The requests of a test, which has a number. */
let answering: Answering[];
let test = 0;

function handle(request: ApiRequest): Promise<ApiResponse> {
  const { path, query, congested } = request;
  const one: Answering = { made: 0, over: false, congested };
  if (request.headers['test'] === String(test)) answering.push(one);
  const expiresIn = query.get('ms');
  const done = (): void => void (one.over = true);
  const answer = (body: Partial<ApiResponse>): Promise<ApiResponse> =>
    Promise.resolve({
      status: 200,
      headers: {},
      done,
      ...(expiresIn ? { expiresAt: ctx.clock.monotonic() + Number(expiresIn) } : {}),
      ...body,
    });
  switch (path) {
    case '/large': {
      const fill = (target: Buffer): number => {
        const length = Math.min(target.length, LENGTH - one.made);
        one.made += length;
        return length;
      };
      return answer({ large: { produced: 0, reader: () => fill } });
    }
    case '/stream':
      return answer({
        async stream(sink) {
          const piece = Buffer.alloc(100_000, 'f');
          while (one.made < LENGTH && !sink.signal.aborted) {
            one.made += piece.length;
            if (!sink.write(piece)) await sink.drained();
          }
        },
      });
    default:
      return answer({ body: Buffer.alloc(Number(query.get('bytes') ?? 2)) });
  }
}

describe.each(Object.entries(THREADS))('%s', (_name, thread) => {
  const LIMITS = { connectionBytes: 16 * MEGABYTE, serverBytes: 24 * MEGABYTE, responseMs: 300 };
  /** So little that a few responses fill it, however slowly their requests come: what has waited for two seconds does not count. */
  const SMALL_LIMITS = { ...LIMITS, connectionBytes: 2 * MEGABYTE, serverBytes: 3 * MEGABYTE };
  let transport: Transport;
  const open: { destroy(): void }[] = [];
  const start = (sendLimits: typeof LIMITS): Promise<Transport> =>
    listen(
      ctx,
      {
        host: '127.0.0.1',
        port: 0,
        maxBodyBytes: 1000,
        tls: { key: serving.key, certificate: serving.certificate },
        sendLimits,
        thread: thread(),
      },
      handle,
    );
  beforeAll(async () => {
    transport = await start(LIMITS);
  });
  afterAll(() => transport?.close(1000));
  beforeEach(() => {
    for (const connection of open.splice(0)) connection.destroy();
    answering = [];
    test++;
  });

  /** Begins to read; resolves with how much there was when the answer ends, or is broken off. */
  type Read = () => Promise<number>;

  const http1 = async (path: string): Promise<Read> => {
    const socket = tls.connect({
      host: 'localhost',
      port: transport.port,
      ca: ca.certificate,
      ALPNProtocols: ['http/1.1'],
    });
    open.push(socket);
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nTest: ${test}\r\nConnection: close\r\n\r\n`);
    return async () => {
      let length = 0;
      socket.on('data', (piece: Buffer) => (length += piece.length)).resume();
      await once(socket, 'close');
      return length;
    };
  };
  let session: http2.ClientHttp2Session;
  const http2Unread = (path: string): Promise<Read> => {
    if (!session || session.destroyed) {
      session = http2.connect(`https://localhost:${transport.port}`, { ca: ca.certificate });
      session.on('error', () => {});
      open.push(session);
    }
    const stream = session.request({ ':path': path, test: String(test) });
    stream.on('error', () => {});
    return Promise.resolve(async () => {
      let length = 0;
      stream.on('data', (piece: Buffer) => (length += piece.length));
      if (!stream.destroyed) await once(stream, 'close');
      return length;
    });
  };

  describe.each(Object.entries({ 'HTTP/1.1': http1, 'HTTP/2': http2Unread }))('%s', (_protocol, send) => {
    it.each(['/large?ms=60000', '/stream'])(
      '%s is produced as the client reads it, and arrives whole',
      async (path) => {
        const read = await send(path);
        await expect.poll(() => answering[0]?.made).toBeGreaterThan(0);
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(answering[0]!.made).toBeLessThan(LITTLE);
        expect(answering[0]!.over).toBe(false);
        expect(await read()).toBeGreaterThanOrEqual(LENGTH);
        await expect.poll(() => answering[0]!.over).toBe(true);
      },
    );

    it.each(['/large?ms=300', '/stream?ms=300', '/?bytes=12000000'])(
      '%s is broken off when its time is over',
      async (path) => {
        const read = await send(path);
        await expect.poll(() => answering[0]?.over).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, 2 * LIMITS.responseMs));
        expect(await read()).toBeLessThan(12_000_000);
      },
    );

    it('over the budgets, the slowest are broken off', async () => {
      const usual = transport;
      transport = await start(SMALL_LIMITS);
      onTestFinished(async () => {
        for (const connection of open.splice(0)) connection.destroy();
        await transport.close(1000);
        transport = usual;
      });
      await send('/stream');
      await expect.poll(() => answering[0]?.made).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 2100));
      expect(answering[0]!.over).toBe(false);
      // Half a megabyte waits for each of them.
      const sendMore = async (): Promise<unknown> =>
        Promise.all(Array.from({ length: 16 }, () => send('/large?ms=60000')));
      await sendMore();
      await expect.poll(() => answering[0]!.over).toBe(true);
      const isCongested = async (): Promise<boolean> => {
        await sendMore();
        return answering.some(({ congested }) => congested);
      };
      await expect.poll(isCongested).toBe(true);
    });
  });
});
