import { describe, expect, it } from 'vitest';
import { prefixRange, type RangeRequest } from '../store.ts';
import { bytes, failureCode, get, ownPrefix, put, remove, text, type UseStore } from './fixture.ts';

export function keyValueContract(use: UseStore): void {
  describe('keys and values', () => {
    it('assigns the next revision to each write, and create revision, mod revision and version to the pair', async () => {
      const { store } = use();
      const key = `${ownPrefix()}a`;
      const before = await store.revision();
      const first = await put(store, key, '1');
      expect(first).toBe(before + 1);
      const second = await put(store, key, '2');
      expect(second).toBe(before + 2);
      expect(await get(store, key)).toMatchObject({
        createRevision: first,
        modRevision: second,
        version: 2,
        lease: 0n,
      });
      await remove(store, key);
      expect(await get(store, key)).toBeUndefined();
      const again = await put(store, key, '3');
      expect(await get(store, key)).toMatchObject({ createRevision: again, modRevision: again, version: 1 });
      expect(await store.revision()).toBe(before + 4);
    });

    it('keeps arbitrary bytes in keys and values', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      const all = Uint8Array.from({ length: 256 }, (_, i) => i);
      const key = prefix + String.fromCharCode(...all);
      await store.txn({ success: [{ op: 'put', key, value: all }] });
      const pair = await get(store, key);
      expect(pair?.key).toBe(key);
      expect(Array.from(pair!.value)).toEqual(Array.from(all));
      await put(store, `${prefix}empty`, '');
      expect((await get(store, `${prefix}empty`))?.value.length).toBe(0);
    });

    it('does not count a deletion that deletes nothing as a revision', async () => {
      const { store } = use();
      const before = await store.revision();
      expect(await remove(store, `${ownPrefix()}none`)).toEqual({ revision: before, deleted: 0 });
      expect(await store.revision()).toBe(before);
    });

    it('deletes a range at one revision', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      for (const name of ['a', 'b', 'c']) await put(store, prefix + name);
      const before = await store.revision();
      expect(await remove(store, `${prefix}a`, `${prefix}c`)).toEqual({ revision: before + 1, deleted: 2 });
      expect((await store.range(prefixRange(prefix))).kvs.map((kv) => kv.key)).toEqual([`${prefix}c`]);
    });

    describe('ranges', () => {
      interface Row {
        name: string;
        request(prefix: string): RangeRequest;
        keys: string;
        count: number;
        more?: boolean;
      }
      const rows: Row[] = [
        { name: 'one key', request: (p) => ({ key: `${p}b` }), keys: 'b', count: 1 },
        {
          name: 'an interval without its end',
          request: (p) => ({ key: `${p}b`, rangeEnd: `${p}d` }),
          keys: 'bc',
          count: 2,
        },
        { name: 'a prefix', request: (p) => prefixRange(p), keys: 'abcd', count: 4 },
        { name: 'a limit', request: (p) => ({ ...prefixRange(p), limit: 2 }), keys: 'ab', count: 4, more: true },
        {
          name: 'a limit that is just enough',
          request: (p) => ({ ...prefixRange(p), limit: 4 }),
          keys: 'abcd',
          count: 4,
        },
        { name: 'a negative limit', request: (p) => ({ ...prefixRange(p), limit: -1 }), keys: 'abcd', count: 4 },
        { name: 'only the count', request: (p) => ({ ...prefixRange(p), countOnly: true }), keys: '', count: 4 },
        { name: 'an end before the start', request: (p) => ({ key: `${p}c`, rangeEnd: `${p}a` }), keys: '', count: 0 },
        { name: 'an end at the start', request: (p) => ({ key: `${p}c`, rangeEnd: `${p}c` }), keys: '', count: 0 },
        {
          name: 'keys descending',
          request: (p) => ({ ...prefixRange(p), sort: { target: 'key', order: 'descend' } }),
          keys: 'dcba',
          count: 4,
        },
        {
          name: 'by value',
          request: (p) => ({ ...prefixRange(p), sort: { target: 'value', order: 'ascend' } }),
          keys: 'dcba',
          count: 4,
        },
        {
          name: 'by mod revision, newest two',
          request: (p) => ({ ...prefixRange(p), limit: 2, sort: { target: 'mod', order: 'descend' } }),
          keys: 'ad',
          count: 4,
          more: true,
        },
        {
          name: 'by create revision',
          request: (p) => ({ ...prefixRange(p), sort: { target: 'create', order: 'descend' } }),
          keys: 'dcba',
          count: 4,
        },
        {
          name: 'by version',
          request: (p) => ({ ...prefixRange(p), limit: 1, sort: { target: 'version', order: 'descend' } }),
          keys: 'a',
          count: 4,
          more: true,
        },
      ];
      it.each(rows)('$name', async ({ request, keys, count, more }) => {
        const { store } = use();
        const prefix = ownPrefix();
        for (const [i, name] of [...'abcd'].entries()) await put(store, prefix + name, String(9 - i));
        await put(store, `${prefix}a`, '9');
        const result = await store.range(request(prefix));
        expect(result.kvs.map((kv) => kv.key.slice(prefix.length)).join('')).toBe(keys);
        expect(result.count).toBe(count);
        expect(result.more).toBe(more ?? false);
        expect(result.revision).toBe(await store.revision());
      });

      it('everything from a key on', async () => {
        const { store } = use();
        await put(store, '\xff\xff\xfea');
        await put(store, '\xff\xff\xffb');
        const result = await store.range({ key: '\xff\xff', rangeEnd: '\0' });
        expect(result.kvs.map((kv) => kv.key)).toEqual(['\xff\xff\xfea', '\xff\xff\xffb']);
        await remove(store, '\xff\xff', '\0');
      });

      it('filters by revision before the limit, and counts all keys', async () => {
        const { store } = use();
        const prefix = ownPrefix();
        const revisions: number[] = [];
        for (const name of 'abcd') revisions.push(await put(store, prefix + name));
        const [, second, third] = revisions;
        const result = await store.range({
          ...prefixRange(prefix),
          minModRevision: second,
          maxModRevision: third,
          limit: 1,
        });
        expect(result.kvs.map((kv) => kv.key)).toEqual([`${prefix}b`]);
        expect(result).toMatchObject({ count: 4, more: true });
        const created = await store.range({
          ...prefixRange(prefix),
          minCreateRevision: third,
          maxCreateRevision: third,
        });
        expect(created.kvs.map((kv) => kv.key)).toEqual([`${prefix}c`]);
      });

      it('omits the values with keysOnly', async () => {
        const { store } = use();
        const key = ownPrefix();
        await put(store, key, 'long');
        const { kvs } = await store.range({ key, keysOnly: true });
        expect(kvs[0]).toMatchObject({ key, version: 1 });
        expect(kvs[0]!.value.length).toBe(0);
      });
    });

    it('reads the state at an older revision: changed, deleted and later keys', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      await put(store, `${prefix}changed`, 'old');
      const then = await put(store, `${prefix}deleted`, 'there');
      await put(store, `${prefix}changed`, 'new');
      await remove(store, `${prefix}deleted`);
      const now = await put(store, `${prefix}later`);
      const at = async (revision: number) => {
        const result = await store.range({ ...prefixRange(prefix), revision });
        expect(result.revision).toBe(now);
        expect(result.count).toBe(result.kvs.length);
        return result.kvs.map((kv) => `${kv.key.slice(prefix.length)}=${text(kv.value)}`);
      };
      expect(await at(then)).toEqual(['changed=old', 'deleted=there']);
      expect(await at(then - 1)).toEqual(['changed=old']);
      expect(await at(then + 1)).toEqual(['changed=new', 'deleted=there']);
      expect(await at(now)).toEqual(['changed=new', 'later=v']);
      const limited = await store.range({ ...prefixRange(prefix), revision: then, limit: 1 });
      expect(limited).toMatchObject({ count: 2, more: true });
    });

    it.each([
      { name: 'a range without a key', code: 'empty-key', request: { key: '', rangeEnd: '\0' } },
      { name: 'a range at a future revision', code: 'future-revision', request: { key: 'a', revision: 1e12 } },
    ])('refuses $name', async ({ request, code }) => {
      expect(await failureCode(use().store.range(request))).toBe(code);
    });

    it('refuses a request that is too large', async () => {
      const { store } = use();
      const key = ownPrefix();
      const huge = new Uint8Array(1.5 * 1024 * 1024 + 1);
      expect(await failureCode(store.txn({ success: [{ op: 'put', key, value: huge }] }))).toBe('request-too-large');
      const large = new Uint8Array(1024 * 1024).fill(7);
      await store.txn({ success: [{ op: 'put', key, value: large }] });
      expect(Buffer.compare((await get(store, key))!.value, large)).toBe(0);
      await store.txn({ success: [{ op: 'put', key, value: bytes('') }] });
    });
  });
}
