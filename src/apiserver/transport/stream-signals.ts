/**
 * The abort signals of HTTP/2 requests. A stream that was answered completely closes without an abort event: no
 * listener is left, and dispatching costs more than the rest of the signal. One listener aborts all of them when the
 * server shuts down.
 */
import type { Http2Stream } from '../../net/http2/index.ts';

export class StreamSignals {
  readonly #stopping: AbortSignal;
  #open = new Map<AbortSignal, AbortController>();

  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
    stopping.addEventListener('abort', () => this.#abortAll(), { once: true });
  }

  of(stream: Http2Stream): AbortSignal {
    const controller = new AbortController();
    if (this.#stopping.aborted) controller.abort(this.#stopping.reason);
    else if (stream.closed) controller.abort(clientWentAway());
    else {
      this.#open.set(controller.signal, controller);
      stream.onClose((complete) => {
        this.#open.delete(controller.signal);
        if (!complete) controller.abort(clientWentAway());
      });
    }
    return controller.signal;
  }

  /** The request timed out. */
  abort(signal: AbortSignal, reason: Error): void {
    this.#open.get(signal)?.abort(reason);
  }

  #abortAll(): void {
    for (const controller of this.#open.values()) controller.abort(this.#stopping.reason);
    this.#open.clear();
  }
}

const clientWentAway = (): Error => new Error('the client went away');
