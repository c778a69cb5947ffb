import { expect, it } from 'vitest';
import { createTestContext } from '../kernel/index.ts';
import { Deadlines } from './deadlines.ts';

it('fires each after its time, in order, except cancelled ones', async () => {
  const { clock } = createTestContext();
  const deadlines = new Deadlines(clock, 100);
  const fired: string[] = [];
  const at = (name: string) => deadlines.after(100, () => fired.push(name));
  const first = at('first');
  await clock.advance(30);
  at('second');
  await clock.advance(30);
  const third = at('third');
  first.cancel();
  await clock.advance(69);
  expect(fired).toEqual([]);
  await clock.advance(1);
  expect(fired).toEqual(['second']);
  third.cancel();
  await clock.advance(1_000);
  expect(fired).toEqual(['second']);
  at('fourth');
  await clock.advance(100);
  expect(fired).toEqual(['second', 'fourth']);
});
