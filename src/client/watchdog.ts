import { afterTogether, type Clock, type Timer } from '../kernel/index.ts';

/**
 * Detects silence, up to a few seconds late. `touch` only stores the time, so it may be called for every event; the timer compares it and waits
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
    return afterTogether(this.#clock, ms, () => {
      const remaining = this.#remaining();
      if (remaining <= 0) this.#onSilence();
      else this.#timer = this.#arm(remaining);
    });
  }
}
