/** One evaluation of a CEL program: its variables, the current values of its loop variables, and its cost so far. */
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

  constructor(find: Variables, limit: number) {
    this.#find = find;
    this.#limit = limit;
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
    if (this.cost > this.#limit) throw new CostLimitError();
  }
}

export type Evaluate = (run: Run) => Value;

/** What the compilation of comprehensions needs from the compiler of expressions. */
export interface ExpressionCompiler {
  compile(node: Expression): Evaluate;
  /** Compiles with loop variables in scope; returns their slots. */
  within(names: readonly string[], compile: () => void): number[];
}
