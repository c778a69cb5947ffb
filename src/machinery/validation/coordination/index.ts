/** Validation of the coordination group: Leases and LeaseCandidates. */
import type { Lease, LeaseSpec } from '../../../api/generated/coordination-v1.ts';
import { type FieldError, forbiddenField, invalidValue, path } from '../../errors/index.ts';
import { nameIsDnsSubdomain, NEGATIVE_MESSAGE } from '../../names/index.ts';
import type { KindValidation, ValidationContext } from '../kind-validation.ts';
import { anyMetadataUpdate, metadata } from '../metadata-checks.ts';
import { leaseCandidate } from './lease-candidate.ts';
import { validateStrategy } from './strategy.ts';

const SPEC = path('spec');

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
  if (strategy != null) validateStrategy(errors, strategy, SPEC.child('strategy'));
  if (preferredHolder && !strategy) {
    errors.push(forbiddenField(SPEC.child('preferredHolder'), 'may only be specified if `strategy` is defined'));
  }
}

export const coordinationValidations: Readonly<Record<string, KindValidation>> = {
  'coordination.k8s.io/leasecandidates': leaseCandidate,
  'coordination.k8s.io/leases': lease,
};
