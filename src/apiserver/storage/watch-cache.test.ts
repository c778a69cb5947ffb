import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore, prefixRange, type Store } from '../../etcd/index.ts';
import { createTestContext, SeededRandom, type TestContext } from '../../kernel/index.ts';
import type { CacheEvent } from './resource-cache.ts';
import { identityTransformer } from './transformer.ts';
import { WatchCache } from './watch-cache.ts';

const PODS = { prefix: '/registry/pods/', namespaced: true, fieldsOf: () => ({}) };
const BOATS = { prefix: '/registry/sea.test/boats/', namespaced: true, fieldsOf: () => ({}) };

const running: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

async function start(
  prepare: (store: Store) => Promise<void> = async () => {},
): Promise<{ ctx: TestContext; store: Store; cache: WatchCache }> {
  const ctx = createTestContext();
  const store = createMemoryStore({ clock: ctx.clock });
  await prepare(store);
  const cache = new WatchCache(ctx, store, identityTransformer);
  await cache.load([PODS]);
  const following = cache.run();
  running.push(async () => {
    ctx.stop();
    await store.close();
    await following;
  });
  return { ctx, store, cache };
}

function putObject(store: Store, key: string, { step = 0, uid }: { step?: number; uid?: string } = {}) {
  const metadata = { name: key.slice(key.lastIndexOf('/') + 1), uid };
  const value = Buffer.from(JSON.stringify({ kind: 'Thing', apiVersion: 'v1', metadata, step }));
  return store.txn({ success: [{ op: 'put', key, value }] });
}

const put = (store: Store, key: string, step = 0): Promise<{ revision: number }> => putObject(store, key, { step });
const putWithUid = (store: Store, key: string, uid: string) => putObject(store, key, { uid });

const contents = (entries: readonly { key: string; revision: number }[]): string[] =>
  entries.map(({ key, revision }) => `${key}@${revision}`);

async function stored(store: Store, prefix: string): Promise<string[]> {
  const { kvs } = await store.range({ ...prefixRange(prefix) });
  return kvs.map(({ key, modRevision }) => `${key}@${modRevision}`);
}

