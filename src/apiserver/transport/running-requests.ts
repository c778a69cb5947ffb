/** The requests in progress on all transports, which a server awaits before it ends. */
import type { Clock, Context } from '../../kernel/index.ts';

export class RunningRequests {
  readonly #ctx: Context;
  readonly #stopping = new AbortController();
  #active = 0;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  get clock(): Clock {
    return this.#ctx.clock;
  }

  /** Aborts when the server shuts down. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  async run(work: () => Promise<void>): Promise<void> {
    this.#active++;
    try {
      await work();
    } catch (error) {
      this.#ctx.logger.v(4).error(error, 'Connection failed while its request was being served');
    } finally {
      this.#active--;
    }
  }

  /** Aborts `stopping` and waits for the requests for up to `graceMs`. */
  async end(graceMs: number): Promise<void> {
    this.#stopping.abort(new Error('the server is shutting down'));
    const { clock } = this.#ctx;
    const deadline = clock.monotonic() + graceMs;
    while (this.#active > 0 && clock.monotonic() < deadline) await clock.sleep(5);
  }
}
