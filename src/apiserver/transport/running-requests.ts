/** The requests that are being answered, however they came in: what a server waits for before it ends. */
import type { Clock, Context } from '../../kernel/index.ts';

export class RunningRequests {
  readonly #stopping = new AbortController();
  #active = 0;

  constructor(private readonly ctx: Context) {}

  get clock(): Clock {
    return this.ctx.clock;
  }

  /** Aborts when the server ends. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  async run(work: () => Promise<void>): Promise<void> {
    this.#active++;
    try {
      await work();
    } catch (error) {
      this.ctx.logger.v(4).error(error, 'A connection failed while it was being answered');
    } finally {
      this.#active--;
    }
  }

  /** Tells them that the server ends, and gives them `graceMs` for it. */
  async end(graceMs: number): Promise<void> {
    this.#stopping.abort(new Error('the server is shutting down'));
    const { clock } = this.ctx;
    const deadline = clock.monotonic() + graceMs;
    while (this.#active > 0 && clock.monotonic() < deadline) await clock.sleep(5);
  }
}
