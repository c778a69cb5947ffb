import { describe, expect, it } from 'vitest';
import { createMemoryStore, type Store } from '../../etcd/index.ts';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { COMPACTION_INTERVAL_MS, runCompactor } from './compactor.ts';

const KEY = 'compact_rev_key';

const put = (store: Store, key: string, value: string): Promise<unknown> =>
  store.txn({ success: [{ op: 'put', key, value: Buffer.from(value) }] });

async function compactions(store: Store): Promise<{ version: number; value: string } | undefined> {
  const { kvs } = await store.range({ key: KEY });
  return kvs[0] && { version: kvs[0].version, value: Buffer.from(kvs[0].value).toString() };
}

/** One write in each interval. */
async function pass(ctx: TestContext, store: Store, intervals: number): Promise<void> {
  for (let i = 0; i < intervals; i++) {
    await put(store, 'k', String(i));
    await ctx.clock.advance(COMPACTION_INTERVAL_MS);
  }
}

/** The store as one that other servers use, too. */
const shared = (store: Store): Store =>
  new Proxy(store, {
    get: (target, name) => {
      if (name === 'isShared') return true;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

async function withStore(run: (ctx: TestContext, store: Store) => Promise<void>): Promise<void> {
  const ctx = createTestContext();
  const store = createMemoryStore({ clock: ctx.clock });
  await run(ctx, shared(store));
  ctx.stop();
  await store.close();
}

describe('the compaction of a shared store', () => {
  it('keeps the history of one interval', () =>
    withStore(async (ctx, store) => {
      const running = runCompactor(ctx, store, COMPACTION_INTERVAL_MS);
      await pass(ctx, store, 1);
      expect(await compactions(store)).toEqual({ version: 1, value: '0' });
      const before = (await store.status()).revision;
      await pass(ctx, store, 1);
      expect(await compactions(store)).toEqual({ version: 2, value: String(before) });
      expect((await store.status()).compactRevision).toBe(before);
      ctx.stop();
      await running;
    }));

  it('runs once in each interval on one of several servers, and on another one when the first has stopped', () =>
    withStore(async (ctx, store) => {
      const first = createTestContext();
      const running = [
        runCompactor({ ...ctx, signal: first.signal }, store, COMPACTION_INTERVAL_MS),
        runCompactor(ctx, store, COMPACTION_INTERVAL_MS),
      ];
      await pass(ctx, store, 4);
      expect((await compactions(store))?.version).toBe(4);
      first.stop();
      await pass(ctx, store, 3);
      expect((await compactions(store))?.version).toBeGreaterThanOrEqual(6);
      ctx.stop();
      await Promise.all(running);
    }));

  it('continues after another server, and after an administrator compacted further', () =>
    withStore(async (ctx, store) => {
      await put(store, KEY, '0');
      await put(store, KEY, '1');
      const running = runCompactor(ctx, store, COMPACTION_INTERVAL_MS);
      await pass(ctx, store, 1);
      expect((await compactions(store))?.version).toBe(2);
      await put(store, 'k', 'x');
      await store.compact(await store.revision());
      await pass(ctx, store, 2);
      expect((await compactions(store))?.version).toBe(4);
      expect(ctx.logLines).toEqual([]);
      ctx.stop();
      await running;
    }));

  it('is disabled with an interval of 0', () =>
    withStore(async (ctx, store) => {
      await runCompactor(ctx, store, 0);
      expect(await compactions(store)).toBeUndefined();
    }));
});

it('a store of one server is compacted without a record in it', async () => {
  const ctx = createTestContext();
  const store = createMemoryStore({ clock: ctx.clock });
  const running = runCompactor(ctx, store, COMPACTION_INTERVAL_MS);
  await pass(ctx, store, 1);
  const before = await store.revision();
  await pass(ctx, store, 1);
  expect((await store.status()).compactRevision).toBe(before);
  await ctx.clock.advance(3 * COMPACTION_INTERVAL_MS);
  expect(await store.revision()).toBe(before + 1);
  expect(await compactions(store)).toBeUndefined();
  expect(ctx.logLines).toEqual([]);
  ctx.stop();
  await running;
  await store.close();
});

describe('the history of a store that no other server uses', () => {
  const kept = async (historyMs: number | undefined, intervals: number, writes = 1): Promise<number> => {
    const ctx = createTestContext();
    const store = createMemoryStore({ clock: ctx.clock });
    const running = runCompactor(ctx, store, COMPACTION_INTERVAL_MS, historyMs);
    for (let i = 0; i < intervals; i++) {
      for (let write = 0; write < writes; write++) await put(store, 'k', String(i));
      await ctx.clock.advance(COMPACTION_INTERVAL_MS);
    }
    const { revision, compactRevision } = await store.status();
    ctx.stop();
    await running;
    await store.close();
    return revision - compactRevision;
  };

  it('is kept for that long, by default for an interval', async () => {
    expect(await kept(undefined, 20)).toBe(1);
    expect(await kept(6 * COMPACTION_INTERVAL_MS, 20)).toBe(6);
    expect(await kept(60 * COMPACTION_INTERVAL_MS, 20)).toBe(21);
  });

  it('is kept for a shorter time when there is much of it', async () => {
    expect(await kept(6 * COMPACTION_INTERVAL_MS, 8, 20_000)).toBe(60_000);
  });
});
