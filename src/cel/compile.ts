/** Compiles a CEL expression to a program: parses it, checks its types and the literal arguments of its calls. */
import { check, type Checked } from './check.ts';
import type { Environment } from './environment.ts';
import { literalProblems } from './literal-problems.ts';
import { parse } from './parser.ts';
import { Program } from './program.ts';
import { CelSyntaxError, problemsText } from './source-error.ts';
import type { CelType } from './types.ts';

export interface Compiled {
  readonly checked: Checked;
  readonly program: Program;
  readonly type: CelType;
}

/** An expression's errors in cel-go's format. */
export class CelCompileError extends Error {
  constructor(readonly problems: string) {
    super(problems);
    this.name = 'CelCompileError';
  }
}

/** Throws a CelCompileError. */
export function compile(source: string, environment: Environment): Compiled {
  const checked = checkSource(source, environment);
  return { checked, program: new Program(checked), type: checked.type };
}

export function checkSource(source: string, environment: Environment): Checked {
  try {
    const checked = check(parse(source), environment);
    const problems = checked.problems.length > 0 ? checked.problems : literalProblems(checked);
    if (problems.length > 0) throw new CelCompileError(problemsText(source, problems));
    return checked;
  } catch (error) {
    if (error instanceof CelSyntaxError) throw new CelCompileError(problemsText(source, error.problems));
    throw error;
  }
}
