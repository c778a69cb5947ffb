/** Checks literal arguments at compile time: of matches(), duration() and timestamp(), and those of format(). */
import { append } from '../base/index.ts';
import { compileGoRegexp, GoRegexpError } from '../machinery/validation/index.ts';
import type { Checked } from './check.ts';
import { CLAUSE_PROBLEMS, eachClause } from './library/format-text.ts';
import type { SourceProblem } from './source-error.ts';
import { partsOf, type Call, type Expression } from './syntax-tree.ts';
import { parseDurationText, parseTimestampText } from './time-text.ts';
import { RUNTIME_NAMES } from './types.ts';
import { CelError } from './values.ts';

export function literalProblems(checked: Checked): SourceProblem[] {
  const problems: SourceProblem[] = [];
  const pending: Expression[] = [checked.expression];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.kind === 'call') {
      const problem = problemOf(node) ?? formatProblem(node, checked);
      if (problem) problems.push(problem);
    }
    append(pending, partsOf(node));
  }
  return problems;
}

function problemOf({ name, target, args }: Call): SourceProblem | undefined {
  const argument =
    name === 'matches' ? args.at(-1) : !target && (name === 'duration' || name === 'timestamp') ? args[0] : undefined;
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return undefined;
  try {
    if (name === 'matches') compileGoRegexp(argument.value);
    else if (name === 'duration') parseDurationText(argument.value);
    else parseTimestampText(argument.value);
    return undefined;
  } catch (error) {
    if (!(error instanceof CelError) && !(error instanceof GoRegexpError)) throw error;
    return { at: argument.at, message: `invalid ${name} argument` };
  }
}

/** A clause that does not fit its argument in a literal list. */
class FormatProblem extends CelError {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(`error during formatting: ${message}`);
  }
}

function formatProblem({ name, target, args, at }: Call, checked: Checked): SourceProblem | undefined {
  const [list] = args;
  if (name !== 'format' || target?.kind !== 'literal' || typeof target.value !== 'string' || list?.kind !== 'list')
    return undefined;
  let requested = 0;
  try {
    eachClause(target.value, { count: list.elements.length, literal: true }, ({ verb }, index) => {
      requested++;
      checkArgument(verb, list.elements[index]!.value, checked);
      return '';
    });
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { at: error instanceof FormatProblem ? error.at : at, message: error.message };
  }
  const given = list.elements.length;
  if (given <= requested) return undefined;
  return { at, message: `too many arguments supplied to string.format (expected ${requested}, got ${given})` };
}

const INTEGERS = ['int', 'uint'];
/** Texts are taken for NaN and the infinities. */
const DOUBLES = ['double', 'string'];
const TAKEN: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    s: [...INTEGERS, ...DOUBLES, 'list', 'map', 'bool', 'timestamp', 'bytes', 'duration', 'type', 'null'],
    d: INTEGERS,
    f: DOUBLES,
    e: DOUBLES,
    b: [...INTEGERS, 'bool'],
    o: INTEGERS,
    x: [...INTEGERS, 'string', 'bytes'],
    X: [...INTEGERS, 'string', 'bytes'],
  }),
);

function checkArgument(verb: string, argument: Expression, checked: Checked): void {
  const type = checked.typeOf(argument);
  if (type.kind !== 'dyn' && !TAKEN.get(verb)?.includes(type.kind)) {
    const found = RUNTIME_NAMES[type.kind] ?? ('name' in type ? type.name : type.kind);
    throw new FormatProblem(argument.at, `${CLAUSE_PROBLEMS.get(verb)}, was given ${found}`);
  }
  if (verb === 's' && (argument.kind === 'list' || argument.kind === 'map'))
    for (const part of partsOf(argument)) checkArgument(verb, part, checked);
}
