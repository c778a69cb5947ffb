/**
 * No request of at most a megabyte, by anybody, keeps the main thread or the front's thread for more than 50 ms of
 * processor time in one turn: others are served meanwhile.
 */
import { once } from 'node:events';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiConnection } from '../api-connection.ts';
import { everything } from '../requires.ts';
import { LONGER_TURNS } from './longer-turns.ts';
import { type CostlyRequest, timeCorpus } from './time-corpus.ts';
import { ALLOWANCE, cannotWatchTurns, MAX_TURN_MS, startWatchedK8ts, type WatchedK8ts } from './turn-watchdog.ts';

if (cannotWatchTurns) console.warn(`time: skipped, ${cannotWatchTurns}`);

const MEGABYTE = 1_000_000;
/** A machine that is shared, and a collector of garbage, can make a turn longer: the best of a few is what a request costs. */
const TRIES = 4;
/** Of the many requests that are alike, every so-manieth in the short form. */
const SHARE = everything ? 1 : 48;

const sent = timeCorpus.filter((request, i) => request.always || i % SHARE === 0);

describe.skipIf(cannotWatchTurns !== undefined)('time', { timeout: 1_800_000 }, () => {
  let k8ts: WatchedK8ts;
  let admin: ApiConnection;
  let anybody: ApiConnection;

  beforeAll(async () => {
    k8ts = await startWatchedK8ts({ flags: ['--controllers', 'none'] });
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await connected().call('POST', '/api/v1/namespaces/default/serviceaccounts', { body: account });
    // The first requests of a kind pay for what is compiled and remembered.
    const warmUp = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'warm-up' },
      data: Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, 'v'])),
    };
    for (let i = 0; i < 20; i++)
      await connected().call('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', { body: warmUp });
  });
  afterAll(async () => {
    admin?.close();
    anybody?.close();
    await k8ts?.stop('SIGKILL');
  });

  function connected(anonymous = false): ApiConnection {
    const gone = (connection: ApiConnection | undefined): boolean =>
      !connection || connection.session.destroyed || connection.session.closed;
    if (anonymous) return gone(anybody) ? (anybody = new ApiConnection(k8ts.server, {})) : anybody;
    return gone(admin) ? (admin = new ApiConnection(k8ts.server, k8ts.credentials)) : admin;
  }

  async function send({ method, path, headers, body, anonymous, cutOffMs }: CostlyRequest): Promise<number> {
    try {
      const answer = await connected(anonymous).call(method, path, {
        timeoutMs: 120_000,
        ...(headers ? { headers } : {}),
        ...(body ? { body } : {}),
        ...(cutOffMs ? { cutOffMs } : {}),
      });
      // What was made would keep the scheduler busy, and be listed by others.
      const made = answer.status === 201 ? (answer.json().metadata as { name?: string } | undefined)?.name : undefined;
      if (made !== undefined && method === 'POST' && !path.includes('?'))
        await connected().call('DELETE', `${path}/${made}?gracePeriodSeconds=0`);
      return answer.status;
    } catch (error) {
      // HTTP/2 refuses headers that are too long by ending the stream or the connection.
      if ((error as Error).message.includes('was not answered')) throw error;
      return 0;
    }
  }

  async function prepare({ prepare: objects = [] }: CostlyRequest): Promise<void> {
    for (const { path, body } of objects) {
      for (let attempt = 0; ; attempt++) {
        const { status } = await connected().call('POST', path, { body, timeoutMs: 120_000 });
        // The API of a definition that was just made is served a little later.
        if (status !== 404 || attempt > 100) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  it.each(sent.map((request) => [request.name, request] as const))('%s', async (name, request) => {
    const limit = (LONGER_TURNS.get(name)?.milliseconds ?? MAX_TURN_MS) * ALLOWANCE;
    let least = Infinity;
    for (let attempt = 0; attempt < TRIES && least > limit; attempt++) {
      await prepare(request);
      await k8ts.turns.reset();
      const status = await send(request);
      expect(k8ts.exit).toBeUndefined();
      least = Math.min(least, await k8ts.turns.longestTurnMs());
      if (status >= 500) expect(k8ts.output()).not.toContain('Request failed with an internal error');
    }
    expect(least).toBeLessThan(limit);
  });

  it('an unknown method with a header of spaces', async () => {
    let least = Infinity;
    for (let attempt = 0; attempt < TRIES && least > MAX_TURN_MS; attempt++) {
      await k8ts.turns.reset();
      const socket = tls.connect({
        port: k8ts.port,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      });
      socket.on('error', () => {});
      await once(socket, 'secureConnect');
      socket.resume();
      socket.write(`BREW / HTTP/1.1\r\nhost: x\r\nx:${' '.repeat(15_000)}\u0001\r\n\r\n`);
      await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 2000))]);
      socket.destroy();
      least = Math.min(least, await k8ts.turns.longestTurnMs());
    }
    expect(least).toBeLessThan(MAX_TURN_MS);
  });
});

it('the corpus has no request above a megabyte, and lists no longer turn that is not in it', () => {
  const size = ({ body, path }: CostlyRequest): number =>
    path.length +
    (body === undefined
      ? 0
      : Buffer.isBuffer(body)
        ? body.length
        : Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body)));
  // All together are a gigabyte of JSON.
  const weighed = everything ? timeCorpus : sent;
  expect(weighed.filter((request) => size(request) > MEGABYTE).map(({ name }) => name)).toEqual([]);
  const names = new Set(timeCorpus.map(({ name }) => name));
  expect([...LONGER_TURNS.keys()].filter((name) => !names.has(name))).toEqual([]);
  expect(names.size).toBe(timeCorpus.length);
});
