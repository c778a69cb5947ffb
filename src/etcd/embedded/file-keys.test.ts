import { expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import { FileKeys } from './file-keys.ts';
import type { Tables } from './tables.ts';

const keyOf = (i: number): string => `/registry/pods/default/web-${String(i).padStart(7, '0')}`;

/** A file with these keys, as far as it is read here. */
function fileWith(count: number): { tables: Tables; add: (key: string) => void; read: () => number } {
  const keys = Array.from({ length: count }, (_, i) => keyOf(i));
  let read = 0;
  const pairs = {
    getStats: () => ({ entryCount: keys.length }),
    getKeys: ({ start, limit }: { start: string; limit: number }) => {
      const some = keys.filter((key) => key >= start).slice(0, limit);
      read += some.length;
      return some;
    },
  };
  return {
    tables: { pairs } as unknown as Tables,
    add: (key) => {
      keys.push(key);
      keys.sort();
    },
    read: () => read,
  };
}

const others = Array.from({ length: 1000 }, (_, i) => `/registry/pods/other/web-${i}`);
const mistaken = (keys: FileKeys): number => others.filter((key) => keys.mayHave(key)).length;

it('reads a small file at once when it gets a new key, and not before', () => {
  const ctx = createTestContext();
  const file = fileWith(1000);
  const keys = new FileKeys(() => file.tables, ctx.clock);
  expect(mistaken(keys)).toBe(others.length);
  keys.add(keyOf(0));
  for (let i = 0; i < 1000; i++) expect(keys.mayHave(keyOf(i))).toBe(true);
  expect(mistaken(keys)).toBeLessThan(20);
});

it('reads a large file in steps, takes any key for present until its end, and misses none that is added meanwhile', async () => {
  const ctx = createTestContext();
  const file = fileWith(35_000);
  const keys = new FileKeys(() => file.tables, ctx.clock);
  keys.add(keyOf(0));
  expect(file.read()).toBe(5_000);
  expect(mistaken(keys)).toBe(others.length);
  const [before, after] = ['/registry/a', '/registry/z'];
  for (const key of [before, after]) {
    file.add(key);
    keys.add(key);
  }
  await until('the file is read', () => mistaken(keys) < 20, { clock: ctx.clock });
  expect(file.read()).toBeGreaterThanOrEqual(35_000);
  for (const key of [before, after, keyOf(0), keyOf(34_999)]) expect(keys.mayHave(key)).toBe(true);
});

it('reads the file again when it has more keys than the filter was made for', async () => {
  const ctx = createTestContext();
  const file = fileWith(10);
  const keys = new FileKeys(() => file.tables, ctx.clock);
  keys.add(keyOf(0));
  expect(file.read()).toBe(10);
  for (let i = 10; i < 40_000; i++) keys.add(keyOf(i));
  expect(file.read()).toBeGreaterThan(10);
  for (let i = 0; i < 10; i++) expect(keys.mayHave(keyOf(i))).toBe(true);
});

it('stops reading when it is closed', async () => {
  const ctx = createTestContext();
  const file = fileWith(35_000);
  const keys = new FileKeys(() => file.tables, ctx.clock);
  keys.add(keyOf(0));
  await keys.close();
  expect(file.read()).toBe(5_000);
});
