import { describe, expect, it } from 'vitest';
import { BloomFilter } from './key-filter.ts';

const keyOf = (i: number): string => `/registry/pods/default/web-${i.toString(36)}`;

describe('a filter of keys', () => {
  it.each([0, 1000, 100_000])('sized for %d keys finds all of them, and few others', (keys) => {
    const filter = new BloomFilter(keys);
    const held = Math.max(keys, 1000);
    for (let i = 0; i < held; i++) filter.add(keyOf(i));
    let missed = 0;
    for (let i = 0; i < held; i++) if (!filter.mayHave(keyOf(i))) missed++;
    expect(missed).toBe(0);
    let mistaken = 0;
    for (let i = held; i < held + 10_000; i++) if (filter.mayHave(keyOf(i))) mistaken++;
    expect(mistaken).toBeLessThan(50);
    expect(filter.isFull).toBe(false);
  });

  it('reports that it has more keys than it was sized for', () => {
    const filter = new BloomFilter(20_000);
    for (let i = 0; i <= 40_000; i++) filter.add(keyOf(i));
    expect(filter.isFull).toBe(true);
  });
});
