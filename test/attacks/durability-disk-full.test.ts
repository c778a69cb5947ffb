import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEmbeddedStore, StoreError } from '../../src/etcd/index.ts';
import { RealClock } from '../../src/kernel/index.ts';
import { requires } from '../requires.ts';

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

  it('refuses writes by name, answers reads, and takes writes again once there is room', async () => {
    // LMDB prints the reason of a failed commit itself.
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const store = await openEmbeddedStore({ directory: join(mountPoint, 'data'), clock: new RealClock() });
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
});
