/** A compiled CEL expression: functions that evaluate it, count its cost and stop when the cost exceeds the limit. */
import type { Allowance } from './allowance.ts';
import { AUTHORIZATION_CHECK, callCost } from './call-cost.ts';
import type { Checked } from './check.ts';
import { compileComprehension } from './comprehension.ts';
import type { Overload } from './function-table.ts';
import { elementAt, fieldOf, hasField } from './lookup.ts';
import { Run, type Evaluate, type ExpressionCompiler, type Variables } from './run.ts';
import { matchesType } from './runtime-types.ts';
import type { Call, Expression, ListLiteral, MapLiteral, Select, StructLiteral } from './syntax-tree.ts';
import {
  CelError,
  CostLimitError,
  isEqual,
  noSuchOverload,
  Optional,
  sizeOf,
  toKey,
  TypeValue,
  type MapKey,
  type Value,
} from './values.ts';

interface Outcome {
  readonly cost: number;
  readonly value?: Value;
  readonly error?: CelError;
}

export class Program {
  readonly #evaluate: Evaluate;

  constructor(checked: Checked) {
    this.#evaluate = new Compiler(checked).compile(checked.expression);
  }

  /** The expression's errors are in the outcome. Throws AllowanceExceededError. */
  run(variables: Variables, limit: number, allowance?: Allowance): Outcome {
    const run = new Run(variables, limit, allowance);
    const outcome = this.#run(run);
    allowance?.spend(run.work);
    return outcome;
  }

  #run(run: Run): Outcome {
    try {
      const value = this.#evaluate(run);
      return { cost: run.cost, value };
    } catch (error) {
      if (error instanceof CelError) return { cost: run.cost, error };
      if (error instanceof RangeError)
        return { cost: run.cost, error: new CelError(`evaluation failed: ${error.message}`) };
      throw error;
    }
  }
}

class Compiler implements ExpressionCompiler {
  /** The names of the loop variables in scope, by slot. */
  readonly #scope: string[] = [];

  readonly #checked: Checked;

  constructor(checked: Checked) {
    this.#checked = checked;
  }

  compile(node: Expression): Evaluate {
    switch (node.kind) {
      case 'literal': {
        const { value } = node;
        return () => value;
      }
      case 'identifier':
        return this.#identifier(node.name.replace(/^\./, ''), node);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node);
      case 'comprehension':
        return compileComprehension(node, this);
    }
  }

  within(names: readonly string[], compile: () => void): number[] {
    const slots = names.map((name) => this.#scope.push(name) - 1);
    compile();
    this.#scope.length -= names.length;
    return slots;
  }

  #identifier(name: string, node: Expression): Evaluate {
    const slot = this.#scope.lastIndexOf(name);
    if (slot >= 0) {
      return (run) => {
        run.spend(1);
        return run.slots[slot]!;
      };
    }
    if (!this.#checked.references.has(name) && this.#checked.typeOf(node).kind === 'type') {
      const type = new TypeValue(name);
      return () => type;
    }
    return (run) => {
      run.spend(1);
      return run.variable(name);
    };
  }

