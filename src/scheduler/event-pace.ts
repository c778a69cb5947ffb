/**
 * When events may be written. There is at least one for every pod, and while pods wait for a node these come first: events
 * are written when no pod has been tried, bound or removed for a moment; those that have waited for a few seconds are, but not many at once.
 */
import type { EventPacing } from '../client/index.ts';
import type { Clock } from '../kernel/index.ts';

const QUIET_MS = 100;
const MAX_DELAY_MS = 5_000;
/** Between two of those that have waited long enough: as many a second as clients are allowed by default. */
const BUSY_PAUSE_MS = 20;

export class EventPace implements EventPacing {
  readonly maxWaiting = 20_000;
  readonly #clock: Clock;
  readonly #underWay: () => number;
  #lastWork = -Infinity;

  /** `underWay`: how much of what was decided the API server has not heard of yet. */
  constructor(clock: Clock, underWay: () => number) {
    this.#clock = clock;
    this.#underWay = underWay;
  }

  /** A pod was tried or got its node just now. */
  working(now: number = this.#clock.monotonic()): void {
    this.#lastWork = now;
  }

  /** A few a turn at most: where writes are done at once, one behind the other would let nothing else happen. */
  async mayWrite(occurredAt: number, signal: AbortSignal): Promise<void> {
    await this.#clock.yield();
    if (this.isBusy()) await this.#untilQuiet(occurredAt, signal);
  }

  /** Whether pods were placed a moment ago, or are about to be. */
  isBusy(): boolean {
    const now = this.#clock.monotonic();
    if (this.#underWay() > 0) this.#lastWork = now;
    return now - this.#lastWork < QUIET_MS;
  }

  async #untilQuiet(occurredAt: number, signal: AbortSignal): Promise<void> {
    // The wall clock may be set back: an event of the future does not wait for its time.
    const isFresh = (): boolean => Math.abs(this.#clock.now() - occurredAt) < MAX_DELAY_MS;
    if (!isFresh()) await this.#clock.sleep(BUSY_PAUSE_MS, signal).catch(() => {});
    while (!signal.aborted && this.isBusy() && isFresh()) await this.#clock.sleep(QUIET_MS, signal).catch(() => {});
  }
}
