/** Streams that have more to write than there is room for, in the order of their turns. */
import type { Http2Stream } from './stream.ts';

/** What all streams of a connection share. */
interface Room {
  readonly sendWindow: number;
  readonly congested: boolean;
}

export class SendTurns {
  readonly #waiting = new Set<Http2Stream>();
  #scheduled = false;
  readonly #room: Room;

  constructor(room: Room) {
    this.#room = room;
  }

  wait(stream: Http2Stream): void {
    this.#waiting.add(stream);
    // Its turn was over, and there is room for the next.
    if (!this.#room.congested && this.#room.sendWindow > 0 && stream.sendWindow > 0) this.#takeSoon();
  }

  forget(stream: Http2Stream): void {
    this.#waiting.delete(stream);
  }

  /** What kept this one waiting was its own window. */
  takeOf(stream: Http2Stream): void {
    if (this.#waiting.delete(stream)) stream.pump();
  }

  /** Everybody gets one turn, while there is room; whoever wants more stands at the end. */
  take(): void {
    let turns = this.#waiting.size;
    for (const stream of this.#waiting) {
      if (turns-- === 0 || this.#room.sendWindow <= 0 || this.#room.congested) return;
      this.#waiting.delete(stream);
      stream.pump();
    }
  }

  #takeSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.take();
    });
  }
}
