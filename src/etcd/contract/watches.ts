import { describe, expect, it } from 'vitest';
import { prefixRange, type WatchBatch } from '../store.ts';
import {
  brief,
  bytes,
  failureCode,
  ownPrefix,
  put,
  remove,
  takeEvents,
  untilWatching,
  text,
  type ContractTarget,
  type UseStore,
} from './fixture.ts';

export function watchContract(
  use: UseStore,
  { dropsDeletionAtCompaction }: Pick<ContractTarget, 'dropsDeletionAtCompaction'> = {},
): void {
  describe('watches', () => {
    it('replays from a revision and continues with later events', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      const start = await put(store, `${prefix}a`, '1');
      await put(store, `${prefix}b`, '2');
      await remove(store, `${prefix}a`);
      const watch = store.watch({ ...prefixRange(prefix), startRevision: start });
      const replayed = await takeEvents(watch, 3);
      expect(replayed.map(brief(prefix))).toEqual(['put a=1', 'put b=2', 'delete a']);
      const more = takeEvents(watch, 1);
      await put(store, `${prefix}c`, '3');
      expect((await more).map(brief(prefix))).toEqual(['put c=3']);
      watch.cancel();
    });

    it('starts after now without a revision, and sees only its range', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      await put(store, `${prefix}before`);
      const watch = store.watch({ key: `${prefix}b`, rangeEnd: `${prefix}d` });
      const single = store.watch({ key: `${prefix}c` });
      await Promise.all([untilWatching(watch), untilWatching(single)]);
      const seen = Promise.all([takeEvents(watch, 2), takeEvents(single, 1)]);
      for (const name of 'abcd') await put(store, prefix + name, name);
      const [inRange, ofKey] = await seen;
      expect(inRange.map(brief(prefix))).toEqual(['put b=b', 'put c=c']);
      expect(ofKey.map(brief(prefix))).toEqual(['put c=c']);
      watch.cancel();
      single.cancel();
    });

    it('has the revisions of the pair, and for a deletion its key and revision', async () => {
      const { store } = use();
      const key = ownPrefix();
      const created = await put(store, key, '1');
      const updated = await put(store, key, '2');
      const { revision: deleted } = await remove(store, key);
      const watch = store.watch({ key, startRevision: created, prevKv: true });
      const [first, second, third] = await takeEvents(watch, 3);
      watch.cancel();
      expect(first).toMatchObject({ type: 'put', kv: { createRevision: created, modRevision: created, version: 1 } });
      expect(first?.prevKv).toBeUndefined();
      expect(second).toMatchObject({ type: 'put', kv: { createRevision: created, modRevision: updated, version: 2 } });
      expect(text(second!.prevKv!.value)).toBe('1');
      expect(third).toMatchObject({ type: 'delete', kv: { key, modRevision: deleted, createRevision: 0, version: 0 } });
      expect(third!.kv.value.length).toBe(0);
      expect(text(third!.prevKv!.value)).toBe('2');
    });

    it('omits previous pairs unless requested', async () => {
      const { store } = use();
      const key = ownPrefix();
      const start = await put(store, key, '1');
      await put(store, key, '2');
      const watch = store.watch({ key, startRevision: start });
      const events = await takeEvents(watch, 2);
      watch.cancel();
      expect(events.every((event) => event.prevKv === undefined)).toBe(true);
    });

    it('filters puts or deletions', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      const start = await put(store, `${prefix}a`);
      await remove(store, `${prefix}a`);
      await put(store, `${prefix}b`);
      await remove(store, `${prefix}b`);
      const deletions = store.watch({ ...prefixRange(prefix), startRevision: start, filters: ['noput'] });
      const puts = store.watch({ ...prefixRange(prefix), startRevision: start, filters: ['nodelete'] });
      expect((await takeEvents(deletions, 2)).map(brief(prefix))).toEqual(['delete a', 'delete b']);
      expect((await takeEvents(puts, 2)).map(brief(prefix))).toEqual(['put a=v', 'put b=v']);
      deletions.cancel();
      puts.cancel();
    });

    it('delivers all events of a revision in one batch, in the order of the transaction', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      const names = ['z', 'a', 'm', 'b', 'y'];
      const watch = store.watch({ ...prefixRange(prefix), startRevision: (await store.revision()) + 1 });
      const next = watch[Symbol.asyncIterator]().next();
      const success = names.map((name) => ({ op: 'put' as const, key: prefix + name, value: bytes(name) }));
      const { revision } = await store.txn({ success });
      const { value } = (await next) as { value: WatchBatch };
      watch.cancel();
      expect(value.events.map((event) => event.kv.key.slice(prefix.length))).toEqual(names);
      expect(value.revision).toBeGreaterThanOrEqual(revision);
    });

    it('waits for a future revision', async () => {
      const { store } = use();
      const key = ownPrefix();
      const startRevision = (await store.revision()) + 3;
      const watch = store.watch({ key, startRevision });
      const seen = takeEvents(watch, 1);
      for (const value of '1234') await put(store, key, value);
      expect((await seen).map(brief(key))).toEqual(['put =3']);
      watch.cancel();
    });

    it('delivers everything once and in order to a slow reader', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      const startRevision = (await store.revision()) + 1;
      const watch = store.watch({ ...prefixRange(prefix), startRevision });
      const iterator = watch[Symbol.asyncIterator]();
      const seen: string[] = [];
      const writing = (async () => {
        for (let i = 0; i < 300; i += 10) {
          await Promise.all(Array.from({ length: 10 }, (_, n) => put(store, prefix + String(i + n).padStart(4, '0'))));
        }
      })();
      let revision = 0;
      while (seen.length < 300) {
        const { value, done } = await iterator.next();
        if (done) break;
        for (const event of (value as WatchBatch).events) {
          expect(event.kv.modRevision).toBeGreaterThan(revision);
          revision = event.kv.modRevision;
          seen.push(event.kv.key);
        }
        await use().pass(1);
      }
      await writing;
      watch.cancel();
      expect(new Set(seen).size).toBe(300);
      expect(revision).toBe(await store.revision());
    });

    it('reports its progress on request, after earlier events', async () => {
      const { store } = use();
      const key = ownPrefix();
      const watch = store.watch({ key, startRevision: (await store.revision()) + 1 });
      const iterator = watch[Symbol.asyncIterator]();
      await put(store, key);
      const first = (await iterator.next()).value as WatchBatch;
      expect(first.events.length).toBe(1);
      const now = await put(store, `${key}elsewhere`);
      const next = iterator.next();
      watch.requestProgress();
      const progress = (await next).value as WatchBatch;
      expect(progress.events).toEqual([]);
      expect(progress.revision).toBeGreaterThanOrEqual(now);
      watch.cancel();
    });

    it.skipIf(dropsDeletionAtCompaction)(
      'ends with an error where history is compacted, and starts at the compaction itself',
      async () => {
        const { store } = use();
        const prefix = ownPrefix();
        const first = await put(store, `${prefix}a`, '1');
        await put(store, `${prefix}a`, '2');
        const { revision: deleted } = await remove(store, `${prefix}a`);
        const last = await put(store, `${prefix}b`, '3');
        await store.compact(deleted);
        const gone = store.watch({ ...prefixRange(prefix), startRevision: first });
        await expect(takeEvents(gone, 1)).rejects.toMatchObject({ code: 'compacted', compactRevision: deleted });
        const kept = store.watch({ ...prefixRange(prefix), startRevision: deleted });
        const events = await takeEvents(kept, 2);
        kept.cancel();
        expect(events.map(brief(prefix))).toEqual(['delete a', 'put b=3']);
        expect(events.at(-1)!.kv.modRevision).toBe(last);
      },
    );

    it('ends without an error when cancelled', async () => {
      const { store } = use();
      const watch = store.watch({ key: ownPrefix() });
      const reading = takeEvents(watch, 1);
      await use().pass(10);
      watch.cancel();
      expect(await reading).toEqual([]);
    });
  });

  describe('compaction', () => {
    it('refuses earlier revisions and keeps its own', async () => {
      const { store } = use();
      const key = ownPrefix();
      const first = await put(store, key, '1');
      const second = await put(store, key, '2');
      await put(store, key, '3');
      await store.compact(second);
      expect(await failureCode(store.range({ key, revision: first }))).toBe('compacted');
      expect(text((await store.range({ key, revision: second })).kvs[0]!.value)).toBe('2');
      expect(text((await store.range({ key })).kvs[0]!.value)).toBe('3');
      expect(await failureCode(store.compact(second))).toBe('compacted');
      expect(await failureCode(store.compact(first))).toBe('compacted');
      expect(await failureCode(store.compact(1e12))).toBe('future-revision');
      expect(await failureCode(store.txn({ success: [{ op: 'range', key, revision: first }] }))).toBe('compacted');
    });
  });
}
