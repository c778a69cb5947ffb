import type { EventPacing } from '../client/index.ts';
import { TokenBucket, type Clock } from '../kernel/index.ts';

/** What upstream's clients are allowed; its events share that with everything else that a controller writes. */
const QPS = 20;
const BURST = 200;
/** As many as upstream's queue of events holds. */
const MAX_WAITING = 1000;

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
