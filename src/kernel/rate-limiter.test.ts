import { describe, expect, it } from 'vitest';
import {
  BucketRateLimiter,
  defaultControllerRateLimiter,
  ItemExponentialFailureRateLimiter,
  MaxOfRateLimiter,
  TokenBucket,
} from './rate-limiter.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('rate limiters', () => {
  it('doubles per item up to the maximum', () => {
    const limiter = new ItemExponentialFailureRateLimiter<string>(1, 10);
    expect(Array.from({ length: 6 }, () => limiter.when('a'))).toEqual([1, 2, 4, 8, 10, 10]);
    expect(limiter.when('b')).toBe(1);
    expect(limiter.requeues('a')).toBe(6);
    limiter.forget('a');
    expect(limiter.when('a')).toBe(1);
  });

  it('does not overflow after very many failures', () => {
    const limiter = new ItemExponentialFailureRateLimiter<string>(5, 1_000_000);
    for (let i = 0; i < 5000; i++) limiter.when('a');
    expect(limiter.when('a')).toBe(1_000_000);
  });

  it('limits all items together', async () => {
    const clock = new VirtualClock();
    const limiter = new BucketRateLimiter<string>(clock, { qps: 10, burst: 2 });
    expect(['a', 'b', 'c', 'd'].map((item) => limiter.when(item))).toEqual([0, 0, 100, 200]);
    await clock.advance(400);
    expect([limiter.when('e'), limiter.when('e'), limiter.when('e')]).toEqual([0, 0, 100]);
  });

  it('applies the strictest limiter', () => {
    const clock = new VirtualClock();
    const limiter = new MaxOfRateLimiter<string>(
      new ItemExponentialFailureRateLimiter(50, 1000),
      new BucketRateLimiter(clock, { qps: 10, burst: 1 }),
    );
    expect([limiter.when('a'), limiter.when('a'), limiter.requeues('a')]).toEqual([50, 100, 2]);
    limiter.forget('a');
    expect(limiter.requeues('a')).toBe(0);
  });

  it('has the defaults of upstream controllers', () => {
    const limiter = defaultControllerRateLimiter<string>(new VirtualClock());
    expect([limiter.when('a'), limiter.when('a'), limiter.when('a')]).toEqual([5, 10, 20]);
    for (let i = 0; i < 97; i++) limiter.when(`x${i}`);
    expect(limiter.when('y')).toBe(100);
  });

  it('hands a waiting caller its token in time, and takes it back when it is aborted', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(clock, { qps: 1, burst: 1 });
    expect([bucket.tryTake(), bucket.tryTake()]).toEqual([true, false]);
    const controller = new AbortController();
    const aborted = bucket.take(controller.signal);
    controller.abort(new Error('no longer wanted'));
    await expect(aborted).rejects.toThrow('no longer wanted');
    const taken = bucket.take().then(() => clock.monotonic());
    await clock.advance(5000);
    expect(await taken).toBe(1000);
  });
});
