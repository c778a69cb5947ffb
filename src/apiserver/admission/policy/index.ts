/**
 * Dynamic admission by policies: CEL expressions in ValidatingAdmissionPolicy and MutatingAdmissionPolicy objects, put
 * to work by bindings, with parameters from other objects. Evaluated in this process, within budgets.
 */
export { mutatingPolicyPlugin } from './mutating.ts';
export { matchConditionEvaluator } from './match-condition-evaluator.ts';
export { type ExpressionServices, PolicyExpressions } from './expressions.ts';
export { validatingPolicyPlugin } from './validating.ts';