describe('WatchCache', () => {
  it('becomes current after a write outside of the registry, of which no event tells', async () => {
    const { ctx, store, cache } = await start();
    await put(store, 'compact_rev_key');
    const current = cache.waitUntilCurrent();
    await ctx.clock.advance(100);
    await current;
    expect(cache.revision).toBe(await store.revision());
  });

  it('has objects that were stored before it started, and later changes', async () => {
    const { store, cache } = await start((s) => put(s, '/registry/pods/a/one').then(() => undefined));
    expect(cache.cacheOf(PODS.prefix).get('a', 'one')?.object['step']).toBe(0);
    const { revision } = await put(store, '/registry/pods/a/one', 5);
    await cache.waitFor(revision);
    expect(cache.cacheOf(PODS.prefix).get('a', 'one')?.object['step']).toBe(5);
  });

  it('rejects waiting requests when it ends', async () => {
    const { ctx, cache } = await start();
    const waiting = cache.waitFor(1000);
    ctx.stop();
    await expect(waiting).rejects.toMatchObject({ status: { code: 503, message: 'the server is shutting down' } });
    await expect(cache.waitFor(1000)).rejects.toMatchObject({ status: { code: 503 } });
  });

  it('skips objects that cannot be decoded', async () => {
    const { store, cache } = await start();
    await store.txn({ success: [{ op: 'put', key: '/registry/pods/a/broken', value: Buffer.from('{"kind') }] });
    const { revision } = await put(store, '/registry/pods/a/good');
    await cache.waitFor(revision);
    expect(
      cache
        .cacheOf(PODS.prefix)
        .list()
        .map(({ name }) => name),
    ).toEqual(['good']);
  });

  it('lets a client that waits for a future revision retry later', async () => {
    const { ctx, cache } = await start();
    const waiting = cache.waitForClient(1000, { plural: 'configmaps' }).catch((error: Error) => error.message);
    await ctx.clock.advance(3000);
    expect(await waiting).toBe('Timeout: Too large resource version: 1000, current: 1');
  });

  it('does not turn in circles when the store is closed under it', async () => {
    const { ctx, store } = await start();
    await store.close();
    await ctx.clock.advance(1000);
    ctx.stop();
  });

  describe('when history is compacted that it has not seen', () => {
    /** The cache has `kept`, `changed`, `deleted` and `replaced`, and falls behind by what happens to them. */
    async function fallBehind() {
      const ctx = createTestContext();
      const store = createMemoryStore({ clock: ctx.clock });
      const pod = (name: string): string => `${PODS.prefix}a/${name}`;
      const remove = (key: string) => store.txn({ success: [{ op: 'delete', key }] });
      for (const name of ['kept', 'changed', 'deleted']) await put(store, pod(name));
      await putWithUid(store, pod('replaced'), 'first');
      const cache = new WatchCache(ctx, store, identityTransformer);
      await cache.load([PODS]);
      const from = cache.revision;
      const pods = cache.cacheOf(PODS.prefix);
      const seen: string[] = [];
      pods.watch({ scope: '', deliver: ({ type, entry }) => seen.push(`${type} ${entry.name}`) });
      let hasEnded = false;
      pods.watch({ scope: '', deliver: () => {}, end: () => (hasEnded = true) });
      await put(store, pod('changed'), 1);
      await put(store, pod('added'));
      await remove(pod('deleted'));
      await remove(pod('replaced'));
      await putWithUid(store, pod('replaced'), 'second');
      await put(store, `${BOATS.prefix}a/one`);
      await store.compact(await store.revision());
      const following = cache.run();
      running.push(async () => {
        ctx.stop();
        await store.close();
        await following;
      });
      return { ctx, store, cache, pods, seen, from, hasEnded: () => hasEnded };
    }

    it('has the objects of now, and tells watchers within the server what has changed', async () => {
      const { ctx, store, cache, pods, seen, from, hasEnded } = await fallBehind();
      const current = cache.waitUntilCurrent();
      await ctx.clock.advance(1000);
      await current;
      expect(contents(pods.list())).toEqual(await stored(store, PODS.prefix));
      expect(seen.sort()).toEqual([
        'ADDED added',
        'ADDED replaced',
        'DELETED deleted',
        'DELETED replaced',
        'MODIFIED changed',
      ]);
      expect(hasEnded()).toBe(true);
      expect(pods.eventsSince(from, Infinity)).toBeUndefined();
      expect(pods.eventsSince(cache.revision, Infinity)).toEqual([]);
      const { revision } = await put(store, `${PODS.prefix}a/later`);
      await cache.waitFor(revision);
      expect(pods.eventsSince(revision - 1, Infinity)).toHaveLength(1);
    });

    it('loads a resource that is added meanwhile', async () => {
      const { ctx, store, cache } = await fallBehind();
      const adding = cache.add(BOATS);
      await ctx.clock.advance(1000);
      expect(contents((await adding).list())).toEqual(await stored(store, BOATS.prefix));
    });
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'loads a resource while it is written to, seed %i',
    async (seed) => {
      const random = new SeededRandom(`add ${seed}`);
      const { store, cache } = await start();
      const write = async (): Promise<void> => {
        const key = `${BOATS.prefix}${random.integer(2) === 0 ? 'a' : 'b'}/${random.integer(12)}`;
        if (random.integer(3) === 0) await store.txn({ success: [{ op: 'delete', key }] });
        else await put(store, key, random.integer(100));
      };
      for (let i = random.integer(60); i > 0; i--) await write();
      let done = false;
      const writing = (async () => {
        while (!done) await write();
      })();
      for (let i = random.integer(5); i > 0; i--) await Promise.resolve();
      const [added, again] = await Promise.all([cache.add(BOATS), cache.add(BOATS)]);
      expect(again).toBe(added);
      const seen: CacheEvent[] = [];
      const from = cache.revision;
      added.watch({ scope: '', deliver: (event) => seen.push(event) });
      for (let i = 0; i < 30; i++) await write();
      done = true;
      await writing;
      await cache.waitUntilCurrent();
      expect(contents(added.list())).toEqual(await stored(store, BOATS.prefix));
      await checkEvents(store, seen, from);
    },
  );

  /** Exactly the store's own events since `from`, each once. */
  async function checkEvents(store: Store, seen: readonly CacheEvent[], from: number): Promise<void> {
    const history: string[] = [];
    const now = await store.revision();
    if (from < now) {
      for await (const batch of store.watch({ ...prefixRange(BOATS.prefix), startRevision: from + 1 })) {
        for (const { type, kv } of batch.events)
          history.push(`${type === 'put' ? 'put' : 'delete'} ${kv.key}@${kv.modRevision}`);
        if (batch.revision >= now) break;
      }
    }
    expect(
      seen.map(({ type, entry, revision }) => `${type === 'DELETED' ? 'delete' : 'put'} ${entry.key}@${revision}`),
    ).toEqual(history);
  }
});
