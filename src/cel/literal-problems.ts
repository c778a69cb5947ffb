/** Checks literal arguments at compile time: the pattern of matches(), the text of duration() and timestamp(). */
import { append } from '../base/index.ts';
import { compileGoRegexp, GoRegexpError } from '../machinery/validation/index.ts';
import type { Checked } from './check.ts';
import type { SourceProblem } from './source-error.ts';
import type { Call, Expression } from './syntax-tree.ts';
import { parseDurationText, parseTimestampText } from './time-text.ts';
import { CelError } from './values.ts';

export function literalProblems({ expression }: Checked): SourceProblem[] {
  const problems: SourceProblem[] = [];
  const pending: Expression[] = [expression];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.kind === 'call') {
      const problem = problemOf(node);
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
