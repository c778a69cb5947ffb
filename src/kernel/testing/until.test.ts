import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../index.ts';
import { until } from './index.ts';

describe('until', () => {
  it('checks at once, then after each interval', async () => {
    const clock = new VirtualClock();
    const checkedAt: number[] = [];
    await until('three checks', () => checkedAt.push(clock.monotonic()) === 3, { clock, intervalMs: 50 });
    expect(checkedAt).toEqual([0, 50, 100]);
  });

  it('fails at its limit and names the expected condition', async () => {
    const clock = new VirtualClock();
    const waiting = until('the pod runs', () => Promise.resolve(false), {
      clock,
      limitMs: 130,
      intervalMs: (passedMs) => 50 + passedMs,
      details: () => `at ${clock.monotonic()}`,
    });
    await expect(waiting).rejects.toThrow('after 130 ms: the pod runs\nat 130');
  });

  it('waits on the machine’s clock without one', async () => {
    let checks = 0;
    await until('two checks', () => ++checks === 2, { intervalMs: 1 });
    await expect(until('never', () => false, { limitMs: 5, intervalMs: 1 })).rejects.toThrow('after 5 ms: never');
  });
});
