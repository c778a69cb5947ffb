import type { Clock, Timer } from '../kernel/index.ts';

class Deadline implements Timer {
  readonly #deadlines: { cancel(deadline: Deadline): void };

  constructor(
    deadlines: { cancel(deadline: Deadline): void },
    readonly at: number,
    readonly fire: () => void,
  ) {
    this.#deadlines = deadlines;
  }

  cancel(): void {
    this.#deadlines.cancel(this);
  }
}

/**
 * One timer for many requests that may all take equally long: they are late in the order in which they were sent, so that
 * it is enough to wait for the next.
 */
export class Deadlines implements Pick<Clock, 'after'> {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #waiting = new Set<Deadline>();
  #timer: Timer | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  after(_ms: number, fire: () => void): Timer {
    const deadline = new Deadline(this, this.#clock.monotonic() + this.#ms, fire);
    this.#waiting.add(deadline);
    if (this.#timer === undefined) this.#arm(deadline);
    return deadline;
  }

  cancel(deadline: Deadline): void {
    this.#waiting.delete(deadline);
    if (this.#waiting.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(next: Deadline): void {
    this.#timer = this.#clock.after(Math.max(0, next.at - this.#clock.monotonic()), () => this.#late());
  }

  #late(): void {
    this.#timer = undefined;
    for (const deadline of this.#waiting) {
      if (deadline.at > this.#clock.monotonic()) {
        this.#arm(deadline);
        return;
      }
      this.#waiting.delete(deadline);
      deadline.fire();
    }
  }
}
