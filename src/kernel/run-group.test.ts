import { describe, expect, it } from 'vitest';
import { RunGroup } from './run-group.ts';
import { createTestContext } from './test-context.ts';

describe('RunGroup', () => {
  it('waits for all tasks, also those that are started meanwhile', async () => {
    const { clock } = createTestContext();
    const group = new RunGroup();
    const ended: string[] = [];
    group.start('first', async () => {
      await clock.sleep(10);
      group.start('second', async () => {
        await clock.sleep(10);
        ended.push('second');
      });
      ended.push('first');
    });
    await clock.drive(group.wait());
    expect(ended).toEqual(['first', 'second']);
  });

  it('aborts all on the first failure, waits for them, and fails with it', async () => {
    const ctx = createTestContext();
    const group = new RunGroup({ logger: ctx.logger });
    let cleanedUp = false;
    group.start('steady', async (signal) => {
      await ctx.clock.sleep(1e6, signal).catch(() => ctx.clock.sleep(50));
      cleanedUp = true;
    });
    group.start('fails', async () => {
      await ctx.clock.sleep(10);
      throw new Error('boom');
    });
    group.start('fails while stopping', async (signal) => {
      await ctx.clock.sleep(1e6, signal).catch(() => Promise.reject(new Error('later')));
    });
    await expect(ctx.clock.drive(group.wait())).rejects.toThrow('boom');
    expect(cleanedUp).toBe(true);
    expect(ctx.logLines.join()).toContain('later');
  });

  it('treats a synchronous throw as a failure', async () => {
    const group = new RunGroup();
    group.start('throws', () => {
      throw new Error('at once');
    });
    await expect(group.wait()).rejects.toThrow('at once');
  });

  it('stops with its parent and counts that as a clean end', async () => {
    const ctx = createTestContext();
    const group = new RunGroup({ signal: ctx.signal });
    group.start('a', (signal) => ctx.clock.sleep(1e6, signal));
    group.start('b', (signal) => ctx.clock.sleep(1e6, signal));
    expect(group.running).toEqual(['a', 'b']);
    ctx.stop(new Error('shutting down'));
    await group.wait();
    expect(group.running).toEqual([]);
    expect(group.signal.reason).toEqual(new Error('shutting down'));
  });

  it('starts nothing once stopped', async () => {
    const ctx = createTestContext();
    ctx.stop();
    const group = new RunGroup({ signal: ctx.signal });
    let started = false;
    group.start('late', () => {
      started = true;
    });
    await group.close();
    expect(started).toBe(false);
  });
});
