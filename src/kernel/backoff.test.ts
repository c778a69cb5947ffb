import { describe, expect, it } from 'vitest';
import { Backoff } from './backoff.ts';
import { SeededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('Backoff', () => {
  it('grows by its factor up to its cap', () => {
    const backoff = new Backoff({ baseMs: 10, factor: 3, capMs: 100 });
    expect(Array.from({ length: 5 }, () => backoff.next())).toEqual([10, 30, 90, 100, 100]);
    backoff.reset();
    expect(backoff.next()).toBe(10);
  });

  it('adds jitter within its share', () => {
    const backoff = new Backoff({ baseMs: 100, factor: 1, capMs: 100, jitter: 0.5, random: new SeededRandom(1) });
    const delays = Array.from({ length: 200 }, () => backoff.next());
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...delays)).toBeLessThan(150);
    expect(new Set(delays).size).toBeGreaterThan(150);
  });

  it('starts again after a quiet time', async () => {
    const clock = new VirtualClock();
    const backoff = new Backoff({ baseMs: 10, capMs: 1000, resetAfterMs: 60_000, clock });
    expect([backoff.next(), backoff.next()]).toEqual([10, 20]);
    await clock.advance(60_001);
    expect(backoff.next()).toBe(10);
  });

  it('refuses options that need more', () => {
    expect(() => new Backoff({ baseMs: 1, capMs: 1, jitter: 1 })).toThrow('random');
    expect(() => new Backoff({ baseMs: 1, capMs: 1, resetAfterMs: 1 })).toThrow('clock');
  });
});
