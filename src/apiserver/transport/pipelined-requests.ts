/**
 * HTTP/1.1 lets a client send requests without waiting for their answers, and Node begins all that came in one piece at
 * once: thousands of them in 64 KB, in one turn. As with Go's server, a connection's requests are served one after the other
 * here, and others have their turn in between.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/index.ts';

type Serve = () => Promise<void>;

export class PipelinedRequests {
  /** The requests that wait, of the connections of which one is being served. */
  readonly #waiting = new WeakMap<Duplex, Serve[]>();

  constructor(private readonly clock: Clock) {}

  /** `serve` must not fail. It is not called when the connection closes before its turn. */
  add(socket: Duplex, serve: Serve): void {
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      void this.#serveAll(socket, serve);
      return;
    }
    waiting.push(serve);
    // What has been read is parsed; more of it is not read before this is served.
    socket.pause();
  }

  async #serveAll(socket: Duplex, first: Serve): Promise<void> {
    const waiting = this.#waiting.get(socket)!;
    await first();
    let served = 0;
    while (served < waiting.length && !socket.destroyed) {
      await this.clock.yield();
      if (!socket.destroyed) await waiting[served++]!();
    }
    this.#waiting.delete(socket);
    if (served > 0 && !socket.destroyed) socket.resume();
  }
}
