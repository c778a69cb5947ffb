import fc from 'fast-check';
import { expect, it } from 'vitest';
import { deduplicate } from './strategic-merge-patch.ts';

/** The rule, item by item. */
function slowly(items: unknown[]): unknown[] {
  for (let i = 0; i < items.length - 1; i++) {
    for (let j = i + 1; j < items.length; j++) {
      if (items[i] !== items[j]) continue;
      const last = items.pop();
      if (j < items.length) items[j--] = last;
    }
  }
  return items;
}

it('agrees with comparing every pair of items', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 20 }), (items) => {
      expect(deduplicate([...items])).toEqual(slowly([...items]));
    }),
  );
});

it('takes linear time for many items', () => {
  const before = process.cpuUsage();
  deduplicate([...Array.from({ length: 100_000 }, (_, i) => i), ...Array.from({ length: 100_000 }, (_, i) => i)]);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
});
