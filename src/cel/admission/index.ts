/**
 * CEL in admission: compiles and evaluates the expressions of ValidatingAdmissionPolicies, MutatingAdmissionPolicies
 * and webhook match conditions within their cost budgets. `AdmissionExpressions` compiles, `Evaluation` evaluates on
 * one request, `typeCheckPolicy` makes the warnings of status.typeChecking.
 */
export {
  AdmissionExpressions,
  compileAdmissionExpression,
  type AdmissionExpression,
  type Declarations,
  type ExpressionOptions,
} from './admission-expressions.ts';
export { Budget, COST_BUDGET, MATCH_CONDITIONS_COST_BUDGET, OutOfBudgetError } from './budget.ts';
export { Evaluation, type AdmissionVariables, type Outcome } from './evaluation.ts';
export { toJson } from './to-json.ts';
export { checkedResources, typeCheckPolicy } from './type-check-policy.ts';
