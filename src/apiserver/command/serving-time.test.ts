import { expect, it } from 'vitest';
import { createTestContext } from '../../kernel/index.ts';
import { ServingTime } from './serving-time.ts';

it('ends the delay after the signal', async () => {
  const ctx = createTestContext();
  const serving = new ServingTime(ctx, 5000);
  serving.begin();
  ctx.stop();
  await ctx.clock.advance(4999);
  expect(serving.signal.aborted).toBe(false);
  await ctx.clock.advance(1);
  expect(serving.signal.reason).toBe(ctx.signal.reason);
});

it.each([
  ['a server that does not serve yet', 5000, false],
  ['a server without a delay', 0, true],
])('ends %s at once', (_, delayMs, serves) => {
  const ctx = createTestContext();
  const serving = new ServingTime(ctx, delayMs);
  if (serves) serving.begin();
  ctx.stop();
  expect(serving.signal.aborted).toBe(true);
});

it('waits for nothing once the server has ended', async () => {
  const ctx = createTestContext();
  const serving = new ServingTime(ctx, 5000);
  serving.begin();
  ctx.stop();
  serving.end();
  await ctx.clock.advance(6000);
  expect(serving.signal.aborted).toBe(false);
});
