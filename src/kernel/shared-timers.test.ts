import { describe, expect, it } from 'vitest';
import { afterTogether, everyTogether } from './shared-timers.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('everyTogether', () => {
  it('fires each in its period, with one timer for those of the same five seconds', async () => {
    const clock = new VirtualClock();
    await clock.advance(100);
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.monotonic()}`);
    everyTogether(clock, 60_000, note('a'));
    await clock.advance(500);
    everyTogether(clock, 60_000, note('b'));
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(5_000);
    everyTogether(clock, 60_000, note('c'));
    expect(clock.pendingTimers).toBe(2);
    await clock.advance(120_000);
    expect(fired).toEqual(['a@60000', 'b@60000', 'c@65000', 'a@120000', 'b@120000', 'c@125000']);
  });

  it('fires those of a longer time together when the caller says so', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.monotonic()}`);
    await clock.advance(1_000);
    everyTogether(clock, 60_000, note('a'), 60_000);
    await clock.advance(50_000);
    everyTogether(clock, 60_000, note('b'), 60_000);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(9_000);
    everyTogether(clock, 60_000, note('c'), 60_000);
    await clock.advance(60_000);
    expect(clock.pendingTimers).toBe(1);
    expect(fired).toEqual(['a@60000', 'b@60000', 'a@120000', 'b@120000', 'c@120000']);
  });

  it('leaves no timer behind, and lets a member end itself or others', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const first = everyTogether(clock, 10_000, () => {
      fired.push('first');
      first.cancel();
    });
    const second = everyTogether(clock, 10_000, () => fired.push('second'));
    await clock.advance(10_000);
    second.cancel();
    second.cancel();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(20_000);
    expect(fired).toEqual(['first', 'second']);
    const again = everyTogether(clock, 10_000, () => fired.push('again'));
    await clock.advance(10_000);
    expect(fired.at(-1)).toBe('again');
    again.cancel();
  });
});

describe('afterTogether', () => {
  it('fires once, up to five seconds late, with one timer for those that are due together', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.monotonic()}`);
    afterTogether(clock, 61_000, note('a'));
    afterTogether(clock, 64_000, note('b'));
    const cancelled = afterTogether(clock, 62_000, note('cancelled'));
    afterTogether(clock, 66_000, note('c'));
    expect(clock.pendingTimers).toBe(2);
    cancelled.cancel();
    await clock.advance(300_000);
    expect(fired).toEqual(['a@65000', 'b@65000', 'c@70000']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('fires later, with more of them, when the caller says so', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.monotonic()}`);
    afterTogether(clock, 61_000, note('a'), 30_000);
    afterTogether(clock, 89_000, note('b'), 30_000);
    afterTogether(clock, 90_000, note('c'), 30_000);
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(90_000);
    expect(fired).toEqual(['a@90000', 'b@90000', 'c@90000']);
  });

  it('may be set again by what fires, and leaves no timer when all are cancelled', async () => {
    const clock = new VirtualClock();
    let fired = 0;
    const again = (): void => {
      if (++fired < 3) afterTogether(clock, 10_000, again);
    };
    afterTogether(clock, 10_000, again);
    await clock.advance(60_000);
    expect(fired).toBe(3);
    afterTogether(clock, 10_000, again).cancel();
    expect(clock.pendingTimers).toBe(0);
  });
});
