import { describe, expect, it } from 'vitest';
import { endInOrder } from './end-in-order.ts';
import { createTestContext } from './test-context.ts';

const never = (): Promise<never> => new Promise(() => {});

describe('ending parts in order', () => {
  it('ends one after the other, and leaves no timer', async () => {
    const ctx = createTestContext();
    const ended: string[] = [];
    const part = (name: string) => ({
      name,
      limitMs: 1000,
      end: () => ctx.clock.sleep(10).then(() => ended.push(name)),
    });
    const ending = endInOrder(ctx, [part('a'), part('b')]);
    await ctx.clock.advance(10);
    expect(ended).toEqual(['a']);
    await ctx.clock.advance(10);
    await ending;
    expect([ended, ctx.clock.pendingTimers]).toEqual([['a', 'b'], 0]);
  });

  it('names a part that does not end, and ends the others', async () => {
    const ctx = createTestContext();
    const ended: string[] = [];
    const ending = endInOrder(ctx, [
      { name: 'pods', limitMs: 1000, end: never, running: () => ['probes', 'volumes'] },
      { name: 'server', limitMs: 1000, end: async () => void ended.push('server') },
    ]);
    await ctx.clock.advance(999);
    expect(ended).toEqual([]);
    await ctx.clock.advance(1);
    await ending;
    expect(ended).toEqual(['server']);
    expect(ctx.logLines.join('\n')).toMatch(/Failed to stop in time.*part="pods".*stillRunning="probes, volumes"/);
  });

  it('ends the others after one that fails, and throws its error', async () => {
    const ctx = createTestContext();
    const ended: string[] = [];
    const ending = endInOrder(ctx, [
      { name: 'a', limitMs: 1000, end: () => Promise.reject(new Error('broken')) },
      { name: 'b', limitMs: 1000, end: async () => void ended.push('b') },
    ]);
    await expect(ending).rejects.toThrow('broken');
    expect(ended).toEqual(['b']);
  });
});
