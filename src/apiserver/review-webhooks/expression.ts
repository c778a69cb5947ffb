/** CEL expressions of configuration files (match conditions, claim mappings) over JSON values. */
import { toJson } from '../../cel/admission/index.ts';
import { CelCompileError, compile, Environment, types, untypedValue } from '../../cel/index.ts';

export interface Expression {
  readonly text: string;
  /** Throws if the evaluation fails or exceeds the cost limit. */
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** The cost limit of one evaluation. */
const COST_LIMIT = 1_000_000;

/** Throws if the expression does not compile or uses other variables. */
export function compileExpression(text: string, variables: readonly string[]): Expression {
  const { program } = compiled(
    text,
    new Environment({ variables: Object.fromEntries(variables.map((name) => [name, types.DYN])) }),
  );
  return {
    text,
    evaluate(values) {
      const { value, error } = program.run(
        (name) => (Object.hasOwn(values, name) ? untypedValue(values[name]) : undefined),
        COST_LIMIT,
      );
      if (error) throw error;
      return toJson(value ?? null);
    },
  };
}

function compiled(text: string, environment: Environment): ReturnType<typeof compile> {
  try {
    return compile(text, environment);
  } catch (error) {
    if (error instanceof CelCompileError) throw new Error(`compilation failed: ${error.problems}`, { cause: error });
    throw error;
  }
}
