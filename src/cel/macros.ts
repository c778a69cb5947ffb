/** The CEL macros, which the parser expands: `has`, and the comprehensions over lists, maps and optionals. */
import { CelSyntaxError } from './source-error.ts';
import type { Comprehension, Expression, MacroName } from './syntax-tree.ts';

export function expandGlobalMacro(name: string, at: number, args: readonly Expression[]): Expression | undefined {
  if (name !== 'has' || args.length !== 1) return undefined;
  const [argument] = args;
  if (argument?.kind !== 'select' || argument.optional)
    throw new CelSyntaxError([{ at: argument?.at ?? at, message: 'invalid argument to has() macro' }]);
  return { ...argument, at, test: true };
}

interface MemberCall {
  readonly at: number;
  readonly target: Expression;
  readonly args: readonly Expression[];
}

type Part = 'variable' | 'predicate' | 'transform';

interface Macro {
  readonly macro: MacroName;
  readonly parts: readonly Part[];
}

const macro = (name: MacroName, ...parts: Part[]): Macro => ({ macro: name, parts });

const MACROS: ReadonlyMap<string, readonly Macro[]> = new Map(
  Object.entries<readonly Macro[]>({
    all: [macro('all', 'variable', 'predicate'), macro('all', 'variable', 'variable', 'predicate')],
    exists: [macro('exists', 'variable', 'predicate'), macro('exists', 'variable', 'variable', 'predicate')],
    exists_one: [macro('existsOne', 'variable', 'predicate')],
    existsOne: [macro('existsOne', 'variable', 'predicate'), macro('existsOne', 'variable', 'variable', 'predicate')],
    filter: [macro('filter', 'variable', 'predicate')],
    map: [macro('map', 'variable', 'transform'), macro('map', 'variable', 'predicate', 'transform')],
    transformList: [
      macro('map', 'variable', 'variable', 'transform'),
      macro('map', 'variable', 'variable', 'predicate', 'transform'),
    ],
    transformMap: [
      macro('transformMap', 'variable', 'variable', 'transform'),
      macro('transformMap', 'variable', 'variable', 'predicate', 'transform'),
    ],
    transformMapEntry: [
      macro('transformMapEntry', 'variable', 'variable', 'transform'),
      macro('transformMapEntry', 'variable', 'variable', 'predicate', 'transform'),
    ],
    optMap: [macro('optMap', 'variable', 'transform')],
    optFlatMap: [macro('optFlatMap', 'variable', 'transform')],
    sortBy: [macro('sortBy', 'variable', 'transform')],
  }),
);

export function expandMemberMacro(name: string, { at, target, args }: MemberCall): Comprehension | undefined {
  if (name === 'bind' && target.kind === 'identifier' && target.name === 'cel' && args.length === 3) {
    const [variable, value, transform] = args as [Expression, Expression, Expression];
    return {
      kind: 'comprehension',
      at,
      macro: 'bind',
      range: value,
      variables: [simpleName(variable)],
      predicate: undefined,
      transform,
      written: { kind: 'call', at, name, target, args },
    };
  }
  const candidates = MACROS.has(name) ? MACROS.get(name)! : [];
  const found = candidates.find(({ parts }) => parts.length === args.length);
  if (!found) return undefined;
  const part = (wanted: Part): Expression | undefined => args[found.parts.indexOf(wanted)];
  const variables = args.filter((_argument, i) => found.parts[i] === 'variable').map(simpleName);
  if (variables.length === 2 && variables[0] === variables[1]) {
    throw new CelSyntaxError([{ at: args[1]!.at, message: `duplicate variable name: ${variables[0]}` }]);
  }
  return {
    kind: 'comprehension',
    at,
    macro: found.macro,
    range: target,
    variables,
    predicate: part('predicate'),
    transform: part('transform'),
    ...(found.macro === 'sortBy' ? { written: { kind: 'call', at, name, target, args } } : {}),
  };
}

function simpleName(argument: Expression): string {
  if (argument.kind === 'identifier' && !argument.name.startsWith('.')) return argument.name;
  throw new CelSyntaxError([{ at: argument.at, message: 'argument must be a simple name' }]);
}
