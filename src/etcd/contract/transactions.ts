import { describe, expect, it } from 'vitest';
import { type Compare, prefixRange, type TxnOperation } from '../store.ts';
import { bytes, failureCode, get, ownPrefix, put, text, type UseStore } from './fixture.ts';

const putOf = (key: string, value = 'v'): TxnOperation => ({ op: 'put', key, value: bytes(value) });

export function transactionContract(use: UseStore): void {
  describe('transactions', () => {
    interface CompareRow {
      name: string;
      compare(key: string, revision: number): Compare;
      holds: boolean;
    }
    const compares: CompareRow[] = [
      { name: 'mod equal', compare: (key, value) => ({ key, target: 'mod', result: 'equal', value }), holds: true },
      {
        name: 'mod not equal',
        compare: (key, value) => ({ key, target: 'mod', result: 'not-equal', value }),
        holds: false,
      },
      {
        name: 'mod greater',
        compare: (key, value) => ({ key, target: 'mod', result: 'greater', value: value - 1 }),
        holds: true,
      },
      { name: 'mod less', compare: (key, value) => ({ key, target: 'mod', result: 'less', value }), holds: false },
      { name: 'create less', compare: (key, value) => ({ key, target: 'create', result: 'less', value }), holds: true },
      { name: 'version', compare: (key) => ({ key, target: 'version', result: 'equal', value: 2 }), holds: true },
      {
        name: 'value equal',
        compare: (key) => ({ key, target: 'value', result: 'equal', value: bytes('two') }),
        holds: true,
      },
      {
        name: 'value greater',
        compare: (key) => ({ key, target: 'value', result: 'greater', value: bytes('tw') }),
        holds: true,
      },
      { name: 'lease', compare: (key) => ({ key, target: 'lease', result: 'equal', value: 0n }), holds: true },
      {
        name: 'mod of a missing key is 0',
        compare: (key) => ({ key: `${key}-none`, target: 'mod', result: 'equal', value: 0 }),
        holds: true,
      },
      {
        name: 'create of a missing key is 0',
        compare: (key) => ({ key: `${key}-none`, target: 'create', result: 'greater', value: 0 }),
        holds: false,
      },
      {
        name: 'value of a missing key never holds',
        compare: (key) => ({ key: `${key}-none`, target: 'value', result: 'equal', value: bytes('') }),
        holds: false,
      },
      {
        name: 'every key of a range',
        compare: (key) => ({ ...prefixRange(key), target: 'version', result: 'greater', value: 0 }),
        holds: true,
      },
      {
        name: 'not every key of a range',
        compare: (key) => ({ ...prefixRange(key), target: 'version', result: 'equal', value: 2 }),
        holds: false,
      },
    ];
    it.each(compares)('compares $name', async ({ compare, holds }) => {
      const { store } = use();
      const key = ownPrefix();
      await put(store, key, 'one');
      const revision = await put(store, key, 'two');
      await put(store, `${key}sibling`);
      const result = await store.txn({
        compare: [compare(key, revision)],
        success: [{ op: 'range', key }],
        failure: [putOf(`${key}failed`)],
      });
      expect(result.succeeded).toBe(holds);
      expect(result.responses.map((response) => response.op)).toEqual([holds ? 'range' : 'put']);
    });

    it('needs all comparisons to hold', async () => {
      const { store } = use();
      const key = ownPrefix();
      const absent: Compare = { key, target: 'mod', result: 'equal', value: 0 };
      const result = await store.txn({ compare: [absent, { ...absent, result: 'greater' }], success: [putOf(key)] });
      expect(result).toMatchObject({ succeeded: false, responses: [] });
      expect(await get(store, key)).toBeUndefined();
    });

    it('writes all operations at one revision, and reads its own writes', async () => {
      const { store } = use();
      const prefix = ownPrefix();
      const before = await put(store, `${prefix}old`, 'x');
      const result = await store.txn({
        success: [
          { op: 'range', ...prefixRange(prefix) },
          putOf(`${prefix}a`, '1'),
          { op: 'delete', key: `${prefix}old`, prevKv: true },
          putOf(`${prefix}b`, '2'),
          { op: 'range', ...prefixRange(prefix) },
          { op: 'range', ...prefixRange(prefix), revision: before },
        ],
      });
      expect(result.revision).toBe(before + 1);
      const [first, , deleted, , last, old] = result.responses;
      expect(first).toMatchObject({ op: 'range', count: 1, revision: before });
      expect(deleted).toMatchObject({
        op: 'delete',
        deleted: 1,
        prevKvs: [{ key: `${prefix}old`, modRevision: before }],
      });
      expect(last).toMatchObject({ op: 'range', count: 2, revision: before + 1 });
      expect(last?.op === 'range' && last.kvs.every((kv) => kv.modRevision === before + 1)).toBe(true);
      expect(old?.op === 'range' && old.kvs.map((kv) => kv.key)).toEqual([`${prefix}old`]);
    });

    it('does not increase the revision when it only reads', async () => {
      const { store } = use();
      const before = await store.revision();
      const result = await store.txn({ success: [{ op: 'range', key: ownPrefix() }] });
      expect(result.revision).toBe(before);
      expect((await store.txn({})).revision).toBe(before);
      expect(await store.revision()).toBe(before);
    });

    it('returns the previous pair of a put on request', async () => {
      const { store } = use();
      const key = ownPrefix();
      await put(store, key, 'before');
      const { responses } = await store.txn({ success: [{ op: 'put', key, value: bytes('after'), prevKv: true }] });
      const [response] = responses;
      expect(response?.op === 'put' && text(response.prevKv!.value)).toBe('before');
    });

    it('keeps value or lease of the pair with ignoreValue or ignoreLease', async () => {
      const { store } = use();
      const key = ownPrefix();
      const { id } = await store.leaseGrant({ ttl: 600 });
      await put(store, key, 'kept', id);
      await store.txn({ success: [{ op: 'put', key, value: bytes(''), ignoreValue: true }] });
      expect(await get(store, key)).toMatchObject({
        lease: 0n,
        version: 2,
        value: expect.toSatisfy((v: Uint8Array) => text(v) === 'kept'),
      });
      await put(store, key, 'kept', id);
      await store.txn({ success: [{ op: 'put', key, value: bytes('new'), ignoreLease: true }] });
      expect(await get(store, key)).toMatchObject({ lease: id, version: 4 });
      await store.leaseRevoke(id);
    });

    it('runs nested transactions on the state before the outer one wrote', async () => {
      const { store } = use();
      const key = ownPrefix();
      const result = await store.txn({
        success: [
          putOf(key),
          {
            op: 'txn',
            compare: [{ key, target: 'version', result: 'equal', value: 0 }],
            success: [putOf(`${key}inner`)],
            failure: [putOf(`${key}wrong`)],
          },
        ],
      });
      expect(result.responses[1]).toMatchObject({ op: 'txn', succeeded: true, responses: [{ op: 'put' }] });
      expect(await get(store, `${key}inner`)).toMatchObject({ modRevision: result.revision });
    });

    const refusals: { name: string; code: string; operations(key: string): TxnOperation[] }[] = [
      { name: 'a put without a key', code: 'empty-key', operations: () => [putOf('')] },
      { name: 'a deletion without a key', code: 'empty-key', operations: () => [{ op: 'delete', key: '' }] },
      { name: 'a key put twice', code: 'duplicate-key', operations: (key) => [putOf(key), putOf(key)] },
      {
        name: 'a put within a deleted range',
        code: 'duplicate-key',
        operations: (key) => [{ op: 'delete', ...prefixRange(key) }, putOf(`${key}a`)],
      },
      {
        name: 'a key put inside and outside',
        code: 'duplicate-key',
        operations: (key) => [{ op: 'txn', success: [putOf(key)] }, putOf(key)],
      },
      {
        name: 'more than 128 operations',
        code: 'too-many-operations',
        operations: (key) => Array.from({ length: 129 }, (_, i) => putOf(key + i)),
      },
      {
        name: 'a value with ignoreValue',
        code: 'value-provided',
        operations: (key) => [{ op: 'put', key, value: bytes('x'), ignoreValue: true }],
      },
      {
        name: 'a lease with ignoreLease',
        code: 'lease-provided',
        operations: (key) => [{ op: 'put', key, value: bytes('x'), lease: 1n, ignoreLease: true }],
      },
      {
        name: 'ignoreValue on a missing key',
        code: 'key-not-found',
        operations: (key) => [{ op: 'put', key, value: bytes(''), ignoreValue: true }],
      },
      {
        name: 'a lease that does not exist',
        code: 'lease-not-found',
        operations: (key) => [putOf(`${key}1`), { op: 'put', key, value: bytes('x'), lease: 4242n }],
      },
      {
        name: 'a read at a future revision',
        code: 'future-revision',
        operations: (key) => [putOf(key), { op: 'range', key, revision: 1e12 }],
      },
    ];
    it.each(refusals)('refuses $name and writes nothing', async ({ code, operations }) => {
      const { store } = use();
      const prefix = ownPrefix();
      const before = await store.revision();
      expect(await failureCode(store.txn({ success: operations(prefix) }))).toBe(code);
      expect(await store.revision()).toBe(before);
      expect((await store.range(prefixRange(prefix))).count).toBe(0);
    });

    it('allows both branches of a nested transaction to put the same key', async () => {
      const { store } = use();
      const key = ownPrefix();
      const { responses } = await store.txn({ success: [{ op: 'txn', success: [putOf(key)], failure: [putOf(key)] }] });
      expect(responses).toMatchObject([{ op: 'txn', succeeded: true }]);
    });

    it('lets one of many concurrent compare-and-sets win each round', async () => {
      const { store } = use();
      const key = ownPrefix();
      const attempt = async (): Promise<boolean> => {
        const current = await get(store, key);
        const result = await store.txn({
          compare: [{ key, target: 'mod', result: 'equal', value: current?.modRevision ?? 0 }],
          success: [putOf(key, String(Number(current === undefined ? 0 : text(current.value)) + 1))],
        });
        return result.succeeded;
      };
      let won = 0;
      for (let round = 0; round < 10; round++) {
        won += (await Promise.all(Array.from({ length: 20 }, attempt))).filter(Boolean).length;
      }
      expect(text((await get(store, key))!.value)).toBe(String(won));
      expect(won).toBeGreaterThanOrEqual(10);
    });
  });
}
