import type { Clock, Timer } from '../../kernel/index.ts';

export interface PatienceLimits {
  /** How long a peer may take until it has begun to speak the protocol. */
  readonly beginMs: number;
  /** How long a connection may have nothing to do. */
  readonly idleMs: number;
}

export interface Waiting {
  readonly hasBegun: boolean;
  readonly isIdle: boolean;
  giveUp(): void;
}

/** Ends a connection that does not begin, or that has had nothing to do for long: with one timer, however much goes through it. */
export class Patience {
  #idleSince: number;
  #timer: Timer;
  readonly #clock: Clock;
  readonly #limits: PatienceLimits;
  readonly #connection: Waiting;

  constructor(clock: Clock, limits: PatienceLimits, connection: Waiting) {
    this.#clock = clock;
    this.#limits = limits;
    this.#connection = connection;
    this.#idleSince = clock.monotonic();
    this.#timer = clock.after(limits.beginMs, () => {
      if (connection.hasBegun) this.#look();
      else connection.giveUp();
    });
  }

  /** There is nothing to do from now on. */
  rest(): void {
    this.#idleSince = this.#clock.monotonic();
  }

  end(): void {
    this.#timer.cancel();
  }

  #look(): void {
    const left = this.#connection.isIdle
      ? this.#idleSince + this.#limits.idleMs - this.#clock.monotonic()
      : this.#limits.idleMs;
    if (left <= 0) this.#connection.giveUp();
    else this.#timer = this.#clock.after(left, () => this.#look());
  }
}
