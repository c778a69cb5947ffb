/** CEL expressions over JSON values: whole numbers are CEL's int. */
import { Environment } from '@marcbachmann/cel-js';

export interface Expression {
  readonly text: string;
  evaluate(variables: Readonly<Record<string, unknown>>): unknown;
}

/** Throws when the expression cannot be read or uses anything but the given variables. */
export function compileExpression(text: string, variables: readonly string[]): Expression {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  for (const name of variables) environment.registerVariable(name, 'dyn');
  const compiled = environment.parse(text);
  const { valid, error } = compiled.check();
  if (!valid) throw new Error(`compilation failed: ${error?.message ?? 'the expression does not type-check'}`);
  return {
    text,
    evaluate(values) {
      const converted = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toCel(value)]));
      return fromCel(compiled(converted));
    },
  };
}

function toCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(toCel);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toCel(inner)]));
  return value;
}

function fromCel(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(fromCel);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [String(key), fromCel(inner)]));
  return value;
}
