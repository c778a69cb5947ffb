/** Hostile requests to the socket on which the command line speaks to a running cluster. */
import { readdirSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProcessFile } from '../../src/cli/process-file.ts';
import type { Random } from '../../src/kernel/index.ts';
import { fire } from './barrage.ts';
import { hostileHttp1 } from './hostile-http1.ts';
import { dialSocket, exchange, statusesIn } from './raw-exchange.ts';
import { startWatchedK8ts, type WatchedK8ts } from './turn-watchdog.ts';

const PATHS = [
  '/status',
  '/explain?namespace=default&pod=a',
  '/explain?pod=__proto__',
  '/images',
  '/nodes?name=nobody',
  '/nodes',
  '/snapshot',
  '/images/load',
  '/images/pull',
  '/nothing',
  '/constructor',
];
const BODIES = [
  null,
  [],
  1,
  'x',
  {},
  { count: -1 },
  { count: 1e12 },
  { count: 'x' },
  { count: 1.5 },
  { count: {} },
  { count: 0, prefix: 'x'.repeat(100_000) },
  { count: 0, prefix: {} },
  { real: true },
  { argument: '/etc/shadow' },
  { argument: {} },
  { argument: 'x'.repeat(100_000) },
  { __proto__: 1 },
  'y'.repeat(2 * 1024 * 1024),
];
const MEGABYTE = 1024 * 1024;
const MAX_GROWTH = 200 * MEGABYTE;

const pick = <T>(random: Random, from: readonly T[]): T => from[random.integer(from.length)]!;

describe('hostile requests to the control socket', { timeout: 1_800_000 }, () => {
  let k8ts: WatchedK8ts;
  let socketPath: string;

  beforeAll(async () => {
    k8ts = await startWatchedK8ts({ flags: ['--simulated-nodes', '1', '--controllers', 'none', '--addons', 'none'] });
    socketPath = socketOf(k8ts.pid);
  });
  afterAll(() => k8ts?.stop('SIGKILL'));

  it('are answered, and the cluster continues', async () => {
    const memoryBefore = k8ts.memory();
    const { problems } = await fire({
      target: 'control-socket',
      turns: k8ts.turns,
      ended: () => k8ts.exit && `${JSON.stringify(k8ts.exit)}\n${k8ts.output().slice(-3000)}`,
      send: async (random) => {
        const pieces =
          random.next() < 0.5
            ? hostileHttp1(random, { paths: PATHS, body: '{"count":0}' }).pieces
            : [wellFormed(random)];
        const bad = statusesIn(await exchange(dialSocket(socketPath), pieces)).filter((status) => status >= 500);
        return bad.length > 0
          ? `${bad.join(' ')} to ${JSON.stringify(Buffer.concat(pieces).toString('latin1').slice(0, 400))}\n${k8ts.output().slice(-1000)}`
          : undefined;
      },
    });
    expect(problems).toEqual([]);
    expect(k8ts.exit).toBeUndefined();
    // `POST /nodes` without a count adds one: what was there stays.
    expect(await nodeNames()).toContain('sim-0');
    expect(k8ts.memory() - memoryBefore).toBeLessThan(MAX_GROWTH);
  });

  /** Everything but `POST /stop`, which does what it says. */
  function wellFormed(random: Random): Buffer {
    const body = JSON.stringify(pick(random, BODIES));
    return Buffer.from(
      `${pick(random, ['GET', 'POST', 'DELETE', 'PUT'])} ${pick(random, PATHS)} HTTP/1.1\r\nHost: x\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  const nodeNames = (): Promise<string[]> =>
    new Promise((resolve, reject) => {
      http
        .get({ socketPath, path: '/status', agent: false, timeout: 5000 }, (response) => {
          let text = '';
          response.on('data', (piece: Buffer) => (text += piece.toString()));
          response.on('end', () =>
            resolve((JSON.parse(text) as { nodes: { name: string }[] }).nodes.map(({ name }) => name)),
          );
        })
        .on('error', reject);
    });
});

function socketOf(pid: number): string {
  const folders = readdirSync(tmpdir()).map((name) => join(tmpdir(), name));
  const found = folders.map((folder) => readProcessFile(folder)).find((file) => file?.pid === pid);
  if (found === undefined) throw new Error(`no cluster of process ${pid} tells where its socket is`);
  return found.socket;
}
