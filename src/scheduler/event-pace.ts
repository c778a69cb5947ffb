/**
 * When events may be written. There is at least one for every pod, and while pods wait for a node these come first: events
 * are written when no pod has been placed for a moment, or after a few seconds.
 */
import type { EventPacing } from '../client/index.ts';
import type { Clock } from '../kernel/index.ts';

const QUIET_MS = 100;
const MAX_DELAY_MS = 5_000;

export class EventPace implements EventPacing {
  readonly maxWaiting = 20_000;
  readonly #clock: Clock;
  #lastPlaced = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A pod got its node just now. */
  placed(): void {
    this.#lastPlaced = this.#clock.monotonic();
  }

  mayWrite(occurredAt: number, signal: AbortSignal): Promise<void> | undefined {
    return this.#isBusy(occurredAt) ? this.#untilQuiet(occurredAt, signal) : undefined;
  }

  #isBusy(occurredAt: number): boolean {
    return this.#clock.monotonic() - this.#lastPlaced < QUIET_MS && this.#clock.now() - occurredAt < MAX_DELAY_MS;
  }

  async #untilQuiet(occurredAt: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#isBusy(occurredAt)) await this.#clock.sleep(QUIET_MS, signal).catch(() => {});
  }
}
