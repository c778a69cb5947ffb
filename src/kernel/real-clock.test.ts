import { describe, expect, it } from 'vitest';
import { DeadlineExceeded } from './clock.ts';
import { RealClock } from './real-clock.ts';

describe('RealClock', () => {
  const clock = new RealClock();

  it('agrees with the wall clock to the millisecond', () => {
    for (let i = 0; i < 1000; i++) {
      const before = Date.now();
      const now = clock.now();
      expect(now).toBeGreaterThanOrEqual(before);
      expect(now).toBeLessThan(Date.now() + 1);
    }
  });

  it('sleeps, and stops sleeping when aborted', async () => {
    const start = clock.monotonic();
    await clock.sleep(20);
    expect(clock.monotonic() - start).toBeGreaterThan(15);
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
  });

  it("does not fire at once for delays beyond the limit of Node's timers", async () => {
    let fired = false;
    const timer = clock.after(2 ** 33, () => (fired = true));
    await clock.sleep(10);
    timer.cancel();
    expect(fired).toBe(false);
  });

  it('cancels timers and aborts deadlines', async () => {
    let count = 0;
    const periodic = clock.every(1, () => count++);
    clock.after(1, () => (count = 1000)).cancel();
    const deadline = clock.deadline(5);
    await clock.sleep(30);
    periodic.cancel();
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(1000);
    expect(deadline.reason).toBeInstanceOf(DeadlineExceeded);
  });
});
