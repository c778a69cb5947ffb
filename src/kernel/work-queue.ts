import type { Clock, Timer } from './clock.ts';
import { Heap } from './heap.ts';
import type { MetricsRegistry } from './metrics.ts';
import { defaultControllerRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { deliveredCauses, mergeCauses, type Cause } from './tracing.ts';
import { workQueueMetrics, type WorkQueueMetrics } from './work-queue-metrics.ts';

interface WorkQueueOptions<T> {
  clock: Clock;
  /** With `metrics`, upstream's workqueue_* metrics are kept under this name. */
  name?: string;
  metrics?: MetricsRegistry;
  rateLimiter?: RateLimiter<T>;
}

const NO_CAUSES: readonly Cause[] = [];

/**
 * A queue of keys to work on. An item is in it at most once; an item that is added while a worker has it comes again
 * after `done`, so no two workers ever hold the same item and no change is missed. Items are compared as Map keys are:
 * use strings.
 */
export class WorkQueue<T> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<T>;
  readonly #metrics: WorkQueueMetrics | undefined;

  /** Items to hand out, from `#head` on. */
  #queue: T[] = [];
  #head = 0;
  /** Items that need work, and since when: those in the queue, and those added again while in progress. */
  readonly #dirty = new Map<T, number>();
  /** Items that workers are processing, and since when. */
  readonly #processing = new Map<T, number>();
  /** Why the items of `#dirty`, and those that wait for their delay, need work. */
  readonly #causes = new Map<T, readonly Cause[]>();
  readonly #delayedCauses = new Map<T, readonly Cause[]>();
  readonly #getters: ((item: T | undefined) => void)[] = [];
  #drained: (() => void)[] = [];
  #shuttingDown = false;

  /** Delayed adds. An entry counts only while `#readyAt` still holds its time: an earlier add for the item replaces it. */
  readonly #delayed = new Heap<{ item: T; at: number; sequence: number }>(
    (a, b) => a.at < b.at || (a.at === b.at && a.sequence < b.sequence),
  );
  readonly #readyAt = new Map<T, number>();
  #sequence = 0;
  #alarm: { timer: Timer; at: number } | undefined;

  constructor(options: WorkQueueOptions<T>) {
    this.#clock = options.clock;
    this.#limiter = options.rateLimiter ?? defaultControllerRateLimiter<T>(options.clock);
    if (options.metrics !== undefined && options.name !== undefined) {
      this.#metrics = workQueueMetrics(options.metrics, options.name);
      this.#metrics.depth(() => this.length);
      this.#metrics.unfinished(() => this.#processingSeconds().reduce((sum, seconds) => sum + seconds, 0));
      this.#metrics.longestRunning(() => Math.max(0, ...this.#processingSeconds()));
    }
  }

  /** How many items wait to be handed out. */
  get length(): number {
    return this.#queue.length - this.#head;
  }

  /** How many items wait for their delay to pass. */
  get delayedLength(): number {
    return this.#readyAt.size;
  }

  get shuttingDown(): boolean {
    return this.#shuttingDown;
  }

  /** `causes`: what the item needs work for, by default the watch event; those of several adds are joined. */
  add(item: T, causes: readonly Cause[] = deliveredCauses()): void {
    if (this.#shuttingDown) return;
    if (causes.length > 0) this.#causes.set(item, mergeCauses(this.#causes.get(item), causes));
    if (this.#dirty.has(item)) return;
    this.#metrics?.adds.inc();
    this.#dirty.set(item, this.#clock.monotonic());
    if (!this.#processing.has(item)) this.#enqueue(item);
  }

  /** Adds after `ms`. Of several delayed adds of one item the earliest counts. */
  addAfter(item: T, ms: number, causes: readonly Cause[] = deliveredCauses()): void {
    if (this.#shuttingDown) return;
    if (ms <= 0) return this.add(item, causes);
    if (causes.length > 0) this.#delayedCauses.set(item, mergeCauses(this.#delayedCauses.get(item), causes));
    const at = this.#clock.monotonic() + ms;
    const existing = this.#readyAt.get(item);
    if (existing !== undefined && existing <= at) return;
    this.#readyAt.set(item, at);
    this.#delayed.push({ item, at, sequence: this.#sequence++ });
    this.#armAlarm();
  }

  /** Adds after the delay of the rate limiter. */
  addRateLimited(item: T, causes?: readonly Cause[]): void {
    if (this.#shuttingDown) return;
    this.#metrics?.retries.inc();
    this.addAfter(item, this.#limiter.when(item), causes);
  }

  /** Why the item that a worker has just got needs work. Each cause is returned once. */
  takeCauses(item: T): readonly Cause[] {
    const causes = this.#causes.get(item);
    if (causes === undefined) return NO_CAUSES;
    this.#causes.delete(item);
    return causes;
  }

  /** Resets the rate limiter for the item. Does not remove it from the queue. */
  forget(item: T): void {
    this.#limiter.forget(item);
  }

  requeues(item: T): number {
    return this.#limiter.requeues(item);
  }

  /** The next item, waiting for one; undefined when the queue has been shut down and is empty. `done` must follow. */
  get(): Promise<T | undefined> {
    if (this.length > 0) return Promise.resolve(this.#take());
    if (this.#shuttingDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#getters.push(resolve));
  }

  /** The worker has finished with the item, successfully or not. */
  done(item: T): void {
    const since = this.#processing.get(item);
    if (since === undefined) return;
    this.#processing.delete(item);
    this.#metrics?.workDuration.observe((this.#clock.monotonic() - since) / 1000);
    if (this.#dirty.has(item)) this.#enqueue(item);
    else if (this.#processing.size === 0) this.#announceDrained();
  }

  /** Takes no more items; those already queued are still handed out, delayed ones are dropped. */
  shutDown(): void {
    if (this.#shuttingDown) return;
    this.#shuttingDown = true;
    this.#alarm?.timer.cancel();
    this.#alarm = undefined;
    this.#readyAt.clear();
    this.#delayedCauses.clear();
    while (this.#delayed.pop() !== undefined);
    for (const getter of this.#getters.splice(0)) getter(undefined);
  }

  /** Shuts down and waits until the workers have finished their items. */
  async shutDownWithDrain(): Promise<void> {
    this.shutDown();
    if (this.#processing.size > 0) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  #enqueue(item: T): void {
    this.#queue.push(item);
    if (this.#getters.length > 0) this.#getters.shift()?.(this.#take());
  }

  #take(): T {
    const item = this.#queue[this.#head++] as T;
    if (this.#head === this.#queue.length || this.#head > 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    const now = this.#clock.monotonic();
    this.#metrics?.queueDuration.observe((now - (this.#dirty.get(item) ?? now)) / 1000);
    this.#dirty.delete(item);
    this.#processing.set(item, now);
    return item;
  }

  #armAlarm(): void {
    const next = this.#delayed.peek();
    if (next === undefined || (this.#alarm !== undefined && this.#alarm.at <= next.at)) return;
    this.#alarm?.timer.cancel();
    const timer = this.#clock.after(next.at - this.#clock.monotonic(), () => this.#release());
    this.#alarm = { timer, at: next.at };
  }

  #release(): void {
    this.#alarm = undefined;
    const now = this.#clock.monotonic();
    for (let next = this.#delayed.peek(); next !== undefined && next.at <= now; next = this.#delayed.peek()) {
      this.#delayed.pop();
      if (this.#readyAt.get(next.item) !== next.at) continue;
      this.#readyAt.delete(next.item);
      const causes = this.#delayedCauses.get(next.item);
      if (causes !== undefined) this.#delayedCauses.delete(next.item);
      this.add(next.item, causes ?? NO_CAUSES);
    }
    this.#armAlarm();
  }

  #announceDrained(): void {
    for (const resolve of this.#drained.splice(0)) resolve();
  }

  #processingSeconds(): number[] {
    const now = this.#clock.monotonic();
    return [...this.#processing.values()].map((since) => (now - since) / 1000);
  }
}
