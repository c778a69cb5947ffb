import { afterTogether, type Clock, type Timer } from '../kernel/index.ts';

/** How late silence may be detected, as a part of the limit: watchdogs whose timers are due within it share one. */
const LATE = 1 / 10;
const MIN_LATE_MS = 5_000;
const MAX_LATE_MS = 60_000;

/**
 * Detects silence, up to a tenth of the limit late. `touch` only stores the time, so it may be called for every event; the timer compares it and waits
 * for the rest.
 */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onSilence: () => void;
  #limitMs: number;
  #lastAt: number;
  #timer: Timer;

  constructor(options: { clock: Clock; limitMs: number; onSilence: () => void }) {
    this.#clock = options.clock;
    this.#limitMs = options.limitMs;
    this.#onSilence = options.onSilence;
    this.#lastAt = this.#clock.monotonic();
    this.#timer = this.#arm(this.#limitMs);
  }

  touch(): void {
    this.#lastAt = this.#clock.monotonic();
  }

  /** Changes how long a silence may last, counted from the last touch. */
  tighten(limitMs: number): void {
    if (limitMs >= this.#limitMs) return;
    this.#limitMs = limitMs;
    this.#timer.cancel();
    this.#timer = this.#arm(this.#remaining());
  }

  stop(): void {
    this.#timer.cancel();
  }

  #remaining(): number {
    return this.#lastAt + this.#limitMs - this.#clock.monotonic();
  }

  #arm(ms: number): Timer {
    const lateMs = Math.min(MAX_LATE_MS, Math.max(MIN_LATE_MS, this.#limitMs * LATE));
    const compare = (): void => {
      const remaining = this.#remaining();
      if (remaining <= 0) this.#onSilence();
      else this.#timer = this.#arm(remaining);
    };
    return afterTogether(this.#clock, ms, compare, lateMs);
  }
}
