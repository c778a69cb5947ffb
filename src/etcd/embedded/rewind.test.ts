import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RealClock } from '../../kernel/index.ts';
import { restoreSnapshot, saveSnapshot } from '../command/snapshot-file.ts';
import { bytes, put, remove } from '../contract/fixture.ts';
import { rewoundState } from '../memory-state.ts';
import { createMemoryStore } from '../memory.ts';
import { prefixRange, type KeyValue, type Store } from '../store.ts';
import { openEmbeddedStore } from './store.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'k8ts-rewind-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const clock = new RealClock();
const everything = { ...prefixRange('') };
const pairs = async (store: Store, revision?: number): Promise<KeyValue[]> =>
  (await store.range({ ...everything, ...(revision === undefined ? {} : { revision }) })).kvs;

/** Several changes of one key, deletions, and a key that comes again. Returns a revision in the middle. */
async function write(store: Store): Promise<number> {
  await put(store, 'a', '1');
  await put(store, 'b', '1');
  await put(store, 'gone', '1');
  await remove(store, 'gone');
  const middle = await put(store, 'a', '2');
  await put(store, 'a', '3');
  await put(store, 'a', '4');
  await remove(store, 'b');
  await put(store, 'new', '1');
  await put(store, 'gone', '2');
  return middle;
}

describe('rewinding', () => {
  it('gives a file back its earlier pairs, revisions and history', async () => {
    const store = await openEmbeddedStore({ directory: join(directory, 'first'), clock });
    const middle = await write(store);
    const before = await pairs(store, middle);
    const older = await pairs(store, middle - 1);
    await saveSnapshot(store.snapshot(), join(directory, 'file'));
    await store.close();
    const target = { path: join(directory, 'file'), directory: join(directory, 'second') };
    await restoreSnapshot({ ...target, revision: middle });
    const copy = await openEmbeddedStore({ directory: target.directory, clock });
    expect(await copy.revision()).toBe(middle);
    expect(await pairs(copy)).toEqual(before);
    expect(await pairs(copy, middle - 1)).toEqual(older);
    expect(await put(copy, 'a', '5')).toBe(middle + 1);
    await copy.close();
  });

  it('gives keys back their leases, and none of later ones', async () => {
    const store = await openEmbeddedStore({ directory: join(directory, 'first'), clock });
    const [first, second] = [await store.leaseGrant({ ttl: 100 }), await store.leaseGrant({ ttl: 100 })];
    const leased = async (lease: bigint): Promise<void> =>
      void (await store.txn({ success: [{ op: 'put', key: 'event', value: bytes('x'), lease }] }));
    await leased(first.id);
    const middle = await store.revision();
    await leased(second.id);
    await store.leaseRevoke(second.id);
    await store.leaseRevoke(first.id);
    await saveSnapshot(store.snapshot(), join(directory, 'file'));
    await store.close();
    const target = { path: join(directory, 'file'), directory: join(directory, 'second') };
    await restoreSnapshot({ ...target, revision: middle });
    const copy = await openEmbeddedStore({ directory: target.directory, clock });
    expect((await copy.leaseTimeToLive(first.id, { keys: true })).keys).toEqual(['event']);
    expect(await copy.leases()).toEqual([first.id]);
    await copy.leaseRevoke(first.id);
    expect(await pairs(copy)).toEqual([]);
    await copy.close();
  });

  it('refuses a revision that is gone, or that is not there yet', async () => {
    const store = await openEmbeddedStore({ directory: join(directory, 'first'), clock });
    const middle = await write(store);
    await store.compact(middle);
    await saveSnapshot(store.snapshot(), join(directory, 'file'));
    await store.close();
    const target = { path: join(directory, 'file'), directory: join(directory, 'second') };
    await expect(restoreSnapshot({ ...target, revision: middle - 1 })).rejects.toMatchObject({ code: 'compacted' });
    await expect(restoreSnapshot({ ...target, revision: 1000 })).rejects.toMatchObject({ code: 'future-revision' });
    await restoreSnapshot({ ...target, revision: middle });
  });

  it('is the same in memory', async () => {
    const store = createMemoryStore({ clock });
    const middle = await write(store);
    const state = rewoundState(store.state(), middle);
    const copy = createMemoryStore({ clock, state });
    expect(await pairs(copy)).toEqual(await pairs(store, middle));
    expect(await pairs(copy, middle - 1)).toEqual(await pairs(store, middle - 1));
    expect(await put(copy, 'a', '5')).toBe(middle + 1);
    expect(() => rewoundState(store.state(), 1000)).toThrow('future revision');
    await store.compact(middle);
    expect(() => rewoundState(store.state(), middle - 1)).toThrow('compacted');
    await store.close();
    await copy.close();
  });
});
