/** Validation of PodDisruptionBudgets. */
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../../api/generated/policy-v1.ts';
import { type FieldError, invalidValue, notSupported, path } from '../../errors/index.ts';
import { nameIsPathSegment } from '../../names/index.ts';
import { validateNotMoreThan100Percent, validatePositiveIntOrPercent } from '../apps/int-or-percent.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { metadata } from '../metadata-checks.ts';
import { validateConditions, validateNonnegative } from '../object-meta.ts';

const SPEC = path('spec');
const STATUS = path('status');
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

// As upstream, only the minimum rules of names apply.
export const podDisruptionBudget: KindValidation<PodDisruptionBudget> = {
  create: [
    (errors, object) => validateSpec(errors, object.spec),
    metadata({ namespaced: true, name: nameIsPathSegment, unqualifiedFinalizers: true }),
  ],
  update: [(errors, object) => validateSpec(errors, object.spec)],
  status: [
    (errors, object) => validateConditions(errors, object.status?.conditions ?? [], STATUS.child('conditions')),
    (errors, object) => {
      for (const name of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const) {
        validateNonnegative(errors, object.status?.[name], STATUS.child(name));
      }
    },
  ],
};

function validateSpec(errors: FieldError[], spec: PodDisruptionBudgetSpec | undefined): void {
  if (spec?.minAvailable != null && spec.maxUnavailable != null) {
    const shown = goStruct('io.k8s.api.policy.v1.PodDisruptionBudgetSpec', spec);
    errors.push(invalidValue(SPEC, shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  for (const name of ['minAvailable', 'maxUnavailable'] as const) {
    const value = spec?.[name];
    if (value == null) continue;
    validatePositiveIntOrPercent(errors, value, SPEC.child(name));
    validateNotMoreThan100Percent(errors, value, SPEC.child(name));
  }
  validateLabelSelector(errors, spec?.selector, SPEC.child('selector'));
  const policy = spec?.unhealthyPodEvictionPolicy;
  if (policy != null && !EVICTION_POLICIES.includes(policy)) {
    errors.push(notSupported(SPEC.child('unhealthyPodEvictionPolicy'), policy, EVICTION_POLICIES));
  }
}
