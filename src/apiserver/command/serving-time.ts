/** --shutdown-delay-duration: a server that serves goes on for a while after the signal to end, until load balancers know. */
import type { Context, Timer } from '../../kernel/index.ts';

export class ServingTime {
  readonly #ctx: Context;
  readonly #delayMs: number;
  readonly #ended = new AbortController();
  readonly #onStop = (): void => this.#stop();
  #isServing = false;
  #timer: Timer | undefined;

  constructor(ctx: Context, delayMs: number) {
    this.#ctx = ctx;
    this.#delayMs = delayMs;
    if (ctx.signal.aborted) this.#stop();
    else ctx.signal.addEventListener('abort', this.#onStop, { once: true });
  }

  /** Aborts after the delay. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** From now on there are clients to wait for. */
  begin(): void {
    this.#isServing = true;
  }

  /** The server has ended. */
  end(): void {
    this.#ctx.signal.removeEventListener('abort', this.#onStop);
    this.#timer?.cancel();
  }

  #stop(): void {
    const { clock, logger, signal } = this.#ctx;
    if (!this.#isServing || this.#delayMs === 0) return this.#ended.abort(signal.reason);
    logger.info('Shutting down after a delay', { delay: `${this.#delayMs / 1000}s` });
    this.#timer = clock.after(this.#delayMs, () => this.#ended.abort(signal.reason));
  }
}
