import { expect, it } from 'vitest';
import { filterSliced, sortSliced, type Sliced } from './sliced.ts';

function finished<T>(work: Sliced<T>): { result: T; steps: number } {
  for (let steps = 0; ; steps++) {
    const { done, value } = work.next();
    if (done) return { result: value, steps };
  }
}

it.each([0, 1, 2, 499, 500, 501, 4321])('sorts %i items as a stable sort does, in steps', (count) => {
  const items = Array.from({ length: count }, (_, at) => ({ key: (at * 7919) % 97, at }));
  const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
  const { result, steps } = finished(sortSliced(items, compare));
  expect(result).toEqual([...items].sort(compare));
  expect(steps).toBeGreaterThanOrEqual(Math.floor(count / 500));
});

it('filters in steps', () => {
  const items = Array.from({ length: 1234 }, (_, at) => at);
  const { result, steps } = finished(filterSliced(items, (item) => item % 2 === 0));
  expect(result).toEqual(items.filter((item) => item % 2 === 0));
  expect(steps).toBe(3);
});
