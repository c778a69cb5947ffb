/** The clock of one process of a world. It may be set to another time, and it may run fast or slow. */
import { deadlineOn, sleepOn, type Clock, type Timer } from '../../kernel/index.ts';

export class ProcessClock implements Clock {
  readonly #world: Clock;
  /** How far the wall clock differs from the world's, in milliseconds. */
  #offset = 0;
  /** How many milliseconds this clock counts for one of the world's. */
  #rate = 1;
  /** Where the rate was last changed: the world's monotonic time, and this clock's. */
  #changedAt = 0;
  #countedAt = 0;
  /** The most that this clock has been ahead of the world's when it was read, in milliseconds. */
  mostAheadMs = 0;

  constructor(world: Clock) {
    this.#world = world;
    this.#changedAt = this.#countedAt = world.monotonic();
  }

  now(): number {
    const aheadMs = this.#offset + (this.monotonic() - this.#world.monotonic());
    this.mostAheadMs = Math.max(this.mostAheadMs, aheadMs);
    return this.#world.now() + aheadMs;
  }

  monotonic(): number {
    return this.#countedAt + (this.#world.monotonic() - this.#changedAt) * this.#rate;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  after(ms: number, fire: () => void): Timer {
    return this.#world.after(ms / this.#rate, fire);
  }

  every(ms: number, fire: () => void): Timer {
    return this.#world.every(ms / this.#rate, fire);
  }

  deadline(ms: number, parent?: AbortSignal): AbortSignal {
    return deadlineOn(this, ms, parent);
  }

  yield(): Promise<void> {
    return this.#world.yield();
  }

  /** Sets the wall clock forward or back. */
  jump(ms: number): void {
    this.#offset += ms;
  }

  /** Timers that wait already keep their time. */
  drift(rate: number): void {
    this.#countedAt = this.monotonic();
    this.#changedAt = this.#world.monotonic();
    this.#rate = rate;
  }
}
