/** One evaluation of a CEL program: its variables, the current values of its loop variables, and its cost so far. */
import { type Allowance, AllowanceExceededError } from './allowance.ts';
import type { Expression } from './syntax-tree.ts';
import { CelError, CostLimitError, type Value } from './values.ts';

/** cel-go's activation: finds the value of a variable when the expression first reads it. */
export type Variables = (name: string) => Value | undefined;

export class Run {
  cost = 0;
  /** The current values of loop variables. */
  readonly slots: Value[] = [];
  readonly #variables = new Map<string, Value>();
  readonly #find: Variables;
  readonly #limit: number;
  /** The cost at which the run stops: its limit, or the end of its allowance. */
  #stopAt: number;
  /** The part of the cost that takes no time here. */
  #elsewhere = 0;

  constructor(find: Variables, limit: number, allowance: Allowance | undefined) {
    this.#find = find;
    this.#limit = limit;
    this.#stopAt = allowance ? Math.min(limit, allowance.remaining) : limit;
  }

  /** What the run takes of its allowance. */
  get work(): number {
    return this.cost - this.#elsewhere;
  }

  variable(name: string): Value {
    let value = this.#variables.get(name);
    if (value === undefined) {
      value = this.#find(name);
      if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
      this.#variables.set(name, value);
    }
    return value;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#stopAt) throw this.cost > this.#limit ? new CostLimitError() : new AllowanceExceededError();
  }

  /** For a call whose cost stands for the work of others. */
  spendElsewhere(cost: number): void {
    this.#elsewhere += cost;
    this.#stopAt = Math.min(this.#limit, this.#stopAt + cost);
    this.spend(cost);
  }
}

export type Evaluate = (run: Run) => Value;

/** What the compilation of comprehensions needs from the compiler of expressions. */
export interface ExpressionCompiler {
  compile(node: Expression): Evaluate;
  /** Compiles with loop variables in scope; returns their slots. */
  within(names: readonly string[], compile: () => void): number[];
}
