import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

interface BackoffOptions {
  /** The first delay. */
  baseMs: number;
  /** What each further delay is multiplied by; default 2. */
  factor?: number;
  /** Delays grow up to here, before jitter. */
  capMs: number;
  /** Each delay d becomes uniform in [d, d × (1 + jitter)); default 0. Needs `random`. */
  jitter?: number;
  random?: Pick<Random, 'next'>;
  /** Starts again at the base when nothing failed for this long. Needs `clock`. */
  resetAfterMs?: number;
  clock?: Pick<Clock, 'monotonic'>;
}

/** Exponentially growing delays between attempts. */
export class Backoff {
  readonly #options: BackoffOptions;
  #delay: number;
  #lastAt: number | undefined;

  constructor(options: BackoffOptions) {
    if ((options.jitter ?? 0) > 0 && options.random === undefined)
      throw new Error('backoff: jitter needs a random source');
    if (options.resetAfterMs !== undefined && options.clock === undefined)
      throw new Error('backoff: resetAfterMs needs a clock');
    this.#options = options;
    this.#delay = options.baseMs;
  }

  /** The delay before the next attempt, in milliseconds. */
  next(): number {
    const { factor = 2, capMs, jitter = 0, random, resetAfterMs, clock } = this.#options;
    const now = clock?.monotonic();
    if (resetAfterMs !== undefined && now !== undefined) {
      if (this.#lastAt !== undefined && now - this.#lastAt > resetAfterMs) this.reset();
      this.#lastAt = now;
    }
    const delay = Math.min(this.#delay, capMs);
    this.#delay = Math.min(delay * factor, capMs);
    return random === undefined ? delay : delay * (1 + jitter * random.next());
  }

  reset(): void {
    this.#delay = this.#options.baseMs;
  }
}
