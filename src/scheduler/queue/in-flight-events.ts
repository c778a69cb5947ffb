import type { ClusterEvent } from '../framework/cluster-event.ts';

export interface HappenedEvent {
  readonly event: ClusterEvent;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * What happened while pods were being scheduled: a pod that is turned down on the state of a moment ago must not wait for
 * an event that has come meanwhile. Events are kept only as long as a pod is under way that started before them.
 */
export class InFlightEvents {
  #events: HappenedEvent[] = [];
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

  record(event: HappenedEvent): void {
    if (this.#started.size > 0) this.#events.push(event);
  }

  since(uid: string): readonly HappenedEvent[] {
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
