/** Evaluates the expressions of a policy on one admission request. */
import {
  type Allowance,
  CelError,
  CelObject,
  type LibraryValue,
  type ObjectType,
  untypedValue,
  type Value,
} from '../index.ts';
import type { AdmissionExpression, AdmissionExpressions } from './admission-expressions.ts';
import { PER_CALL_LIMIT, type Budget } from './budget.ts';
import { VARIABLES_TYPE } from './declarations.ts';

/** JSON values; null for absent ones. */
export interface AdmissionVariables {
  readonly object: unknown;
  readonly oldObject: unknown;
  readonly request: unknown;
  readonly params: unknown;
  readonly namespaceObject: unknown;
  readonly authorizer?: LibraryValue;
  readonly requestResource?: LibraryValue;
}

export type Outcome = { readonly value: Value } | { readonly error: string };

/** The variables as CEL values, converted once for all expressions of a request. */
const converted = new WeakMap<AdmissionVariables, Map<string, Value>>();

export class Evaluation {
  readonly #variables: LazyVariables;
  /** The cost of declared variables since the last expression ended. */
  #variablesCost = 0;

  readonly #input: AdmissionVariables;
  readonly #allowance: Allowance | undefined;

  constructor(expressions: AdmissionExpressions, input: AdmissionVariables, allowance?: Allowance) {
    this.#input = input;
    this.#allowance = allowance;
    this.#variables = new LazyVariables(expressions.variables, (expression) => this.#run(expression));
  }

  /** Throws OutOfBudgetError and AllowanceExceededError; every other error is in the outcome. */
  evaluate(expression: AdmissionExpression, budget: Budget): Outcome {
    const { source, error, program, typeNameError } = expression;
    if (!program) return { error: `compilation error: ${error ?? 'no program'}` };
    const outcome = program.run((name) => this.#find(name), PER_CALL_LIMIT, this.#allowance);
    budget.spend(this.#variablesCost);
    this.#variablesCost = 0;
    budget.spend(outcome.cost);
    if (outcome.error) return { error: `expression '${source}' resulted in error: ${outcome.error.message}` };
    if (typeNameError !== undefined) return { error: `type mismatch: ${typeNameError}` };
    return { value: outcome.value ?? null };
  }

  #run({ program, error }: AdmissionExpression): { value?: Value; error?: string } {
    if (!program) return { error: `fails to compile: ${error ?? ''}` };
    const outcome = program.run((name) => this.#find(name), PER_CALL_LIMIT, this.#allowance);
    this.#variablesCost += outcome.cost;
    return outcome.error ? { error: `fails to evaluate: ${outcome.error.message}` } : { value: outcome.value ?? null };
  }

  #find(name: string): Value | undefined {
    switch (name) {
      case 'variables':
        return this.#variables;
      case 'authorizer':
        return this.#input.authorizer;
      case 'authorizer.requestResource':
        return this.#input.requestResource;
      case 'object':
      case 'oldObject':
      case 'request':
      case 'params':
      case 'namespaceObject':
        return this.#convert(name);
      default:
        return undefined;
    }
  }

  #convert(name: 'object' | 'oldObject' | 'request' | 'params' | 'namespaceObject'): Value {
    let values = converted.get(this.#input);
    if (!values) converted.set(this.#input, (values = new Map()));
    let value = values.get(name);
    if (value === undefined) values.set(name, (value = untypedValue(this.#input[name])));
    return value;
  }
}

type Computed = { readonly value?: Value; readonly error?: string };

/** The `variables` object. A variable is computed when it is first read; its value or error is kept. */
class LazyVariables extends CelObject {
  readonly type: ObjectType = { kind: 'object', name: VARIABLES_TYPE, fields: new Map() };
  readonly #computed = new Map<string, Computed>();

  readonly #expressions: ReadonlyMap<string, AdmissionExpression>;
  readonly #compute: (expression: AdmissionExpression) => Computed;

  constructor(
    expressions: ReadonlyMap<string, AdmissionExpression>,
    compute: (expression: AdmissionExpression) => Computed,
  ) {
    super();
    this.#expressions = expressions;
    this.#compute = compute;
  }

  get(field: string): Value | undefined {
    const expression = this.#expressions.get(field);
    if (!expression) return undefined;
    let computed = this.#computed.get(field);
    if (!computed) this.#computed.set(field, (computed = this.#compute(expression)));
    if (computed.error !== undefined)
      throw new CelError(`composited variable ${JSON.stringify(field)} ${computed.error}`);
    return computed.value;
  }

  fieldNames(): readonly string[] {
    return [...this.#expressions.keys()];
  }
}
