/**
 * CEL in admission: what expressions of policies and match conditions may refer to (the request and its objects,
 * parameters, the namespace, variables, an authorizer), how they are compiled, and how they run within their budgets.
 */
export {
  AdmissionExpressions,
  admissionExpressionProblem,
  type AdmissionExpression,
  type ExpressionOptions,
  type ResultKind,
} from './admission-expressions.ts';
export { Budget, COST_BUDGET, MATCH_CONDITIONS_COST_BUDGET, OutOfBudgetError } from './budget.ts';
export { Evaluation, type AdmissionVariables, type Outcome } from './evaluation.ts';
export { typeCheckPolicy, type FindKind } from './type-check-policy.ts';
export { toJson } from './to-json.ts';
