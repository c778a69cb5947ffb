import { expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/index.ts';
import type { KeyValue } from '../store.ts';
import { RecentPairs } from './pair-cache.ts';

const pair = (key: string, modRevision: number, bytes = 1000): KeyValue => ({
  key,
  value: Buffer.alloc(bytes),
  createRevision: 1,
  modRevision,
  version: 1,
  lease: 0n,
});

it.each(Array.from({ length: 20 }, (_, seed) => seed))(
  'never has anything but the last that was set, seed %i',
  (seed) => {
    const random = new SeededRandom(`pairs ${seed}`);
    const cache = new RecentPairs(20_000);
    const last = new Map<string, KeyValue>();
    for (let i = 0; i < 2000; i++) {
      const key = `k${random.integer(40)}`;
      if (random.integer(4) === 0) {
        cache.delete(key);
        last.delete(key);
      } else {
        last.set(key, pair(key, i, random.integer(3000)));
        cache.set(last.get(key)!);
      }
      const asked = `k${random.integer(40)}`;
      const found = cache.get(asked);
      if (found !== undefined) expect(found).toBe(last.get(asked));
    }
  },
);

it('keeps the newest pairs, within its limit', () => {
  const cache = new RecentPairs(100_000);
  for (let i = 0; i < 1000; i++) cache.set(pair(`k${i}`, i));
  const kept = Array.from({ length: 1000 }, (_, i) => i).filter((i) => cache.get(`k${i}`));
  expect(kept.at(-1)).toBe(999);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => 1000 - kept.length + i));
  expect(kept.length * 1000).toBeLessThan(100_000);
  expect(kept.length).toBeGreaterThan(35);
});

it('evicts although one key is written again and again', () => {
  const cache = new RecentPairs(100_000);
  for (let i = 0; i < 1000; i++) cache.set(pair('k', i));
  cache.set(pair('other', 1));
  expect([cache.get('k')?.modRevision, cache.get('other')?.modRevision]).toEqual([999, 1]);
});
