/** Functions and operators: their overloads, by name. */
import type { CelType } from './types.ts';
import type { Value } from './values.ts';

export interface Overload {
  /** Upstream's name, by which costs are known: `add_string`, `in_list`. */
  readonly id: string;
  /** Called on its first argument. */
  readonly member: boolean;
  /** The target first, if it has one. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  evaluate(args: readonly Value[]): Value;
}

export type FunctionTable = ReadonlyMap<string, readonly Overload[]>;

export interface Library {
  readonly functions: Readonly<Record<string, readonly Overload[]>>;
  /** Names that stand for types. */
  readonly types?: Readonly<Record<string, CelType>>;
}

/** An overload whose arguments are what its parameters say, which the evaluator makes sure of. */
export function overload(
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  evaluate: (...args: never[]) => Value,
): Overload {
  return {
    id,
    member: false,
    parameters,
    result,
    evaluate: (args) => (evaluate as (...all: readonly Value[]) => Value)(...args),
  };
}

export function method(
  id: string,
  parameters: readonly CelType[],
  result: CelType,
  evaluate: (...args: never[]) => Value,
): Overload {
  return { ...overload(id, parameters, result, evaluate), member: true };
}

export function functionTable(libraries: readonly Library[]): FunctionTable {
  const table = new Map<string, Overload[]>();
  for (const { functions } of libraries) {
    for (const [name, overloads] of Object.entries(functions))
      table.set(name, [...(table.get(name) ?? []), ...overloads]);
  }
  return table;
}