  #select(node: Select): Evaluate {
    const name = this.#checked.nameOf(node);
    if (name !== undefined) return this.#identifier(name, node);
    const operand = this.compile(node.operand);
    const { field } = node;
    if (node.test) return (run) => hasField(operand(run), field);
    if (node.optional) {
      return (run) => {
        const target = operand(run);
        run.spend(1);
        return optionalField(target, field);
      };
    }
    return (run) => {
      const target = operand(run);
      run.spend(1);
      return target instanceof Optional ? optionalField(target, field) : fieldOf(target, field);
    };
  }

  #call(node: Call): Evaluate {
    switch (node.name) {
      case '_&&_':
        return this.#logical(node, false);
      case '_||_':
        return this.#logical(node, true);
      case '_?_:_':
        return this.#conditional(node);
      case '_==_':
      case '_!=_':
        return this.#equality(node);
    }
    const name = this.#checked.nameOf(node) ?? node.name;
    const parts = node.target && this.#checked.nameOf(node) === undefined ? [node.target, ...node.args] : node.args;
    const args = parts.map((part) => this.compile(part));
    if (name === '_[_]' || name === '_[?_]') return index(args, name === '_[?_]');
    return this.#invoke(name, args, this.#checked.overloadsOf(node));
  }

  #invoke(name: string, args: readonly Evaluate[], overloads: readonly Overload[]): Evaluate {
    const [only] = overloads;
    const exact = overloads.length === 1 && only ? only : undefined;
    return (run) => {
      const values = args.map((arg) => arg(run));
      const chosen =
        exact && matches(exact, values) ? exact : overloads.find((candidate) => matches(candidate, values));
      if (!chosen) throw noSuchOverload();
      const before = costBeforeCall(name, chosen, values);
      if (before > 0) run.spend(before);
      const result = chosen.evaluate(values);
      const cost = callCost(name, chosen.id, values, result);
      if (cost === AUTHORIZATION_CHECK) run.spendElsewhere(cost);
      else run.spend(cost - before);
      return result;
    };
  }

  /** An error on one side does not count if the other side decides the result. */
  #logical({ args }: Call, decisive: boolean): Evaluate {
    const [left, right] = args.map((arg) => this.compile(arg)) as [Evaluate, Evaluate];
    const outcome = (operand: Evaluate, run: Run): boolean | CelError => {
      try {
        const value = operand(run);
        return typeof value === 'boolean' ? value : noSuchOverload();
      } catch (error) {
        if (!(error instanceof CelError) || error instanceof CostLimitError) throw error;
        return error;
      }
    };
    return (run) => {
      const first = outcome(left, run);
      if (first === decisive) return decisive;
      const second = outcome(right, run);
      if (second === decisive) return decisive;
      if (typeof first !== 'boolean') throw first;
      if (typeof second !== 'boolean') throw second;
      return !decisive;
    };
  }

  #conditional({ args }: Call): Evaluate {
    const [condition, whenTrue, whenFalse] = args.map((arg) => this.compile(arg)) as [Evaluate, Evaluate, Evaluate];
    return (run) => {
      const value = condition(run);
      if (typeof value !== 'boolean') throw noSuchOverload();
      return value ? whenTrue(run) : whenFalse(run);
    };
  }

  #equality({ name, args }: Call): Evaluate {
    const [left, right] = args.map((arg) => this.compile(arg)) as [Evaluate, Evaluate];
    const wanted = name === '_==_';
    return (run) => {
      const [a, b] = [left(run), right(run)];
      run.spend(Math.max(1, Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * 0.1)));
      return isEqual(a, b) === wanted;
    };
  }

  #list({ elements }: ListLiteral): Evaluate {
    if (elements.every(({ value, optional }) => value.kind === 'literal' && !optional)) {
      const constant = Object.freeze(elements.map(({ value }) => (value.kind === 'literal' ? value.value : null)));
      return () => constant;
    }
    const parts = elements.map(({ value, optional }) => ({ evaluate: this.compile(value), optional }));
    return (run) => {
      run.spend(10);
      const list: Value[] = [];
      for (const { evaluate, optional } of parts) {
        const value = evaluate(run);
        if (!optional) list.push(value);
        else if (asOptional(value).hasValue) list.push(asOptional(value).value);
      }
      return list;
    };
  }

  #map({ entries }: MapLiteral): Evaluate {
    const parts = entries.map(({ key, value, optional }) => ({
      key: this.compile(key),
      value: this.compile(value),
      optional,
    }));
    return (run) => {
      run.spend(30);
      const map = new Map<MapKey, Value>();
      for (const part of parts) {
        const key = toKey(part.key(run));
        if (key === undefined) throw new CelError('unsupported key type');
        const value = part.value(run);
        if (map.has(key)) throw new CelError(`Failed with repeated key`);
        if (!part.optional) map.set(key, value);
        else if (asOptional(value).hasValue) map.set(key, asOptional(value).value);
      }
      return map;
    };
  }

  /** An object literal evaluates to a map: only mutating policies have them, and convert them to JSON. */
  #struct({ fields }: StructLiteral): Evaluate {
    const parts = fields.map(({ name, value, optional }) => ({ name, value: this.compile(value), optional }));
    return (run) => {
      run.spend(40);
      const map = new Map<MapKey, Value>();
      for (const { name, value: evaluate, optional } of parts) {
        const value = evaluate(run);
        if (!optional) map.set(name, value);
        else if (asOptional(value).hasValue) map.set(name, asOptional(value).value);
      }
      return map;
    };
  }
}

function matches({ parameters }: Overload, values: readonly Value[]): boolean {
  for (let i = 0; i < parameters.length; i++) if (!matchesType(values[i]!, parameters[i]!)) return false;
  return true;
}

const CHARGED_BEFORE_CALL = new Set([
  'matches',
  'find',
  'findAll',
  'contains',
  'sets.contains',
  'sets.intersects',
  'sets.equivalent',
  '@in',
]);

/** The cost that is charged before an expensive call, so that the limit prevents the call itself. */
function costBeforeCall(name: string, { id }: Overload, values: readonly Value[]): number {
  return CHARGED_BEFORE_CALL.has(name) ? callCost(name, id, values, null) : 0;
}

const asOptional = (value: Value): Optional => {
  if (value instanceof Optional) return value;
  throw new CelError(`cannot initialize optional entry '?' from non-optional value`);
};

function optionalField(target: Value, field: string): Value {
  const holder = target instanceof Optional ? (target.hasValue ? target.value : undefined) : target;
  if (holder === undefined || hasField(holder, field) !== true) return Optional.NONE;
  return Optional.of(fieldOf(holder, field));
}

function index([container, key]: readonly Evaluate[], optional: boolean): Evaluate {
  return (run) => {
    const [target, at] = [container!(run), key!(run)];
    run.spend(1);
    const holder = target instanceof Optional ? (target.hasValue ? target.value : undefined) : target;
    if (!optional && !(target instanceof Optional)) return elementAt(target, at);
    if (holder === undefined) return Optional.NONE;
    try {
      return Optional.of(elementAt(holder, at));
    } catch (error) {
      if (error instanceof CelError && /^(no such key|index out of bounds)/.test(error.message)) return Optional.NONE;
      throw error;
    }
  };
}
