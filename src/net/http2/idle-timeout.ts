import type { Clock, Timer } from '../../kernel/index.ts';

export interface IdleTimeoutLimits {
  /** How long a peer may take to send its preface and first SETTINGS. */
  readonly prefaceMs: number;
  /** How long a connection may have no open stream. */
  readonly idleMs: number;
}

interface TimedConnection {
  /** Whether preface and SETTINGS have arrived. */
  readonly hasBegun: boolean;
  readonly isIdle: boolean;
  timedOut(): void;
}

/** Ends a connection that never begins or stays idle too long. It needs one timer, however many requests pass. */
export class IdleTimeout {
  readonly #clock: Clock;
  readonly #limits: IdleTimeoutLimits;
  readonly #connection: TimedConnection;
  #idleSince: number;
  #timer: Timer;

  constructor(clock: Clock, limits: IdleTimeoutLimits, connection: TimedConnection) {
    this.#clock = clock;
    this.#limits = limits;
    this.#connection = connection;
    this.#idleSince = clock.monotonic();
    this.#timer = clock.after(limits.prefaceMs, () => {
      if (connection.hasBegun) this.#check();
      else connection.timedOut();
    });
  }

  /** The connection's last stream has closed. */
  becameIdle(): void {
    this.#idleSince = this.#clock.monotonic();
  }

  cancel(): void {
    this.#timer.cancel();
  }

  #check(): void {
    const left = this.#connection.isIdle
      ? this.#idleSince + this.#limits.idleMs - this.#clock.monotonic()
      : this.#limits.idleMs;
    if (left <= 0) this.#connection.timedOut();
    else this.#timer = this.#clock.after(left, () => this.#check());
  }
}
