import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { RealClock, VirtualClock } from '../../kernel/index.ts';
import { storeContract } from '../contract.ts';
import { brief, bytes, type ContractTarget, get, put, remove, takeEvents, text } from '../contract/fixture.ts';
import { ALL_SPEED, type SpeedOptions } from '../speed-options.ts';
import { prefixRange } from '../store.ts';
import { type EmbeddedStore, type EmbeddedStoreOptions, openEmbeddedStore } from './store.ts';

const directories: string[] = [];
const opened: EmbeddedStore[] = [];

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-store-'));
  directories.push(directory);
  return directory;
}

async function openStore(directory: string, options: Partial<EmbeddedStoreOptions> = {}): Promise<EmbeddedStore> {
  const store = await openEmbeddedStore({ directory, clock: new RealClock(), ...options });
  opened.push(store);
  return store;
}

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

const embeddedWith = (speed: Partial<SpeedOptions>): ContractTarget => ({
  async open() {
    const clock = new VirtualClock();
    const directory = mkdtempSync(join(tmpdir(), 'k8ts-store-'));
    const store = await openEmbeddedStore({ directory, clock, speed });
    return {
      store,
      // Commits take real time, whatever the clock says.
      pass: async (ms) => {
        await clock.advance(ms);
        await new RealClock().sleep(10);
      },
      async close() {
        await store.close();
        rmSync(directory, { recursive: true });
      },
    };
  },
});

storeContract('embedded', embeddedWith({}));
for (const feature of Object.keys(ALL_SPEED).filter((name) => name !== 'sharedEvents'))
  storeContract(`embedded without ${feature}`, embeddedWith({ [feature]: false }));

