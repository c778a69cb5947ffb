import {
  Budget,
  MATCH_CONDITIONS_COST_BUDGET,
  OutOfBudgetError,
  type AdmissionExpression,
} from '../../../cel/admission/index.ts';
import type { ConditionOutcome } from '../match-conditions.ts';
import type { EvaluationInput, PolicyExpressions } from './expressions.ts';

/** Evaluates match conditions. If they exceed their cost budget, that error is the only outcome. */
export async function evaluateConditions(
  compiler: PolicyExpressions,
  conditions: readonly AdmissionExpression[],
  input: EvaluationInput,
): Promise<ConditionOutcome[]> {
  const budget = new Budget(MATCH_CONDITIONS_COST_BUDGET);
  try {
    const outcomes = await compiler.evaluate(input, conditions, budget);
    return outcomes.map((outcome) => ('error' in outcome ? outcome : { value: outcome.value === true }));
  } catch (error) {
    if (error instanceof OutOfBudgetError) return [{ error: error.message }];
    throw error;
  }
}
