import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kernel/index.ts';
import { storeContract } from './contract.ts';
import { get, put, text } from './contract/fixture.ts';
import { createMemoryStore } from './memory.ts';
import type { WatchBatch } from './store.ts';

storeContract('memory', {
  async open() {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    return { store, pass: (ms) => clock.advance(ms), close: () => store.close() };
  },
});

describe('memory store', () => {
  it('starts at revision 1', async () => {
    const store = createMemoryStore({ clock: new VirtualClock() });
    expect(await store.revision()).toBe(1);
    expect(await put(store, 'a')).toBe(2);
  });

  it.each([
    ['many values', 1024, 20],
    ['a value larger than the limit', 20_000, 1],
  ])('drops the oldest history when it has become larger than its limit: %s', async (_case, size, revisions) => {
    const store = createMemoryStore({ clock: new VirtualClock(), historyBytes: 16 * 1024 });
    const value = 'x'.repeat(size);
    for (let i = 0; i < 200; i++) await put(store, 'a', value);
    const { compactRevision, historyBytes, revision } = store.state();
    expect(historyBytes).toBeLessThanOrEqual(Math.max(size, 16 * 1024));
    expect(revision - compactRevision).toBeLessThan(revisions);
    expect((await store.range({ key: 'a', revision: compactRevision })).kvs).toHaveLength(1);
    await expect(store.range({ key: 'a', revision: compactRevision - 1 })).rejects.toMatchObject({ code: 'compacted' });
    // What is counted is what is there: also after a compaction, and in a fork.
    if (compactRevision < revision) await store.compact(revision);
    expect(store.state().historyBytes).toBe(size);
    const fork = store.fork();
    for (let i = 0; i < 200; i++) await put(fork, 'a', value);
    expect(fork.state().historyBytes).toBeLessThanOrEqual(Math.max(size, 16 * 1024));
  });

  it('forks: both diverge, history and leases included', async () => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    const { id } = await store.leaseGrant({ ttl: 5 });
    await put(store, 'shared', '1', id);
    const fork = store.fork();
    await put(store, 'shared', 'original', id);
    await put(fork, 'shared', 'fork');
    expect(text((await get(store, 'shared'))!.value)).toBe('original');
    expect(text((await get(fork, 'shared'))!.value)).toBe('fork');
    expect(text((await fork.range({ key: 'shared', revision: 2 })).kvs[0]!.value)).toBe('1');
    await clock.advance(6000);
    expect(await get(store, 'shared')).toBeUndefined();
    expect(await get(fork, 'shared')).toBeDefined();
    await store.close();
    await fork.close();
  });

  it('forks a large store in constant time', async () => {
    const store = createMemoryStore({ clock: new VirtualClock() });
    for (let i = 0; i < 20_000; i += 100) {
      const success = Array.from({ length: 100 }, (_, n) => ({
        op: 'put' as const,
        key: `k${i + n}`,
        value: Buffer.from('v'),
      }));
      await store.txn({ success });
    }
    const state = store.state();
    const fork = store.fork();
    expect(fork.state().pairs).toBe(state.pairs);
    expect(fork.state().revisions).toBe(state.revisions);
    await put(fork, 'k5', 'changed');
    expect(text((await get(store, 'k5'))!.value)).toBe('v');
  });

  it('is restored from its snapshot', async () => {
    const clock = new VirtualClock();
    const store = createMemoryStore({ clock });
    const { id } = await store.leaseGrant({ ttl: 60 });
    await put(store, 'leased', 'x', id);
    const revision = await put(store, 'b\xff', 'y\0z');
    const chunks: Uint8Array[] = [];
    for await (const chunk of store.snapshot()) chunks.push(chunk);
    const restored = createMemoryStore({ clock, snapshot: Buffer.concat(chunks) });
    expect(await restored.revision()).toBe(revision);
    expect(text((await get(restored, 'b\xff'))!.value)).toBe('y\0z');
    expect(await restored.leaseTimeToLive(id, { keys: true })).toMatchObject({ keys: ['leased'], grantedTtl: 60 });
    expect((await restored.hash()).hash).toBe((await store.hash()).hash);
    expect(() => createMemoryStore({ clock, snapshot: Buffer.concat(chunks).subarray(0, -1) })).toThrow('truncated');
  });

  it('encodes a lazy value at the first read, once', async () => {
    const store = createMemoryStore({ clock: new VirtualClock() });
    let made = 0;
    const bytes = Buffer.from('lazy');
    const lazy = { size: 4, bytes: () => (made++, bytes) };
    const over = (mod: number): Parameters<typeof store.txn>[0] => ({
      compare: [{ key: 'a', target: 'mod', result: 'equal', value: mod }],
      success: [{ op: 'put', key: 'a', value: lazy }],
    });
    const watch = store.watch({ key: 'a' })[Symbol.asyncIterator]();
    const { revision } = await store.txn(over(0));
    expect(((await watch.next()).value as WatchBatch).events[0]!.kv.lazyValue).toBe(lazy);
    expect((await store.range({ key: 'a', keysOnly: true })).kvs[0]).toMatchObject({
      modRevision: revision,
      version: 1,
    });
    expect((await store.status()).dbSize).toBe(4);
    expect(made).toBe(0);
    expect(text((await get(store, 'a'))!.value)).toBe('lazy');
    expect(made).toBe(1);
    await store.txn(over(revision));
    expect(
      (await store.txn({ compare: [{ key: 'a', target: 'value', result: 'equal', value: bytes }] })).succeeded,
    ).toBe(true);
    await store.close();
  });

  it('measures a lazy value that may be too large by its bytes', async () => {
    const store = createMemoryStore({ clock: new VirtualClock() });
    const write = (size: number, length: number): Promise<unknown> =>
      store.txn({
        compare: [{ key: 'a', target: 'mod', result: 'equal', value: 0 }],
        success: [{ op: 'put', key: 'a', value: { size, bytes: () => Buffer.alloc(length) } }],
      });
    await expect(write(400_000, 2_000_000)).rejects.toMatchObject({ code: 'request-too-large' });
    await write(1_400_000, 1_400_000);
    await store.close();
  });

  it('refuses work after it was closed, and ends its watches', async () => {
    const store = createMemoryStore({ clock: new VirtualClock() });
    const watch = store.watch({ key: 'a' });
    const reading = watch[Symbol.asyncIterator]().next();
    await store.close();
    expect((await reading).done).toBe(true);
    await expect(store.range({ key: 'a' })).rejects.toMatchObject({ code: 'closed' });
  });
});
