import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../kernel/index.ts';
import { everyTogether } from './shared-periods.ts';

describe('everyTogether', () => {
  it('fires each in its period, with one timer for those of the same second', async () => {
    const clock = new VirtualClock();
    await clock.advance(100);
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.monotonic()}`);
    everyTogether(clock, 60_000, note('a'));
    await clock.advance(500);
    everyTogether(clock, 60_000, note('b'));
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(1_000);
    everyTogether(clock, 60_000, note('c'));
    expect(clock.pendingTimers).toBe(2);
    await clock.advance(120_000);
    expect(fired).toEqual(['a@60000', 'b@60000', 'c@61000', 'a@120000', 'b@120000', 'c@121000']);
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
