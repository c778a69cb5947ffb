import type { EventPacing } from '../client/index.ts';
import { TokenBucket, type Clock } from '../kernel/index.ts';

/** The default rate of clients. */
const QPS = 50;
const BURST = 200;
/** Events beyond this number are dropped; these are written within seconds. */
const MAX_WAITING = 500;

/** Limits the rate of events, so that a controller that changes thousands of objects does not wait for its events. */
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
