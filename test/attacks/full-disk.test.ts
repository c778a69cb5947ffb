/**
 * A disk that fills up under a running API server: what was acknowledged stays, and the server says that it is not
 * ready.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPipeline, type Pipeline } from '../../src/apiserver/pipeline/build-pipeline.ts';
import { openPki } from '../../src/apiserver/pki/files.ts';
import { openEmbeddedStore, type Store } from '../../src/etcd/index.ts';
import { createContext } from '../../src/kernel/index.ts';
import { requires } from '../requires.ts';

const skip = requires('root', 'mount', 'umount');
const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const stop = new AbortController();
const ctx = createContext({ writeLog: () => {}, signal: stop.signal });
let mountPoint = '';
let store: Store;
let pipeline: Pipeline;
let running: Promise<void>;

async function call(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const [pathname = '', query = ''] = path.split('?');
  const response = await pipeline.handle({
    method,
    path: pathname,
    query: new URLSearchParams(query),
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    readBody: () => Promise.resolve(Buffer.from(body === undefined ? '' : JSON.stringify(body))),
    user: ADMIN,
    remoteAddress: '127.0.0.1',
    signal: ctx.signal,
  });
  return { status: response.status, text: response.body?.toString() ?? '' };
}

const write = (name: string) =>
  call('POST', '/api/v1/namespaces/default/configmaps', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: { text: 'x'.repeat(100_000) },
  });

describe.skipIf(skip !== undefined)(
  `an API server on a full disk${skip === undefined ? '' : ` (skipped: ${skip})`}`,
  () => {
    beforeEach(async () => {
      mountPoint = mkdtempSync(join(tmpdir(), 'k8ts-full-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mountPoint]);
      store = await openEmbeddedStore({ directory: join(mountPoint, 'data'), clock: ctx.clock });
      const pki = await openPki(ctx, undefined, { dnsNames: [], addresses: [], signingKey: 'ec' });
      pipeline = await createPipeline(ctx, {
        store,
        pki,
        advertiseAddress: '192.0.2.1',
        serviceClusterIpRange: '10.96.0.0/16',
      });
      running = pipeline.run();
      await pipeline.bootstrap(6443);
    });
    afterEach(async () => {
      stop.abort();
      await running;
      await store.close();
      execFileSync('umount', [mountPoint]);
      rmSync(mountPoint, { recursive: true });
    });

    it('is not ready but alive, reports why, and is ready again when there is space, without a write', async () => {
      // LMDB prints the reason of a failed commit itself.
      const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
      expect(await call('GET', '/readyz')).toEqual({ status: 200, text: 'ok' });
      const acknowledged: string[] = [];
      let refused: { status: number; text: string } | undefined;
      for (let i = 0; refused === undefined && i < 1000; i++) {
        const answer = await write(`full-${i}`);
        if (answer.status === 201) acknowledged.push(`full-${i}`);
        else refused = answer;
      }
      expect(refused?.text).toContain('database space exceeded');

      await expect.poll(() => call('GET', '/readyz').then(({ status }) => status)).toBe(500);
      const { text } = await call('GET', '/readyz');
      expect(text.split('\n').filter((line) => !line.startsWith('[+]'))).toEqual([
        '[-]etcd failed: reason withheld',
        '[-]etcd-readiness failed: reason withheld',
        'readyz check failed',
        '',
      ]);
      expect(await call('GET', '/healthz/etcd')).toEqual({
        status: 500,
        text: 'internal server error: etcdserver: mvcc: database space exceeded\n',
      });
      expect(await call('GET', '/livez')).toEqual({ status: 200, text: 'ok' });
      const { revision } = await store.status();

      execFileSync('mount', ['-o', 'remount,size=64m', mountPoint]);
      await expect.poll(() => call('GET', '/readyz').then(({ status }) => status)).toBe(200);
      expect((await store.status()).revision).toBe(revision);
      expect((await write('after')).status).toBe(201);
      for (const name of acknowledged)
        expect((await call('GET', `/api/v1/namespaces/default/configmaps/${name}`)).status).toBe(200);
      printed.mockRestore();
    });
  },
);
