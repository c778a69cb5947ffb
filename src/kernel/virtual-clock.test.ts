import { describe, expect, it } from 'vitest';
import { DeadlineExceeded } from './clock.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('VirtualClock', () => {
  it('starts at the given time and moves only when it is advanced', async () => {
    const clock = new VirtualClock({ startTime: 1000 });
    expect([clock.now(), clock.monotonic()]).toEqual([1000, 0]);
    await clock.advance(250);
    expect([clock.now(), clock.monotonic()]).toEqual([1250, 250]);
  });

  it('fires timers by due time, then by order of creation', async () => {
    const clock = new VirtualClock({ startTime: 0 });
    const fired: string[] = [];
    clock.after(20, () => fired.push(`c@${clock.now()}`));
    clock.after(10, () => fired.push(`a@${clock.now()}`));
    clock.after(10, () => fired.push(`b@${clock.now()}`));
    await clock.advance(19);
    expect(fired).toEqual(['a@10', 'b@10']);
    await clock.advance(1);
    expect(fired).toEqual(['a@10', 'b@10', 'c@20']);
  });

  it('runs promise chains of any length between two timers', async () => {
    const clock = new VirtualClock({ startTime: 0 });
    const trace: string[] = [];
    const work = async (name: string, delay: number): Promise<void> => {
      await clock.sleep(delay);
      for (let i = 0; i < 50; i++) await Promise.resolve();
      trace.push(`${name}@${clock.now()}`);
      await clock.sleep(5);
      trace.push(`${name}@${clock.now()}`);
    };
    const all = Promise.all([work('x', 10), work('y', 12)]);
    await clock.advance(100);
    await all;
    expect(trace).toEqual(['x@10', 'y@12', 'x@15', 'y@17']);
  });

  it('fires timers that timers set, at their own time', async () => {
    const clock = new VirtualClock({ startTime: 0 });
    const fired: number[] = [];
    clock.after(10, () => clock.after(10, () => fired.push(clock.now())));
    await clock.advance(20);
    expect(fired).toEqual([20]);
  });

  it('always progresses when a timer is set for the rest of a wait', async () => {
    const clock = new VirtualClock({ startTime: 1_767_225_600_000 });
    const until = 0.1 + 0.2 + 1 / 3;
    let fired = 0;
    const arm = (): void =>
      void clock.after(until - clock.monotonic(), () => ++fired < 100 && clock.monotonic() < until && arm());
    arm();
    await clock.advance(0.1);
    await clock.advance(0.7);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(until);
    expect(fired).toBeLessThan(3);
    clock.after(1e-12, () => (fired = -1));
    const before = clock.monotonic();
    await clock.step();
    expect(fired).toBe(-1);
    expect(clock.monotonic()).toBeGreaterThan(before);
  });

  it('repeats until cancelled', async () => {
    const clock = new VirtualClock({ startTime: 0 });
    const fired: number[] = [];
    const timer = clock.every(10, () => fired.push(clock.now()));
    await clock.advance(35);
    timer.cancel();
    await clock.advance(100);
    expect(fired).toEqual([10, 20, 30]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('allows a periodic timer to cancel itself', async () => {
    const clock = new VirtualClock();
    let count = 0;
    const timer = clock.every(10, () => {
      if (++count === 2) timer.cancel();
    });
    await clock.runUntilIdle();
    expect(count).toBe(2);
  });

  it('rejects a sleep with the reason of its signal and drops its timer', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();
    const sleeping = clock.sleep(1000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pendingTimers).toBe(0);
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow('enough');
  });

  it('aborts a deadline in time, or with its parent', async () => {
    const clock = new VirtualClock();
    const parent = new AbortController();
    const first = clock.deadline(100, parent.signal);
    const second = clock.deadline(1000, parent.signal);
    await clock.advance(100);
    expect(first.reason).toBeInstanceOf(DeadlineExceeded);
    expect(second.aborted).toBe(false);
    parent.abort('stop');
    expect(second.reason).toBe('stop');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([-86_400_000, 86_400_000])(
    'does not change timers or monotonic time when the wall clock jumps by %i ms',
    async (jump) => {
      const clock = new VirtualClock({ startTime: 1_000_000_000 });
      const fired: number[] = [];
      clock.after(1000, () => fired.push(clock.monotonic()));
      clock.jump(jump);
      expect(clock.now()).toBe(1_000_000_000 + jump);
      expect(clock.monotonic()).toBe(0);
      expect(clock.nextTimerAt).toBe(clock.now() + 1000);
      await clock.advance(2000);
      expect(fired).toEqual([1000]);
    },
  );

  it('drives a promise to its end', async () => {
    const clock = new VirtualClock({ startTime: 0 });
    const work = clock.sleep(5_000).then(() => clock.now());
    expect(await clock.drive(work)).toBe(5_000);
    await expect(clock.drive(clock.sleep(1).then(() => Promise.reject(new Error('failed'))))).rejects.toThrow('failed');
  });

  it.each([
    ['no timer is left', (clock: VirtualClock) => clock.runUntil(() => false), 'no timer is left'],
    [
      'the limit passes',
      (clock: VirtualClock) => (clock.every(10, () => {}), clock.runUntilIdle(1000)),
      '1000 ms of virtual time passed',
    ],
  ])('reports why it stopped when %s', async (_name, run, message) => {
    await expect(run(new VirtualClock())).rejects.toThrow(message);
  });

  it('refuses to be moved by two callers at once', async () => {
    const clock = new VirtualClock();
    const first = clock.advance(10);
    await expect(clock.advance(10)).rejects.toThrow('already being moved');
    await first;
  });
});
