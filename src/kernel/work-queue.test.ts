import { describe, expect, it } from 'vitest';
import { PrometheusRegistry } from './metrics-registry.ts';
import { ItemExponentialFailureRateLimiter } from './rate-limiter.ts';
import { SeededRandom } from './seeded-random.ts';
import { createTestContext } from './test-context.ts';
import { deliver } from './tracing.ts';
import { VirtualClock } from './virtual-clock.ts';
import { runWorkers } from './work-queue-workers.ts';
import { WorkQueue } from './work-queue.ts';

function create() {
  const clock = new VirtualClock({ startTime: 0 });
  return {
    clock,
    queue: new WorkQueue<string>({ clock, rateLimiter: new ItemExponentialFailureRateLimiter(100, 1000) }),
  };
}

describe('WorkQueue', () => {
  it('hands items out in order, each once', async () => {
    const { queue } = create();
    for (const item of ['a', 'b', 'a', 'c']) queue.add(item);
    expect(queue.length).toBe(3);
    expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['a', 'b', 'c']);
  });

  it('hands out an item that was added in progress only after it is done', async () => {
    const { queue } = create();
    queue.add('a');
    await queue.get();
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
    expect(await queue.get()).toBe('a');
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  it('wakes waiting workers in order', async () => {
    const { queue } = create();
    const got: string[] = [];
    const first = queue.get().then((item) => got.push(`first ${item}`));
    const second = queue.get().then((item) => got.push(`second ${item}`));
    queue.add('a');
    queue.add('b');
    await Promise.all([first, second]);
    expect(got).toEqual(['first a', 'second b']);
  });

  it('adds after a delay; the earliest of several counts', async () => {
    const { clock, queue } = create();
    queue.addAfter('slow', 300);
    queue.addAfter('x', 200);
    queue.addAfter('x', 100);
    queue.addAfter('x', 250);
    expect(queue.delayedLength).toBe(2);
    await clock.advance(99);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(await queue.get()).toBe('x');
    queue.done('x');
    await clock.advance(150);
    expect(queue.length).toBe(0);
    await clock.advance(50);
    expect(await queue.get()).toBe('slow');
    queue.addAfter('now', 0);
    expect(queue.length).toBe(1);
  });

  it('adds rate limited until forgotten', async () => {
    const { clock, queue } = create();
    queue.addRateLimited('a');
    await clock.advance(100);
    expect(queue.length).toBe(1);
    await queue.get();
    queue.done('a');
    queue.addRateLimited('a');
    await clock.advance(199);
    expect([queue.length, queue.requeues('a')]).toEqual([0, 2]);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    queue.forget('a');
    expect([queue.length, queue.requeues('a')]).toEqual([1, 0]);
  });

  it('hands out queued items after a shutdown, then nothing', async () => {
    const { clock, queue } = create();
    queue.add('a');
    queue.addAfter('late', 10);
    queue.shutDown();
    queue.add('b');
    queue.addRateLimited('b');
    await clock.advance(1000);
    expect([await queue.get(), await queue.get()]).toEqual(['a', undefined]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('wakes waiting workers on shutdown', async () => {
    const { queue } = create();
    const waiting = queue.get();
    queue.shutDown();
    expect(await waiting).toBeUndefined();
  });

  it('drains: waits for items in progress', async () => {
    const { queue } = create();
    queue.add('a');
    await queue.get();
    let drained = false;
    const draining = queue.shutDownWithDrain().then(() => (drained = true));
    await Promise.resolve();
    expect(drained).toBe(false);
    queue.done('a');
    await draining;
    await queue.shutDownWithDrain();
  });

  it('keeps order and identity over many items', async () => {
    const { queue } = create();
    const items = Array.from({ length: 5000 }, (_, i) => `item-${i}`);
    for (const item of items) queue.add(item);
    for (const item of items) {
      expect(await queue.get()).toBe(item);
      queue.done(item);
    }
  });

  it("has upstream's metrics", async () => {
    const clock = new VirtualClock({ startTime: 0 });
    const metrics = new PrometheusRegistry();
    const queue = new WorkQueue<string>({ clock, metrics, name: 'jobs' });
    queue.add('a');
    queue.add('b');
    await clock.advance(500);
    await queue.get();
    await clock.advance(2000);
    const text = metrics.expose();
    expect(text).toContain('workqueue_depth{name="jobs"} 1\n');
    expect(text).toContain('workqueue_adds_total{name="jobs"} 2\n');
    expect(text).toContain('workqueue_queue_duration_seconds_sum{name="jobs"} 0.5\n');
    expect(text).toContain('workqueue_unfinished_work_seconds{name="jobs"} 2\n');
    expect(text).toContain('workqueue_longest_running_processor_seconds{name="jobs"} 2\n');
    queue.done('a');
    expect(metrics.expose()).toContain('workqueue_work_duration_seconds_sum{name="jobs"} 2\n');
  });

  it('never hands one item to two workers and never misses an add, in any interleaving', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const random = new SeededRandom(seed);
      const clock = new VirtualClock({ startTime: 0 });
      const queue = new WorkQueue<string>({ clock });
      const wanted = new Map<string, number>();
      const seen = new Map<string, number>();
      const held = new Set<string>();
      const worker = async (): Promise<void> => {
        for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
          expect(held.has(item)).toBe(false);
          held.add(item);
          seen.set(item, wanted.get(item) ?? 0);
          await clock.sleep(random.integer(20));
          held.delete(item);
          queue.done(item);
        }
      };
      const workers = Promise.all([worker(), worker(), worker()]);
      for (let i = 0; i < 100; i++) {
        const item = `i${random.integer(5)}`;
        wanted.set(item, i);
        if (random.next() < 0.5) queue.add(item);
        else queue.addAfter(item, random.integer(10));
        if (random.next() < 0.3) await clock.advance(random.integer(10));
      }
      await clock.advance(10_000);
      expect(seen).toEqual(wanted);
      queue.shutDown();
      await workers;
    }
  });
});

describe('runWorkers', () => {
  it('does not report what fails because of the shutdown', async () => {
    const ctx = createTestContext();
    const queue = new WorkQueue<string>({ clock: ctx.clock });
    const running = runWorkers({
      queue,
      workers: 1,
      signal: ctx.signal,
      logger: ctx.logger,
      handle: async () => {
        ctx.stop();
        throw new Error('the server is shutting down');
      },
    });
    queue.add('a');
    await running;
    expect(ctx.logLines).toEqual([]);
  });

  it('retries failures with growing delays and ends with its signal', async () => {
    const ctx = createTestContext();
    const queue = new WorkQueue<string>({
      clock: ctx.clock,
      rateLimiter: new ItemExponentialFailureRateLimiter(10, 1000),
    });
    const attempts: number[] = [];
    const running = runWorkers({
      queue,
      workers: 2,
      signal: ctx.signal,
      logger: ctx.logger,
      handle: async () => {
        attempts.push(ctx.clock.monotonic());
        if (attempts.length < 4) throw new Error('not yet');
      },
    });
    queue.add('a');
    await ctx.clock.advance(1000);
    expect(attempts).toEqual([0, 10, 30, 70]);
    expect(queue.requeues('a')).toBe(0);
    expect(ctx.logLines).toHaveLength(3);
    ctx.stop();
    await running;
  });

  it('waits for the handler in flight', async () => {
    const ctx = createTestContext();
    const queue = new WorkQueue<string>({ clock: ctx.clock });
    let finished = false;
    const running = runWorkers({
      queue,
      workers: 1,
      signal: ctx.signal,
      handle: async () => {
        await ctx.clock.sleep(100);
        finished = true;
      },
    });
    queue.add('a');
    await ctx.clock.advance(10);
    ctx.stop();
    await ctx.clock.drive(running);
    expect(finished).toBe(true);
  });
});

describe('the causes of work', () => {
  it('are joined, each once, and taken by the worker that gets the item', async () => {
    const { queue } = create();
    queue.add('a', [1]);
    queue.add('a', [2, 1]);
    queue.add('b');
    await queue.get();
    expect(queue.takeCauses('a')).toEqual([1, 2]);
    expect(queue.takeCauses('a')).toEqual([]);
    expect(queue.takeCauses('b')).toEqual([]);
  });

  it('are those of the next run for an item that is added in progress', async () => {
    const { queue } = create();
    queue.add('a', [1]);
    await queue.get();
    queue.add('a', [2]);
    expect(queue.takeCauses('a')).toEqual([1, 2]);
    queue.add('a', [3]);
    queue.done('a');
    await queue.get();
    expect(queue.takeCauses('a')).toEqual([3]);
  });

  it('of a delayed add wait with it', async () => {
    const { queue, clock } = create();
    queue.addAfter('a', 100, [1]);
    queue.addAfter('a', 200, [2]);
    queue.add('a', [3]);
    await queue.get();
    expect(queue.takeCauses('a')).toEqual([3]);
    queue.done('a');
    await clock.advance(100);
    await queue.get();
    expect(queue.takeCauses('a')).toEqual([1, 2]);
  });

  it('are bounded: the newest stay', async () => {
    const { queue } = create();
    for (let revision = 1; revision <= 1000; revision++) queue.add('a', [revision]);
    await queue.get();
    const causes = queue.takeCauses('a');
    expect(causes).toHaveLength(32);
    expect(causes.at(-1)).toBe(1000);
  });

  it('are the watch event that is being delivered', async () => {
    const { queue } = create();
    deliver(7, () => {
      queue.add('a');
      expect(() =>
        deliver(8, () => {
          throw new Error('a handler fails');
        }),
      ).toThrow();
      queue.add('b');
    });
    queue.add('c');
    for (const item of ['a', 'b', 'c']) expect(await queue.get()).toBe(item);
    expect(['a', 'b', 'c'].map((item) => queue.takeCauses(item))).toEqual([[7], [7], []]);
  });

  it('are kept for the retry of a failed item', async () => {
    const ctx = createTestContext();
    const queue = new WorkQueue<string>({ clock: ctx.clock });
    const seen: unknown[] = [];
    const running = runWorkers({
      queue,
      workers: 1,
      signal: ctx.signal,
      handle: (_item, _signal, causes) => {
        seen.push(causes);
        return seen.length < 2 ? Promise.reject(new Error('not yet')) : Promise.resolve();
      },
    });
    queue.add('a', [5]);
    await ctx.clock.advance(100);
    expect(seen).toEqual([[5], [5]]);
    ctx.stop();
    await running;
  });
});