describe('embedded store', () => {
  it('has everything after a restart: pairs, numbers, history, leases', async () => {
    const directory = newDirectory();
    const first = await openStore(directory);
    const { id } = await first.leaseGrant({ ttl: 100 });
    const start = await put(first, 'a', '1', id);
    await put(first, 'b', '2');
    await put(first, 'a', '3');
    await put(first, 'c', '4', id);
    await remove(first, 'b');
    const hash = await first.hash();
    await first.close();

    const second = await openStore(directory);
    expect(await second.revision()).toBe(start + 4);
    expect(await second.hash()).toEqual(hash);
    expect(await get(second, 'a')).toMatchObject({ createRevision: start, modRevision: start + 2, version: 2 });
    expect(text((await second.range({ key: 'b', revision: start + 3 })).kvs[0]!.value)).toBe('2');
    expect(await second.leaseTimeToLive(id, { keys: true })).toMatchObject({ grantedTtl: 100, keys: ['c'] });
    const watch = second.watch({ ...prefixRange(''), startRevision: start });
    expect((await takeEvents(watch, 5)).map(brief(''))).toEqual([
      'put a=1',
      'put b=2',
      'put a=3',
      'put c=4',
      'delete b',
    ]);
    const more = takeEvents(watch, 1);
    expect(await put(second, 'd', '5')).toBe(start + 5);
    expect((await more).map(brief(''))).toEqual(['put d=5']);
    watch.cancel();
  });

  it('replays from the log while writers go on', async () => {
    const directory = newDirectory();
    const first = await openStore(directory);
    for (let i = 0; i < 3000; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => put(first, `k${(i + n) % 37}`, String(i + n))));
    }
    await first.close();
    const store = await openStore(directory);
    const watch = store.watch({ ...prefixRange('k'), startRevision: 2 });
    const events = takeEvents(watch, 3500);
    await Promise.all(Array.from({ length: 500 }, (_, n) => put(store, `k${n % 37}`, String(3000 + n))));
    const seen = await events;
    watch.cancel();
    expect(seen.map((event) => text(event.kv.value))).toEqual(Array.from({ length: 3500 }, (_, i) => String(i)));
    expect(seen.map((event) => event.kv.modRevision)).toEqual(Array.from({ length: 3500 }, (_, i) => i + 2));
  });

  it('is open in one process at a time', async () => {
    const directory = newDirectory();
    await openStore(directory);
    await expect(openStore(directory)).rejects.toThrow(`in use by process ${process.pid}`);
  });

  it('refuses a file that a newer release wrote', async () => {
    const directory = newDirectory();
    const { openTables, putFact, atomically } = await import('./tables.ts');
    const { generationPath } = await import('./generations.ts');
    await (await openStore(directory)).close();
    const tables = openTables(generationPath(directory, 1));
    await atomically(tables, () => putFact(tables, 'schema', 3));
    await tables.environment.close();
    await expect(openStore(directory)).rejects.toThrow('has schema version 3, written by a newer release');
  });

  it('refuses keys that are too long by name', async () => {
    const store = await openStore(newDirectory());
    await expect(put(store, 'k'.repeat(2000))).rejects.toMatchObject({ code: 'unsupported' });
    expect(await put(store, 'k'.repeat(1900))).toBe(2);
    expect((await store.range(prefixRange('k'.repeat(1900)))).count).toBe(1);
  });

  it('keeps the file small with high-churn keys', async () => {
    const store = await openStore(newDirectory(), { history: { bytes: 1024 * 1024 } });
    const value = new Uint8Array(1024).fill(7);
    for (let i = 0; i < 20_000; i += 500) {
      await Promise.all(
        Array.from({ length: 500 }, (_, n) =>
          store.txn({ success: [{ op: 'put', key: `lease-${(i + n) % 100}`, value }] }),
        ),
      );
    }
    const { dbSize, compactRevision } = await store.status();
    expect(dbSize).toBeLessThan(12 * 1024 * 1024);
    expect(compactRevision).toBeGreaterThan(10_000);
    expect((await store.range(prefixRange('lease-'))).count).toBe(100);
  });

  it.runIf(process.env.K8TS_EVERYTHING === '1')(
    'stays under 64 MB after a million updates of 100 keys (long form)',
    { timeout: 600_000 },
    async () => {
      const store = await openStore(newDirectory());
      const value = new Uint8Array(1024).fill(7);
      for (let i = 0; i < 1_000_000; i += 1000) {
        await Promise.all(
          Array.from({ length: 1000 }, (_, n) =>
            store.txn({ success: [{ op: 'put', key: `lease-${(i + n) % 100}`, value }] }),
          ),
        );
      }
      expect(await store.revision()).toBe(1_000_001);
      expect((await store.status()).dbSize).toBeLessThan(64 * 1024 * 1024);
    },
  );

  it('raises the alarm at the quota, refuses puts, allows deletions, and clears it once there is room', async () => {
    const store = await openStore(newDirectory(), { quotaBytes: 2 * 1024 * 1024, history: { revisions: 10 } });
    const value = new Uint8Array(10_000);
    let refused: unknown;
    for (let i = 0; i < 1000 && refused === undefined; i++) {
      await store.txn({ success: [{ op: 'put', key: `k${i}`, value }] }).catch((error: unknown) => (refused = error));
    }
    expect(refused).toMatchObject({ code: 'no-space' });
    expect(await store.alarms()).toMatchObject([{ alarm: 'nospace' }]);
    expect((await store.range(prefixRange('k'))).count).toBeGreaterThan(100);
    await remove(store, 'k', 'l');
    await store.compact(await store.revision());
    await expect.poll(async () => (await store.alarms()).length, { timeout: 5000 }).toBe(0);
    await store.txn({ success: [{ op: 'put', key: 'again', value }] });
  });

  it('defragments while writers continue', async () => {
    const directory = newDirectory();
    const store = await openStore(directory, { history: { revisions: 2000 } });
    const value = new Uint8Array(1024).fill(1);
    for (let i = 0; i < 8000; i += 500) {
      await Promise.all(
        Array.from({ length: 500 }, (_, n) => store.txn({ success: [{ op: 'put', key: `big/${i + n}`, value }] })),
      );
    }
    const { id } = await store.leaseGrant({ ttl: 500 });
    await remove(store, 'big/', 'big0');
    await put(store, 'kept', 'x', id);
    await store.compact(await store.revision());
    await expect.poll(async () => (await store.status()).dbSizeInUse, { timeout: 5000 }).toBeLessThan(2 * 1024 * 1024);
    const before = (await store.status()).dbSize;
    let stop = false;
    let written = 0;
    const writers = Array.from({ length: 8 }, async (_, w) => {
      while (!stop) await put(store, `during/${w}/${written++}`, String(written));
    });
    await store.defragment();
    stop = true;
    await Promise.all(writers);
    expect((await store.status()).dbSize).toBeLessThan(before / 4);
    const after = await store.hash();
    expect((await store.range(prefixRange('during/'))).count).toBe(written);
    await store.close();
    const again = await openStore(directory);
    expect(await again.hash()).toEqual(after);
    expect(await again.leaseTimeToLive(id, { keys: true })).toMatchObject({ keys: ['kept'] });
  });

  it('takes snapshots and defragments at the same time', async () => {
    const directory = newDirectory();
    const store = await openStore(directory);
    for (let i = 0; i < 2000; i += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => put(store, `k${i + n}`, 'x'.repeat(1000))));
    }
    const snapshotSize = async (): Promise<number> => {
      let size = 0;
      for await (const chunk of store.snapshot()) size += chunk.length;
      return size;
    };
    let stop = false;
    const writing = (async () => {
      for (let i = 0; !stop; i++) await put(store, `k${i % 2000}`, String(i));
    })();
    const [first, , second] = await Promise.all([
      snapshotSize(),
      store.defragment(),
      snapshotSize(),
      store.defragment(),
    ]);
    stop = true;
    await writing;
    expect(first % 4096).toBe(32);
    expect(second % 4096).toBe(32);
    const hash = await store.hash();
    await store.close();
    expect(await (await openStore(directory)).hash()).toEqual(hash);
    expect(readdirSync(directory).toSorted()).toEqual(['LOCK', 'store-000003.mdb', 'store-000003.mdb-lock']);
  });

  it('remembers a compaction that it acknowledged', async () => {
    const directory = newDirectory();
    const store = await openStore(directory);
    for (let i = 0; i < 5; i++) await put(store, 'k', String(i));
    const revision = await store.revision();
    // The second begins while the first is being written.
    await store.compact(revision - 1);
    await store.compact(revision);
    await store.close();
    const again = await openStore(directory);
    expect((await again.status()).compactRevision).toBe(revision);
    await expect(again.range({ key: 'k', revision: revision - 1 })).rejects.toMatchObject({ code: 'compacted' });
  });

  it('compacts without delaying writers', async () => {
    const store = await openStore(newDirectory(), { history: { revisions: 1e9, bytes: 1e12 } });
    for (let i = 0; i < 20_000; i += 1000) {
      await Promise.all(Array.from({ length: 1000 }, (_, n) => put(store, `k${(i + n) % 50}`, 'x'.repeat(500))));
    }
    const clock = new RealClock();
    /** The median, because a machine that is busy with other tests delays single writes. */
    const medianWait = async (): Promise<number> => {
      const waits: number[] = [];
      for (let i = 0; i < 100; i++) {
        const start = clock.monotonic();
        await put(store, 'during', String(i));
        waits.push(clock.monotonic() - start);
      }
      return waits.toSorted((a, b) => a - b)[50]!;
    };
    const before = await medianWait();
    await store.compact((await store.revision()) - 10);
    expect(await medianWait()).toBeLessThan(100 + 10 * before);
    await store.txn({ success: [{ op: 'put', key: 'last', value: bytes('') }] });
  });
});
