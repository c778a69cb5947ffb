import type { ClusterEvent } from '../framework/cluster-event.ts';

interface RecordedEvent {
  readonly event: ClusterEvent;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Events during scheduling attempts. A pod that is rejected must not miss an event that came after its attempt started.
 * An event is dropped when all attempts that started before it have ended.
 */
export class InFlightEvents {
  #events: RecordedEvent[] = [];
  #first = 0;
  readonly #started = new Map<string, number>();

  get size(): number {
    return this.#events.length;
  }

  get podCount(): number {
    return this.#started.size;
  }

  start(uid: string): void {
    this.#started.set(uid, this.#first + this.#events.length);
  }

  record(event: RecordedEvent): void {
    if (this.#started.size > 0) this.#events.push(event);
  }

  since(uid: string): readonly RecordedEvent[] {
    const from = this.#started.get(uid);
    return from === undefined ? [] : this.#events.slice(from - this.#first);
  }

  done(uid: string): void {
    if (!this.#started.delete(uid)) return;
    if (this.#events.length === 0) return;
    let oldest = this.#first + this.#events.length;
    for (const from of this.#started.values()) {
      oldest = from;
      break;
    }
    if (oldest > this.#first) {
      this.#events = this.#events.slice(oldest - this.#first);
      this.#first = oldest;
    }
  }
}
