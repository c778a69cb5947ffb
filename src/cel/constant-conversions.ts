/**
 * Conversions of constants, such as int("b"). Upstream evaluates them when it makes a program, so one that fails is an
 * error of the expression and not of an evaluation, even in a branch that never runs.
 */
import type { Checked } from './check.ts';
import { partsOf, type Call, type Expression } from './syntax-tree.ts';
import { CelError, type Value } from './values.ts';

const CONVERSIONS = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

/** Why no program can be made of the expression; undefined if one can. */
export function programProblem(checked: Checked): string | undefined {
  const constants = new Map<Expression, Value>();
  try {
    fold(checked.expression, checked, constants);
    return undefined;
  } catch (error) {
    if (error instanceof CelError) return `program instantiation failed: ${error.message}`;
    throw error;
  }
}

function fold(node: Expression, checked: Checked, constants: Map<Expression, Value>): void {
  for (const part of partsOf(node)) fold(part, checked, constants);
  if (node.kind === 'literal') constants.set(node, node.value);
  if (node.kind !== 'call' || !isConversion(node)) return;
  const [argument] = node.args;
  const [overload, ...others] = checked.overloadsOf(node);
  if (overload && others.length === 0 && constants.has(argument!))
    constants.set(node, overload.evaluate([constants.get(argument!)!]));
}

const isConversion = ({ name, target, args }: Call): boolean => !target && args.length === 1 && CONVERSIONS.has(name);
