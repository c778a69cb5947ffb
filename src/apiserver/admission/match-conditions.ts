/** matchConditions: CEL expressions that must all be true for a webhook or policy to apply to a request. */
import type { MatchCondition } from '../../api/generated/admissionregistration-v1.ts';
import { aggregateMessage } from '../../machinery/errors/index.ts';
import type { AdmissionAttributes } from './admission.ts';
import type { MatchedVersion } from './versioned-objects.ts';

export interface Conditional {
  readonly matchConditions: readonly MatchCondition[];
  readonly ignoresFailure: boolean;
}

export interface MatchResult {
  readonly matches: boolean;
  /** Set when the conditions could not be evaluated and failurePolicy is Fail. */
  readonly error?: string;
}

export interface MatchConditionEvaluator {
  evaluate(conditional: Conditional, attributes: AdmissionAttributes, matched: MatchedVersion): Promise<MatchResult>;
}

/** The result of one condition, or the evaluation error. */
export type ConditionOutcome = { readonly value: boolean } | { readonly error: string };

/** One false condition is enough to skip, even if others could not be evaluated. */
export function combineConditions(outcomes: readonly ConditionOutcome[], ignoresFailure: boolean): MatchResult {
  if (outcomes.some((outcome) => 'value' in outcome && !outcome.value)) return { matches: false };
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
  if (errors.length === 0) return { matches: true };
  return ignoresFailure ? { matches: false } : { matches: false, error: aggregateMessage(errors) };
}
