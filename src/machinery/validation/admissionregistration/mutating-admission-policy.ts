/** Validation of MutatingAdmissionPolicies and their bindings. */
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingAdmissionPolicySpec,
  Mutation,
} from '../../../api/generated/admissionregistration-v1.ts';
import { type FieldError, invalidValue, notSupported, path, type Path, required } from '../../errors/index.ts';
import { nameIsDnsSubdomain } from '../../names/index.ts';
import type { KindValidation } from '../kind-validation.ts';
import { metadata, metadataAgain } from '../metadata-checks.ts';
import { validateExpression, type ExpressionScope } from './expressions.ts';
import { validateParamRef, validatePolicyHead, validatePolicyName, type PolicyScope } from './policy-parts.ts';
import { REINVOCATION_POLICIES, validateMatchResources } from './rules.ts';

const SPEC = path('spec');
const META_RULES = { namespaced: false, name: nameIsDnsSubdomain, unqualifiedFinalizers: true } as const;

export const mutatingAdmissionPolicy: KindValidation<MutatingAdmissionPolicy> = {
  create: [
    metadata(META_RULES),
    (errors, object, context) => validatePolicy(errors, object.spec ?? {}, { old: undefined, context }),
  ],
  update: [
    metadataAgain(META_RULES),
    (errors, object, old, context) => validatePolicy(errors, object.spec ?? {}, { old: old.spec ?? {}, context }),
  ],
};

/** Nothing is left to mutate in a DELETE. */
const MUTATED_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

function validatePolicy(errors: FieldError[], spec: MutatingAdmissionPolicySpec, scope: PolicyScope): void {
  const expressions = validatePolicyHead(errors, spec, SPEC, { ...scope, operations: MUTATED_OPERATIONS });
  const mutations = spec.mutations ?? [];
  if (mutations.length === 0)
    errors.push(required(SPEC.child('mutations'), 'mutations must contain at least one item'));
  for (const [i, mutation] of mutations.entries())
    validateMutation(errors, mutation, SPEC.child('mutations').index(i), expressions);
  const policy = spec.reinvocationPolicy ?? '';
  const policyAt = SPEC.child('reinvocationPolicy');
  if (policy === '') errors.push(required(policyAt));
  else if (!REINVOCATION_POLICIES.includes(policy)) errors.push(notSupported(policyAt, policy, REINVOCATION_POLICIES));
}

/** Each patch type has its own field for the expression; the others must be absent. */
const PATCH_TYPES = [
  { type: 'ApplyConfiguration', field: 'applyConfiguration', other: 'jsonPatch' },
  { type: 'JSONPatch', field: 'jsonPatch', other: 'applyConfiguration' },
] as const;

function validateMutation(errors: FieldError[], mutation: Mutation, at: Path, scope: ExpressionScope): void {
  const { patchType = '' } = mutation;
  const known = PATCH_TYPES.find(({ type }) => type === patchType);
  if (!known) {
    const supported = PATCH_TYPES.map(({ type }) => type);
    errors.push(
      patchType === '' ? required(at.child('patchType')) : notSupported(at.child('patchType'), patchType, supported),
    );
    return;
  }
  const { type, field, other } = known;
  const patch = mutation[field];
  if (!patch) errors.push(required(at.child(field), `must be specified when patchType is ${type}`));
  else if (!patch.expression?.trim()) errors.push(required(at.child(field, 'expression')));
  else
    validateExpression(errors, patch.expression.trim(), at.child(field, 'expression'), {
      ...scope,
      use: field,
      hasAuthorizer: true,
    });
  if (mutation[other]) {
    errors.push(invalidValue(at.child(other), `{${other}}`, `must not be specified when patchType is ${type}`));
  }
}

export const mutatingAdmissionPolicyBinding: KindValidation<MutatingAdmissionPolicyBinding> = {
  create: [metadata(META_RULES), (errors, object) => validateBinding(errors, object)],
  update: [metadataAgain(META_RULES), (errors, object) => validateBinding(errors, object)],
};

function validateBinding(errors: FieldError[], { spec }: MutatingAdmissionPolicyBinding): void {
  validatePolicyName(errors, spec?.policyName ?? '', SPEC.child('policyName'));
  validateParamRef(errors, spec?.paramRef, SPEC.child('paramRef'));
  validateMatchResources(errors, spec?.matchResources, SPEC.child('matchResources'));
  const at = SPEC.child('matchResources', 'resourceRules', 'operations');
  for (const operation of (spec?.matchResources?.resourceRules ?? []).flatMap((rule) => rule.operations ?? []))
    if (!MUTATED_OPERATIONS.includes(operation)) errors.push(notSupported(at, operation, MUTATED_OPERATIONS));
}
