import { expect, it } from 'vitest';
import type { KeyValue } from '../store.ts';
import { everyKey } from './key-filter.ts';
import { pairBytes, writePair } from './records.ts';
import { tablesView, type Tables } from './tables.ts';

const stored = (key: string): { key: string; value: Buffer } => {
  const kv = { key, value: Buffer.from(`value of ${key}`), createRevision: 2, modRevision: 3, version: 2, lease: 0n };
  const value = Buffer.alloc(pairBytes(kv));
  writePair(kv, value, 0);
  return { key, value };
};

function viewOf(keys: readonly string[]) {
  const cached = new Map<string, KeyValue>();
  const pairs = { getRange: () => keys.map(stored) };
  const cache = {
    get: (key: string) => cached.get(key),
    set: (kv: KeyValue) => void cached.set(kv.key, kv),
    delete: (key: string) => void cached.delete(key),
  };
  return { view: tablesView({ pairs } as unknown as Tables, { cache, keys: everyKey, slab: true }), cached };
}

it.each([
  { scan: 'a range', isSweep: undefined, caches: ['a', 'b'] },
  { scan: 'a sweep', isSweep: true, caches: [] },
])('of $scan the cache keeps $caches', ({ isSweep, caches }) => {
  const { view, cached } = viewOf(['a', 'b']);
  const seen: string[] = [];
  view.scan('a', undefined, ({ value }) => void seen.push(Buffer.from(value).toString()), isSweep);
  expect(seen).toEqual(['value of a', 'value of b']);
  expect([...cached.keys()]).toEqual(caches);
});

it('takes pairs from the cache also in a sweep', () => {
  const { view, cached } = viewOf(['a']);
  const newer = { key: 'a', value: Buffer.from('cached'), createRevision: 2, modRevision: 3, version: 2, lease: 0n };
  cached.set('a', newer);
  const seen: KeyValue[] = [];
  view.scan('a', undefined, (kv) => void seen.push(kv), true);
  expect(seen).toEqual([newer]);
});
