import type { EventPacing } from '../client/index.ts';
import { TokenBucket, type Clock } from '../kernel/index.ts';

/** As many as clients are allowed by default. */
const QPS = 50;
const BURST = 200;
/** What is left over from a burst is written within seconds, and then there is rest. */
const MAX_WAITING = 500;

/** A controller that changes thousands of objects at once must not write as many events before it goes on. */
export class EventBudget implements EventPacing {
  readonly maxWaiting = MAX_WAITING;
  readonly #bucket: TokenBucket;

  constructor(clock: Clock) {
    this.#bucket = new TokenBucket(clock, { qps: QPS, burst: BURST });
  }

  mayWrite(_occurredAt: number, signal: AbortSignal): Promise<void> | undefined {
    if (this.#bucket.tryTake()) return undefined;
    return this.#bucket.take(signal).catch(() => {});
  }
}
