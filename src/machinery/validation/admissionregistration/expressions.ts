/** Validates the CEL expressions of policies and match conditions. */
import type { MatchCondition, Variable } from '../../../api/generated/admissionregistration-v1.ts';
import {
  duplicate,
  type FieldError,
  internalFieldError,
  invalidValue,
  type Path,
  required,
  tooMany,
} from '../../errors/index.ts';
import type { CelAdmissionExpression, CelCompiler } from '../cel-compiler.ts';
import { validateLabelName } from '../label-selector.ts';

const MAX_MATCH_CONDITIONS = 64;
const CEL_IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const CEL_RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** What the expressions of one object share. */
export interface ExpressionScope {
  readonly cel: CelCompiler | undefined;
  readonly hasParams: boolean;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
}

type ExpressionUse = Pick<CelAdmissionExpression, 'use'> & { readonly hasAuthorizer: boolean };

/** `shown` is the expression in the error, if it differs from the compiled one. */
export function validateExpression(
  errors: FieldError[],
  expression: string,
  at: Path,
  {
    cel,
    hasParams,
    variables,
    use,
    hasAuthorizer,
    shown,
  }: ExpressionScope & ExpressionUse & { readonly shown?: string },
): void {
  const error = cel?.compileAdmissionExpression({
    ...{ expression, use, hasParams, hasAuthorizer },
    ...(variables ? { variables } : {}),
  }).error;
  if (!error) return;
  if (error.type === 'required') errors.push(required(at, error.detail));
  else if (error.type === 'invalid') errors.push(invalidValue(at, shown ?? expression, error.detail));
  else errors.push(internalFieldError(at, error.detail));
}

export function validateMatchConditions(
  errors: FieldError[],
  conditions: readonly MatchCondition[],
  at: Path,
  scope: Omit<ExpressionScope, 'variables'>,
): void {
  if (conditions.length > MAX_MATCH_CONDITIONS) errors.push(tooMany(at, conditions.length, MAX_MATCH_CONDITIONS));
  const names = new Set<string>();
  for (const [i, { name = '', expression = '' }] of conditions.entries()) {
    const trimmed = expression.trim();
    if (trimmed === '') errors.push(required(at.index(i).child('expression')));
    else {
      const place = { ...scope, use: 'matchCondition', hasAuthorizer: true } as const;
      validateExpression(errors, trimmed, at.index(i).child('expression'), place);
    }
    if (name === '') {
      errors.push(required(at.index(i).child('name')));
      continue;
    }
    validateLabelName(errors, name, at.index(i).child('name'));
    if (names.has(name)) errors.push(duplicate(at.index(i).child('name'), name));
    names.add(name);
  }
}

export const declared = ({ name = '', expression = '' }: Variable): { name: string; expression: string } => ({
  name,
  expression,
});

/** A variable may use those before it. */
export function validateVariables(
  errors: FieldError[],
  variables: readonly Variable[],
  at: Path,
  scope: Omit<ExpressionScope, 'variables'>,
): void {
  for (const [i, { name = '', expression = '' }] of variables.entries()) {
    const variableAt = at.index(i);
    if (name.trim() === '') errors.push(required(variableAt.child('name'), 'name is not specified'));
    else if (!CEL_IDENTIFIER.test(name) || CEL_RESERVED.has(name)) {
      errors.push(invalidValue(variableAt.child('name'), name, 'must be a valid CEL identifier'));
    }
    if (expression.trim() === '') errors.push(required(variableAt.child('expression'), 'expression is not specified'));
    else {
      const place = {
        ...scope,
        variables: variables.slice(0, i).map(declared),
        use: 'variable',
        hasAuthorizer: true,
      } as const;
      validateExpression(errors, expression, variableAt.child('expression'), place);
    }
  }
}
