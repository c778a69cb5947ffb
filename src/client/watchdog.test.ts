import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../kernel/index.ts';
import { Watchdog } from './watchdog.ts';

describe('Watchdog', () => {
  it.each([
    { limitMs: 10_000, latestMs: 15_000 },
    { limitMs: 150_000, latestMs: 165_000 },
    { limitMs: 600_000, latestMs: 660_000 },
    { limitMs: 3_600_000, latestMs: 3_660_000 },
  ])('detects silence of $limitMs ms, and no later than after $latestMs', async ({ limitMs, latestMs }) => {
    const clock = new VirtualClock();
    await clock.advance(1);
    let silentAt = 0;
    const watchdog = new Watchdog({ clock, limitMs, onSilence: () => (silentAt = clock.monotonic()) });
    await clock.advance(limitMs / 2);
    watchdog.touch();
    const touchedAt = clock.monotonic();
    await clock.advance(2 * latestMs);
    expect(silentAt - touchedAt).toBeGreaterThanOrEqual(limitMs);
    expect(silentAt - touchedAt).toBeLessThanOrEqual(latestMs);
  });

  it('shares its timer with others that were last touched at about the same time', async () => {
    const clock = new VirtualClock();
    await clock.advance(1);
    for (let i = 0; i < 12; i++) {
      new Watchdog({ clock, limitMs: 600_000, onSilence: () => {} });
      await clock.advance(4_000);
    }
    expect(clock.pendingTimers).toBe(1);
  });
});
