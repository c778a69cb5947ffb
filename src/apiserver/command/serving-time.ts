/**
 * How long a server that serves goes on after the signal to end: for --shutdown-delay-duration, until load balancers know, and
 * then until the requests in progress are done. Meanwhile it listens no more, or with --shutdown-send-retry-after refuses others.
 */
import type { Context, Timer } from '../../kernel/index.ts';
import { InFlightRequests } from '../server.ts';

interface ServingTimeOptions {
  readonly delayMs: number;
  readonly sendRetryAfter: boolean;
  /** How long a request may take. */
  readonly drainMs: number;
}

export class ServingTime {
  readonly inFlight: InFlightRequests;
  readonly #ctx: Context;
  readonly #options: ServingTimeOptions;
  readonly #ended = new AbortController();
  readonly #onStop = (): void => this.#stop();
  #server: { stopListening(): void } | undefined;
  #timer: Timer | undefined;

  constructor(ctx: Context, options: ServingTimeOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.inFlight = new InFlightRequests(ctx.clock);
    if (ctx.signal.aborted) this.#stop();
    else ctx.signal.addEventListener('abort', this.#onStop, { once: true });
  }

  /** Aborts when the server is to end. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** From now on there are clients to wait for. */
  begin(server: { stopListening(): void }): void {
    this.#server = server;
  }

  /** The server has ended. */
  end(): void {
    this.#ctx.signal.removeEventListener('abort', this.#onStop);
    this.#timer?.cancel();
  }

  #stop(): void {
    const { clock, logger, signal } = this.#ctx;
    const { delayMs } = this.#options;
    if (!this.#server) return this.#ended.abort(signal.reason);
    if (delayMs === 0) return void this.#drain(this.#server);
    logger.info('Shutting down after a delay', { delay: `${delayMs / 1000}s` });
    const server = this.#server;
    this.#timer = clock.after(delayMs, () => void this.#drain(server));
  }

  async #drain(server: { stopListening(): void }): Promise<void> {
    const { sendRetryAfter, drainMs } = this.#options;
    if (sendRetryAfter) this.inFlight.refuse();
    else server.stopListening();
    await this.inFlight.drained(drainMs);
    this.#ended.abort(this.#ctx.signal.reason);
  }
}
