import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEmbeddedStore, StoreError } from '../../src/etcd/index.ts';
import { RealClock } from '../../src/kernel/index.ts';
import { until } from '../../src/kernel/testing/index.ts';
import { ApiConnection } from '../api-connection.ts';
import { type K8tsProcess, startK8ts } from '../k8ts-process.ts';
import { requires } from '../requires.ts';
import { AcknowledgedWrites, CONFIG_MAPS, ResumedWatch } from './acknowledged-writes.ts';

const clock = new RealClock();
const skip = requires('root', 'mount', 'umount');
let mountPoint = '';

describe.skipIf(skip !== undefined)(`a full disk${skip === undefined ? '' : ` (skipped: ${skip})`}`, () => {
  beforeEach(() => {
    mountPoint = mkdtempSync(join(tmpdir(), 'k8ts-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', mountPoint]);
  });
  afterEach(() => {
    execFileSync('umount', [mountPoint]);
    rmSync(mountPoint, { recursive: true });
  });

  it('refuses writes by name, answers reads, and accepts writes again when there is space', async () => {
    // LMDB prints the reason of a failed commit itself.
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const store = await openEmbeddedStore({ directory: join(mountPoint, 'data'), clock });
    const value = new Uint8Array(2000).fill(7);
    const acked = new Map<string, number>();
    const refused: unknown[] = [];
    const write = async (key: string): Promise<void> => {
      try {
        acked.set(key, (await store.txn({ success: [{ op: 'put', key, value }] })).revision);
      } catch (error) {
        refused.push(error);
      }
    };
    const watch = store.watch({ key: 'k', rangeEnd: 'l', startRevision: 2 });
    for (let i = 0; refused.length < 40 && i < 10_000; i += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => write(`k${i + n}`)));
    }
    expect(refused.length).toBeGreaterThanOrEqual(40);
    for (const error of refused) {
      expect(error).toBeInstanceOf(StoreError);
      expect(error).toMatchObject({ code: 'no-space', message: 'etcdserver: mvcc: database space exceeded' });
    }
    expect(await store.alarms()).toMatchObject([{ alarm: 'nospace' }]);
    const { kvs, revision } = await store.range({ key: 'k', rangeEnd: 'l' });
    expect(new Map(kvs.map((kv) => [kv.key, kv.modRevision]))).toEqual(acked);
    expect(revision).toBe(Math.max(...acked.values()));

    execFileSync('mount', ['-o', 'remount,size=64m', mountPoint]);
    refused.length = 0;
    await write('k-after');
    expect(refused).toEqual([]);
    expect(acked.get('k-after')).toBe(revision + 1);
    expect(await store.alarms()).toEqual([]);
    let seen = 0;
    for await (const { events } of watch) {
      for (const { kv } of events) expect(acked.get(kv.key)).toBe(kv.modRevision);
      seen += events.length;
      if (seen >= acked.size) break;
    }
    expect(seen).toBe(acked.size);
    await store.close();
    printed.mockRestore();
  });

  it('gets a Status from the API server, which continues to read, and to write when there is space', async () => {
    execFileSync('mount', ['-o', 'remount,size=48m', mountPoint]);
    const writes = new AcknowledgedWrites();
    const watch = new ResumedWatch(1);
    let k8ts: K8tsProcess | undefined;
    try {
      k8ts = await startK8ts({ dataDirectory: join(mountPoint, 'data'), flags: ['--controllers', 'none'] });
      const api = new ApiConnection(k8ts.server, k8ts.credentials);
      const watching = watch.follow(api);
      const write = (round: number, stopped: () => boolean): Promise<void[]> =>
        Promise.all(Array.from({ length: 8 }, (_, lane) => writes.writeLane(api, { lane: `${lane}`, round, stopped })));
      let left = 20;
      await write(0, () => left-- <= 0);
      expect(writes.refused).toEqual([]);

      const filler = join(mountPoint, 'filler');
      const { bavail, bsize } = statfsSync(mountPoint);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - 2 * 1024 * 1024)));
      await write(1, () => writes.refused.length > 40);
      for (const status of writes.refused) {
        expect(status).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500 });
        expect(status['message']).toContain('database space exceeded');
      }
      await writes.checkKept(api);
      expect((await api.call('GET', `${CONFIG_MAPS}/counter-0`)).status).toBe(200);

      rmSync(filler);
      writes.refused.length = 0;
      left = 20;
      await write(2, () => left-- <= 0);
      expect(writes.refused).toEqual([]);
      const last = await writes.create(api, 'last');
      const found = await writes.checkKept(api);
      const lastRevision = Number(last!.metadata.resourceVersion);
      await until('the watch has seen the last write', () => watch.revision === lastRevision);
      api.close();
      await watching;
      watch.check(found);
      await k8ts.stop('SIGKILL');

      k8ts = await startK8ts({ dataDirectory: join(mountPoint, 'data'), flags: ['--controllers', 'none'] });
      const again = new ApiConnection(k8ts.server, k8ts.credentials);
      await writes.checkKept(again);
      again.close();
    } finally {
      await k8ts?.stop('SIGKILL');
    }
  });
});
