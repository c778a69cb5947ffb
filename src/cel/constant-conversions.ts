/**
 * What is wrong with a program before it runs, even in a branch that never runs: upstream evaluates conversions of
 * constants, such as int("b"), when it makes the program, and takes every name of type `type` for that of a type.
 */
import type { Checked } from './check.ts';
import { partsOf, type Call, type Expression } from './syntax-tree.ts';
import { CelError, TypeValue, type Value } from './values.ts';

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
  if (checked.typeOf(node).kind === 'type') {
    const name = checked.nameOf(node);
    if (name !== undefined && !checked.isType(name)) throw new CelError(`reference to undefined type: ${name}`);
    if (name !== undefined) constants.set(node, new TypeValue(name));
  }
  if (node.kind === 'call' && isIndex(node) && constants.get(node.args[1]!) instanceof TypeValue)
    throw new CelError('invalid qualifier type: *types.Type');
  if (node.kind !== 'call' || !isConversion(node)) return;
  const [argument] = node.args;
  const [overload, ...others] = checked.overloadsOf(node);
  if (overload && others.length === 0 && constants.has(argument!))
    constants.set(node, overload.evaluate([constants.get(argument!)!]));
}

const isIndex = ({ name }: Call): boolean => name === '_[_]' || name === '_[?_]';

const isConversion = ({ name, target, args }: Call): boolean => !target && args.length === 1 && CONVERSIONS.has(name);
