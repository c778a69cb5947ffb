/**
 * HTTP/1.1 clients may send requests without waiting for responses, and Node starts all that arrive in one packet at
 * once: thousands of them in 64 KB. Here, as in Go's server, a connection's requests are served one after the other,
 * with other connections between them.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/index.ts';

type Serve = () => Promise<void>;

export class PipelinedRequests {
  readonly #clock: Clock;
  /** Waiting requests, by connections that have one in progress. */
  readonly #waiting = new WeakMap<Duplex, Serve[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `serve` must not throw. It is not called when the connection closes first. */
  add(socket: Duplex, serve: Serve): void {
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      void this.#serveAll(socket, serve);
      return;
    }
    waiting.push(serve);
    // What has been read is parsed already; no more is read before this is served.
    socket.pause();
  }

  async #serveAll(socket: Duplex, first: Serve): Promise<void> {
    const waiting = this.#waiting.get(socket)!;
    await first();
    let served = 0;
    while (served < waiting.length && !socket.destroyed) {
      await this.#clock.yield();
      if (!socket.destroyed) await waiting[served++]!();
    }
    this.#waiting.delete(socket);
    if (served > 0 && !socket.destroyed) socket.resume();
  }
}
