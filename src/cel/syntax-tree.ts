/**
 * The syntax tree of an expression. `at` is the source offset that errors about the node point to, in UTF-16 code
 * units.
 */
import type { Value } from './values.ts';

export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension;

interface Node {
  readonly at: number;
}

interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: Value;
}

interface Identifier extends Node {
  readonly kind: 'identifier';
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  /** `has(a.b)`: whether the field is there. */
  readonly test: boolean;
  /** `a.?b`: an optional. */
  readonly optional: boolean;
}

export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target: Expression | undefined;
  readonly args: readonly Expression[];
}

export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly elements: readonly { readonly value: Expression; readonly optional: boolean }[];
}

export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly { readonly key: Expression; readonly value: Expression; readonly optional: boolean }[];
}

export interface StructLiteral extends Node {
  readonly kind: 'struct';
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly value: Expression;
    readonly optional: boolean;
    readonly at: number;
  }[];
}

export type MacroName =
  | 'all'
  | 'exists'
  | 'existsOne'
  | 'map'
  | 'filter'
  | 'transformMap'
  | 'transformMapEntry'
  | 'optMap'
  | 'optFlatMap'
  | 'sortBy'
  | 'bind';

/** A loop over a list or map; for an optional, a loop with at most one iteration. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly macro: MacroName;
  readonly range: Expression;
  /** One: elements, or the keys of a map. Two: indexes and elements, or keys and values. */
  readonly variables: readonly string[];
  readonly predicate: Expression | undefined;
  readonly transform: Expression | undefined;
  /** The call as it is written, where an environment may not know the macro. */
  readonly written?: Call;
}

/** The expressions directly inside, in the order of evaluation. */
export function partsOf(node: Expression): Expression[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target ? [node.target, ...node.args] : [...node.args];
    case 'list':
      return node.elements.map(({ value }) => value);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return node.fields.map(({ value }) => value);
    case 'comprehension':
      return [node.range, node.predicate, node.transform].filter((part) => part !== undefined);
    default:
      return [];
  }
}
