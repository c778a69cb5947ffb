/** Validation of the coordination group: Leases. */
import type { Lease, LeaseSpec } from '../../../api/generated/coordination-v1.ts';
import { type FieldError, forbiddenField, invalidValue, notSupported, path } from '../../errors/index.ts';
import { nameIsDnsSubdomain, NEGATIVE_MESSAGE, qualifiedName } from '../../names/index.ts';
import type { KindValidation, ValidationContext } from '../kind-validation.ts';
import { anyMetadataUpdate, metadata } from '../metadata-checks.ts';

const SPEC = path('spec');
const STRATEGIES = ['OldestEmulationVersion'];

const lease: KindValidation<Lease> = {
  create: [
    metadata({ namespaced: true, name: nameIsDnsSubdomain, unqualifiedFinalizers: true }),
    (errors, object, context) => validateSpec(errors, object.spec ?? {}, context),
  ],
  update: [anyMetadataUpdate, (errors, object, _old, context) => validateSpec(errors, object.spec ?? {}, context)],
};

function validateSpec(errors: FieldError[], spec: LeaseSpec, { features }: ValidationContext): void {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions, strategy, preferredHolder } = spec;
  if (duration != null && duration <= 0)
    errors.push(invalidValue(SPEC.child('leaseDurationSeconds'), duration, 'must be greater than 0'));
  if (transitions != null && transitions < 0)
    errors.push(invalidValue(SPEC.child('leaseTransitions'), transitions, NEGATIVE_MESSAGE));
  // The gate CoordinatedLeaderElection is off in v1.36, so strategy and preferredHolder are dropped before validation.
  if (!features['CoordinatedLeaderElection']) return;
  if (strategy != null) validateStrategy(errors, strategy);
  if (preferredHolder && !strategy) {
    errors.push(forbiddenField(SPEC.child('preferredHolder'), 'may only be specified if `strategy` is defined'));
  }
}

/** A strategy of Kubernetes, or one with a domain prefix. */
function validateStrategy(errors: FieldError[], strategy: string): void {
  const at = SPEC.child('strategy', 'strategy');
  if (strategy.includes('/'))
    for (const message of qualifiedName(strategy)) errors.push(invalidValue(at, strategy, message));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(at, strategy, STRATEGIES));
}

export const coordinationValidations: Readonly<Record<string, KindValidation>> = {
  'coordination.k8s.io/leases': lease,
};
