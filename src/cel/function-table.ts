/** The functions and operators of an environment: their overloads by name. */
import type { CelType } from './types.ts';
import type { Value } from './values.ts';

export interface Overload {
  /** cel-go's overload ID, which also selects the cost: `add_string`, `in_list`. */
  readonly id: string;
  /** A method: its first parameter is the target. */
  readonly member: boolean;
  /** For a method the target comes first. */
  readonly parameters: readonly CelType[];
  readonly result: CelType;
  evaluate(args: readonly Value[]): Value;
}

export type FunctionTable = ReadonlyMap<string, readonly Overload[]>;

export interface Library {
  /** The minor version of Kubernetes that it came with; absent for what every version has that can be emulated. */
  readonly introduced?: number;
  readonly functions: Readonly<Record<string, readonly Overload[]>>;
  /** Type names that expressions can refer to. */
  readonly types?: Readonly<Record<string, CelType>>;
}

/** A global function. The program calls it only with arguments that match the parameters. */
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
