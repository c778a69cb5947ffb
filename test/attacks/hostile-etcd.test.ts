/** Hostile requests to `k8ts etcd`: gRPC calls that are none, raw HTTP/2 and HTTP/1.1 on the same port. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Random } from '../../src/kernel/index.ts';
import { startComponent, type ComponentProcess } from '../component-process.ts';
import { fire, type Target } from './barrage.ts';
import { hostileCall, type HostileCall } from './hostile-grpc.ts';
import { hostileHttp1 } from './hostile-http1.ts';
import { hostileHttp2 } from './hostile-http2.ts';
import { dialTcp, exchange, statusesIn } from './raw-exchange.ts';
import { WATCHDOG_NODE_FLAGS, watchTurns, type TurnWatchdog } from './turn-watchdog.ts';

const PATHS = ['/health', '/version', '/etcdserverpb.KV/Range', '/etcdserverpb.Watch/Watch', '/metrics'];
const MEGABYTE = 1024 * 1024;
const MAX_GROWTH = 300 * MEGABYTE;
/** Streams go on until somebody ends them. */
const CUT_OFF_MS = 30;

/**
 * gRPC's own words for a fault of the server. etcd gives INTERNAL for what it cannot decode, and UNKNOWN for errors without
 * a code of their own.
 */
const FINE_INTERNAL = /unmarshal|EOF|payload format|decompress|proto:/;

describe('hostile requests to etcd’s port', { timeout: 1_800_000 }, () => {
  let directory: string;
  let etcd: ComponentProcess;
  let ended = false;
  let port: number;
  let turns: TurnWatchdog;
  let memoryBefore: number;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'k8ts-hostile-etcd-'));
    etcd = await startComponent(
      ['etcd', '--data-dir', join(directory, 'data'), '--listen-client-urls', 'http://127.0.0.1:0'],
      { ready: 'Serving the etcd v3 API', nodeFlags: WATCHDOG_NODE_FLAGS },
    );
    void etcd.exited.then(() => (ended = true));
    port = Number(/127\.0\.0\.1:(\d+)/.exec(etcd.output())![1]);
    turns = watchTurns(etcd.pid);
    memoryBefore = etcd.memory();
  });
  afterAll(async () => {
    await etcd?.stop('SIGKILL');
    turns?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function barrage(target: Target, send: (random: Random) => Promise<string | undefined>): Promise<void> {
    const guarded = async (random: Random): Promise<string | undefined> => {
      if (ended) return `etcd has ended:\n${etcd.output().slice(-3000)}`;
      return send(random).catch((error: unknown) => `${String(error)}\n${etcd.output().slice(-2000)}`);
    };
    const { problems } = await fire({
      target,
      send: guarded,
      turns,
      ended: () => (ended ? etcd.output().slice(-3000) : undefined),
    });
    expect(problems).toEqual([]);
    expect(ended).toBe(false);
    expect(await health()).toBe('{"health":"true","reason":""}');
    expect(etcd.memory() - memoryBefore).toBeLessThan(MAX_GROWTH);
  }

  const health = async (): Promise<string> => {
    const [response] = (await once(
      http.get({ host: '127.0.0.1', port, path: '/health', agent: false }),
      'response',
    )) as [http.IncomingMessage];
    let text = '';
    for await (const piece of response) text += String(piece);
    return text;
  };

  it('as gRPC', async () => {
    let session = connect();
    await barrage('etcd', async (random) => {
      if (session.destroyed || session.closed) session = connect();
      const call = hostileCall(random);
      const { status, code, message } = await send(session, call);
      const isBad = status >= 500 || (code === 13 && !FINE_INTERNAL.test(message));
      return isBad ? `${call.path}: ${status} ${code} ${message}` : undefined;
    });
    session.destroy();
  });

  const connect = (): http2.ClientHttp2Session => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    session.on('error', () => {});
    session.setMaxListeners(0);
    return session;
  };

  it('as raw HTTP/2 and HTTP/1.1', () =>
    barrage('etcd-http', async (random) => {
      if (random.next() < 0.5) {
        await exchange(
          dialTcp(port),
          hostileHttp2(random, { paths: PATHS, headers: [['content-type', 'application/grpc']] }),
        );
        return undefined;
      }
      const { pieces, pauseMs } = hostileHttp1(random, { paths: PATHS });
      const bad = statusesIn(await exchange(dialTcp(port), pieces, { pauseMs })).filter((status) => status >= 500);
      return bad.length > 0
        ? `${bad.join(' ')} to ${JSON.stringify(Buffer.concat(pieces).toString('latin1').slice(0, 400))}`
        : undefined;
    }));
});

interface Outcome {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** -1 for the code of a call that was cut off. */
function send(session: http2.ClientHttp2Session, { path, headers, body, ends }: HostileCall): Promise<Outcome> {
  return new Promise((resolve) => {
    let stream: http2.ClientHttp2Stream;
    try {
      stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    } catch {
      return resolve({ status: 0, code: -1, message: '' });
    }
    let status = 0;
    let trailers: http2.IncomingHttpHeaders = {};
    const done = (): void => {
      clearTimeout(timer);
      stream.close(http2.constants.NGHTTP2_CANCEL);
      resolve({
        status,
        code: Number(trailers['grpc-status'] ?? -1),
        message: decodeURIComponent(String(trailers['grpc-message'] ?? '')),
      });
    };
    const timer = setTimeout(done, CUT_OFF_MS);
    stream.on('response', (received) => {
      status = Number(received[':status']);
      trailers = received;
    });
    stream.on('trailers', (received) => (trailers = received));
    stream.on('error', () => {});
    stream.on('close', done);
    stream.resume();
    for (const piece of body) stream.write(piece);
    if (ends) stream.end();
  });
}
