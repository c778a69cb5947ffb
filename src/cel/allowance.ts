/** What evaluations may cost where the caller has little time: the main thread leaves what is over it to another thread. */
export class Allowance {
  remaining: number;

  constructor(remaining: number) {
    this.remaining = remaining;
  }

  /** Throws when more was spent than there was. */
  spend(cost: number): void {
    this.remaining -= cost;
    if (this.remaining < 0) throw new AllowanceExceededError();
  }
}

/** It is not a CEL error, so no operator of an expression can absorb it. */
export class AllowanceExceededError extends Error {
  override readonly name = 'AllowanceExceededError';

  constructor() {
    super('the expressions cost more than is allowed here');
  }
}
