/** Validation of the policy group: PodDisruptionBudgets. An Eviction has no rules of its own. */
import type { KindValidation } from '../kind-validation.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';

export const policyValidations: Readonly<Record<string, KindValidation>> = {
  'policy/poddisruptionbudgets': podDisruptionBudget,
};

export const policyBodies: Readonly<Record<string, KindValidation>> = { Eviction: { create: [], update: [] } };
