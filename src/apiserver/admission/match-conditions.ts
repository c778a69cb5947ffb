/** matchConditions: CEL expressions that must all be true for a webhook or policy to concern a request. */
import type { MatchCondition } from '../../api/generated/admissionregistration-v1.ts';
import type { AdmissionAttributes } from './admission.ts';
import { aggregateMessageOf } from './aggregate-message.ts';
import type { View } from './versioned-objects.ts';

export interface Conditional {
  readonly matchConditions: readonly MatchCondition[];
  readonly ignoresFailure: boolean;
}

export interface MatchResult {
  readonly matches: boolean;
  /** The conditions could not be evaluated, and the request is to fail for it. */
  readonly error?: string;
}

export interface MatchConditionEvaluator {
  evaluate(conditional: Conditional, attributes: AdmissionAttributes, view: View): Promise<MatchResult>;
}

/** The outcome of one condition: what it gave, or why it gave nothing. */
export type ConditionOutcome = { readonly value: boolean } | { readonly error: string };

/** One condition that is false decides, also when others could not be evaluated. */
export function combineConditions(outcomes: readonly ConditionOutcome[], ignoresFailure: boolean): MatchResult {
  if (outcomes.some((outcome) => 'value' in outcome && !outcome.value)) return { matches: false };
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
  if (errors.length === 0) return { matches: true };
  return ignoresFailure ? { matches: false } : { matches: false, error: aggregateMessageOf(errors) };
}
