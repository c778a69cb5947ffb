/**
 * CEL cost limits in admission, for one request: of all expressions of one policy binding, and of all match
 * conditions.
 */
export const COST_BUDGET = 10_000_000;
export const MATCH_CONDITIONS_COST_BUDGET = 2_500_000;
/** The cost limit of one evaluation. */
export const PER_CALL_LIMIT = 1_000_000;

export class Budget {
  constructor(public remaining: number) {}

  spend(cost: number): void {
    if (cost > this.remaining) throw new OutOfBudgetError();
    this.remaining -= cost;
  }
}

export class OutOfBudgetError extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}
