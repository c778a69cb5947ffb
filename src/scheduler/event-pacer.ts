/**
 * Delays events while the scheduler is busy: there is at least one event for every pod, and pods that wait for a node
 * come first. An event is written when no pod was scheduled or bound for a moment, or slowly after some seconds. The plain
 * counterpart writes every event at once. Pays for the bench row `10,000 plain pods on 5,000 nodes`.
 */
import type { EventPacing } from '../client/index.ts';
import type { Clock } from '../kernel/index.ts';

const QUIET_MS = 100;
const MAX_DELAY_MS = 5_000;
/** The pause between events that have waited long enough: the default rate of clients. */
const BUSY_PAUSE_MS = 20;

const MAX_WAITING = 20_000;

export interface SchedulerEventPacing extends EventPacing {
  /** To be called when a pod is scheduled or bound. */
  noteActivity(now?: number): void;
  /** Whether pods were scheduled a moment ago, or are being bound. */
  isBusy(): boolean;
}

export const noEventPacing: SchedulerEventPacing = {
  maxWaiting: MAX_WAITING,
  noteActivity: () => {},
  mayWrite: () => undefined,
  isBusy: () => false,
};

export class EventPacer implements SchedulerEventPacing {
  readonly maxWaiting = MAX_WAITING;
  readonly #clock: Clock;
  readonly #pendingBindings: () => number;
  #lastActivity = -Infinity;

  constructor(clock: Clock, pendingBindings: () => number) {
    this.#clock = clock;
    this.#pendingBindings = pendingBindings;
  }

  noteActivity(now: number = this.#clock.monotonic()): void {
    this.#lastActivity = now;
  }

  /** Yields first, because a stream of writes that complete at once would block the process. */
  async mayWrite(occurredAt: number, signal: AbortSignal): Promise<void> {
    await this.#clock.yield();
    if (this.isBusy()) await this.#untilQuiet(occurredAt, signal);
  }

  isBusy(): boolean {
    const now = this.#clock.monotonic();
    if (this.#pendingBindings() > 0) this.#lastActivity = now;
    return now - this.#lastActivity < QUIET_MS;
  }

  async #untilQuiet(occurredAt: number, signal: AbortSignal): Promise<void> {
    // The wall clock may be set back, so an event may seem to be in the future.
    const isFresh = (): boolean => Math.abs(this.#clock.now() - occurredAt) < MAX_DELAY_MS;
    if (!isFresh()) await this.#clock.sleep(BUSY_PAUSE_MS, signal).catch(() => {});
    while (!signal.aborted && this.isBusy() && isFresh()) await this.#clock.sleep(QUIET_MS, signal).catch(() => {});
  }
}
