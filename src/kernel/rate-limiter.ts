import type { Clock } from './clock.ts';

/** Decides how long an item of a work queue waits before it is retried. */
export interface RateLimiter<T> {
  when(item: T): number;
  /** The item succeeded, or is given up: its history is dropped. */
  forget(item: T): void;
  /** How often the item has been limited since it was last forgotten. */
  requeues(item: T): number;
}

/** Doubles an item's delay with each failure. */
export class ItemExponentialFailureRateLimiter<T> implements RateLimiter<T> {
  readonly #failures = new Map<T, number>();

  constructor(
    readonly baseMs: number,
    readonly maxMs: number,
  ) {}

  when(item: T): number {
    const failures = this.#failures.get(item) ?? 0;
    this.#failures.set(item, failures + 1);
    return Math.min(this.baseMs * 2 ** failures, this.maxMs);
  }

  forget(item: T): void {
    this.#failures.delete(item);
  }

  requeues(item: T): number {
    return this.#failures.get(item) ?? 0;
  }
}

/** Limits all items together. */
export class BucketRateLimiter<T> implements RateLimiter<T> {
  readonly #bucket: TokenBucket;

  constructor(clock: Clock, options: { qps: number; burst: number }) {
    this.#bucket = new TokenBucket(clock, options);
  }

  when(_item: T): number {
    return this.#bucket.reserve();
  }

  forget(_item: T): void {}

  requeues(_item: T): number {
    return 0;
  }
}

/** The strictest of several limiters decides. */
export class MaxOfRateLimiter<T> implements RateLimiter<T> {
  readonly #limiters: readonly RateLimiter<T>[];

  constructor(...limiters: readonly RateLimiter<T>[]) {
    this.#limiters = limiters;
  }

  when(item: T): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.when(item)));
  }

  forget(item: T): void {
    for (const limiter of this.#limiters) limiter.forget(item);
  }

  requeues(item: T): number {
    return Math.max(0, ...this.#limiters.map((limiter) => limiter.requeues(item)));
  }
}

/** What upstream's controllers use: 5 ms doubling up to 1000 s for an item, 10 per second with bursts of 100 for all. */
export function defaultControllerRateLimiter<T>(clock: Clock): RateLimiter<T> {
  return new MaxOfRateLimiter<T>(
    new ItemExponentialFailureRateLimiter<T>(5, 1_000_000),
    new BucketRateLimiter<T>(clock, { qps: 10, burst: 100 }),
  );
}

/** `qps` tokens a second, at most `burst` saved up. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, options: { qps: number; burst: number }) {
    this.#clock = clock;
    this.#perMs = options.qps / 1000;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#at = clock.monotonic();
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }

  /** Takes a token now or from the future, and says how many milliseconds to wait for it. */
  reserve(): number {
    this.#refill();
    this.#tokens--;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  /** Takes a token, waiting for it. */
  async take(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const wait = this.reserve();
    if (wait === 0) return;
    try {
      await this.#clock.sleep(wait, signal);
    } catch (error) {
      this.#tokens++;
      throw error;
    }
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}
