/** Round robin among the streams that have data to send and wait for flow-control window or for the socket to drain. */
import type { Http2Stream } from './stream.ts';

interface SharedRoom {
  readonly sendWindow: number;
  readonly congested: boolean;
}

export class WriteScheduler {
  readonly #room: SharedRoom;
  readonly #waiting = new Set<Http2Stream>();
  #scheduled = false;

  constructor(room: SharedRoom) {
    this.#room = room;
  }

  wait(stream: Http2Stream): void {
    this.#waiting.add(stream);
    // The stream has used up its turn although there is room: the others go first.
    if (!this.#room.congested && this.#room.sendWindow > 0 && stream.sendWindow > 0) this.#runSoon();
  }

  forget(stream: Http2Stream): void {
    this.#waiting.delete(stream);
  }

  /** Pumps one stream, whose own window has grown. */
  resume(stream: Http2Stream): void {
    if (this.#waiting.delete(stream)) stream.pump();
  }

  /** Gives every waiting stream one turn while there is room. A stream with more to send queues again. */
  run(): void {
    let turns = this.#waiting.size;
    for (const stream of this.#waiting) {
      if (turns-- === 0 || this.#room.sendWindow <= 0 || this.#room.congested) return;
      this.#waiting.delete(stream);
      stream.pump();
    }
  }

  #runSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.run();
    });
  }
}
