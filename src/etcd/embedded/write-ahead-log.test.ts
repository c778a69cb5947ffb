import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Clock, RealClock, VirtualClock } from '../../kernel/index.ts';
import { brief, get, put, remove, takeEvents, text } from '../contract/fixture.ts';
import { prefixRange, type Store } from '../store.ts';
import { type EmbeddedStore, openEmbeddedStore } from './store.ts';
import { readLogEntries } from './write-ahead-log.ts';

const directories: string[] = [];
const opened: EmbeddedStore[] = [];

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-log-'));
  directories.push(directory);
  return directory;
}

/** On a clock that stands still, the file gets nothing by itself. */
async function openStore(directory: string, clock: Clock = new VirtualClock()): Promise<EmbeddedStore> {
  const store = await openEmbeddedStore({ directory, clock });
  opened.push(store);
  return store;
}

/** The directory as the next process finds it when this one dies now. */
function crashed(directory: string): string {
  const copy = newDirectory();
  for (const name of readdirSync(directory))
    if (/\.(mdb|log)$/.test(name)) copyFileSync(join(directory, name), join(copy, name));
  return copy;
}

const contents = async (store: Store): Promise<string[]> =>
  (await store.range(prefixRange(''))).kvs.map(({ key, value }) => `${key}=${text(value)}`);

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

describe('after a crash', () => {
  it('there is everything that was acknowledged: pairs, history, leases', async () => {
    const directory = newDirectory();
    const store = await openStore(directory);
    const kept = await store.leaseGrant({ ttl: 100 });
    const revoked = await store.leaseGrant({ ttl: 200 });
    const start = await put(store, 'a', '1', kept.id);
    await put(store, 'b', '2', revoked.id);
    await put(store, 'a', '3');
    await store.leaseRevoke(revoked.id);
    await put(store, 'c', '4', kept.id);
    await remove(store, 'a');
    const hash = await store.hash();
    const next = await openStore(crashed(directory));
    expect(await next.hash()).toEqual(hash);
    expect(await next.leases()).toEqual([kept.id]);
    expect(await next.leaseTimeToLive(kept.id, { keys: true })).toMatchObject({ grantedTtl: 100, keys: ['c'] });
    const watch = next.watch({ ...prefixRange(''), startRevision: start, prevKv: true });
    const events = await takeEvents(watch, 6);
    watch.cancel();
    expect(events.map(brief(''))).toEqual(['put a=1', 'put b=2', 'put a=3', 'delete b', 'put c=4', 'delete a']);
    expect(events.map(({ prevKv }) => prevKv && text(prevKv.value))).toEqual([
      undefined,
      undefined,
      '1',
      '2',
      undefined,
      '3',
    ]);
    expect(await put(next, 'd', '5')).toBe(start + 6);
  });

  it('what the file has already is not applied again', async () => {
    const directory = newDirectory();
    const store = await openStore(directory);
    for (let i = 0; i < 5; i++) await put(store, 'k', String(i));
    // Compaction is not acknowledged before the file has it, and all commits.
    await store.compact(await store.revision());
    await put(store, 'k', 'last');
    const hash = await store.hash();
    const next = await openStore(crashed(directory));
    expect(await next.hash()).toEqual(hash);
    expect(await get(next, 'k')).toMatchObject({ version: 6 });
  });

  it('a second crash in the middle of the next start loses nothing', async () => {
    const directory = newDirectory();
    const store = await openStore(directory);
    await put(store, 'a', '1');
    const log = readFileSync(join(directory, 'wal-0.log'));
    const copy = crashed(directory);
    await (await openStore(copy)).close();
    // The file has the entries, and the log was not removed.
    writeFileSync(join(copy, 'wal-0.log'), log);
    const next = await openStore(copy);
    expect(await next.hash()).toEqual(await store.hash());
    await put(next, 'b', '2');
    expect(await contents(await openStore(crashed(copy)))).toEqual(['a=1', 'b=2']);
  });

  it.each([1, 5, 14, 20])('an entry that lacks its last %d bytes was not acknowledged', async (lost) => {
    const directory = newDirectory();
    const store = await openStore(directory);
    await put(store, 'a', '1');
    await put(store, 'b', 'x'.repeat(100));
    const copy = crashed(directory);
    const log = join(copy, 'wal-0.log');
    truncateSync(log, readFileSync(log).length - lost);
    const next = await openStore(copy);
    expect(await contents(next)).toEqual(['a=1']);
    expect(await put(next, 'c', '3')).toBe(3);
  });

  it('a log that lacks an acknowledged entry is refused', async () => {
    const directory = newDirectory();
    const store = await openStore(directory);
    await put(store, 'a', '1');
    const first = readFileSync(join(directory, 'wal-0.log')).length;
    await put(store, 'b', '2');
    const copy = crashed(directory);
    const log = join(copy, 'wal-0.log');
    writeFileSync(log, readFileSync(log).subarray(first));
    await expect(openStore(copy)).rejects.toThrow('has revision 3, but nothing has revision 2');
    expect(readdirSync(copy)).toContain('wal-0.log');
  });

  it('a log whose files were written over several times is read in its order', { timeout: 60_000 }, async () => {
    const directory = newDirectory();
    const store = await openStore(directory, new RealClock());
    const value = 'v'.repeat(50_000);
    for (let i = 0; i < 800; i += 4)
      await Promise.all([0, 1, 2, 3].map((n) => put(store, `k${(i + n) % 10}`, value + String(i + n))));
    expect(readdirSync(directory)).toContain('wal-1.log');
    const [first] = await readLogEntries(directory);
    expect(first!.sequence).toBeGreaterThan(1);
    await store.snapshot()[Symbol.asyncIterator]().next();
    const hash = await store.hash();
    expect(await (await openStore(crashed(directory))).hash()).toEqual(hash);
  });
});

describe('the log', () => {
  it('is gone after the store was closed', async () => {
    const directory = newDirectory();
    const store = await openStore(directory);
    await put(store, 'a', '1');
    expect(readdirSync(directory)).toContain('wal-0.log');
    await store.close();
    expect(readdirSync(directory).filter((name) => name.startsWith('wal'))).toEqual([]);
    expect(await contents(await openStore(directory))).toEqual(['a=1']);
  });

  it('fails the writes that it cannot take, and no later ones', async () => {
    const directory = newDirectory();
    const store = await openStore(directory);
    mkdirSync(join(directory, 'wal-0.log'));
    await expect(put(store, 'a', '1')).rejects.toThrow('the store could not write');
    expect(await contents(store)).toEqual([]);
    rmSync(join(directory, 'wal-0.log'), { recursive: true });
    expect(await put(store, 'a', '2')).toBe(2);
    expect(await contents(await openStore(crashed(directory)))).toEqual(['a=2']);
  });
});
