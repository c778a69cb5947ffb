/** Validation that ValidatingAdmissionPolicies, MutatingAdmissionPolicies and their bindings share. */
import type {
  MatchCondition,
  MatchResources,
  ParamKind,
  ParamRef,
  Variable,
} from '../../../api/generated/admissionregistration-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../errors/index.ts';
import { dns1035Label, dns1123Subdomain, pathSegmentName } from '../../names/index.ts';
import { semanticEqual } from '../equality.ts';
import type { ValidationContext } from '../kind-validation.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { declared, validateMatchConditions, validateVariables, type ExpressionScope } from './expressions.ts';
import { FAILURE_POLICIES, validateMatchResources } from './rules.ts';

interface PolicySpec {
  readonly failurePolicy?: string;
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

export interface PolicyScope {
  readonly old: PolicySpec | undefined;
  readonly context: ValidationContext;
}

/** Validates the common fields of a policy and returns the scope of its expressions. */
export function validatePolicyHead(
  errors: FieldError[],
  spec: PolicySpec,
  at: Path,
  { old, context, operations }: PolicyScope & { readonly operations?: readonly string[] },
): ExpressionScope {
  const { failurePolicy, paramKind, matchConstraints } = spec;
  const scope = { cel: context.cel, hasParams: paramKind != null };
  if (failurePolicy == null) errors.push(required(at.child('failurePolicy')));
  else if (!FAILURE_POLICIES.includes(failurePolicy))
    errors.push(notSupported(at.child('failurePolicy'), failurePolicy, FAILURE_POLICIES));
  if (paramKind) validateParamKind(errors, paramKind, at.child('paramKind'));
  if (!matchConstraints) errors.push(required(at.child('matchConstraints')));
  else {
    validateMatchResources(errors, matchConstraints, at.child('matchConstraints'));
    if (!matchConstraints.resourceRules?.length) errors.push(required(at.child('matchConstraints', 'resourceRules')));
    const asked = (matchConstraints.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
    for (const one of operations ? asked.filter((operation) => !operations.includes(operation)) : [])
      errors.push(notSupported(at.child('matchConstraints', 'resourceRules', 'operations'), one, operations!));
  }
  const unchanged =
    old && semanticEqual(paramKind, old.paramKind) && semanticEqual(spec.matchConditions, old.matchConditions);
  if (!unchanged) validateMatchConditions(errors, spec.matchConditions ?? [], at.child('matchConditions'), scope);
  validateVariables(errors, spec.variables ?? [], at.child('variables'), scope);
  // A validating policy without variables does not know the word; a mutating one does.
  const knowsVariables = operations !== undefined || (spec.variables?.length ?? 0) > 0;
  return knowsVariables ? { ...scope, variables: (spec.variables ?? []).map(declared) } : scope;
}

function validateParamKind(errors: FieldError[], { apiVersion = '', kind = '' }: ParamKind, at: Path): void {
  const versionAt = at.child('apiVersion');
  const parts = apiVersion.split('/');
  if (apiVersion === '') errors.push(required(versionAt));
  else if (parts.length > 2)
    errors.push(invalidValue(versionAt, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  else {
    const [group, version] = parts.length === 2 ? [parts[0]!, parts[1]!] : ['', parts[0]!];
    if (group !== '') joined(errors, group, versionAt, dns1123Subdomain(group));
    if (version === '') errors.push(invalidValue(versionAt, apiVersion, 'version must be specified'));
    else joined(errors, version, versionAt, dns1035Label(version));
  }
  if (kind === '') errors.push(required(at.child('kind')));
  else {
    const messages = dns1035Label(kind.toLowerCase());
    if (messages.length > 0) {
      errors.push(
        invalidValue(at.child('kind'), kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`),
      );
    }
  }
}

function joined(errors: FieldError[], value: string, at: Path, messages: readonly string[]): void {
  if (messages.length > 0) errors.push(invalidValue(at, value, messages.join(',')));
}

export function validatePolicyName(errors: FieldError[], name: string, at: Path): void {
  if (name === '') errors.push(required(at));
  else for (const message of dns1123Subdomain(name)) errors.push(invalidValue(at, name, message));
}

const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];
const EXCLUSIVE = 'name and selector are mutually exclusive';

export function validateParamRef(errors: FieldError[], reference: ParamRef | undefined, at: Path): void {
  if (!reference) return;
  const { name = '', selector, parameterNotFoundAction: action } = reference;
  if (name !== '') {
    for (const message of pathSegmentName(name)) errors.push(invalidValue(at.child('name'), name, message));
    if (selector) errors.push(forbiddenField(at.child('name'), EXCLUSIVE));
  }
  if (selector) {
    validateLabelSelector(errors, selector, at.child('selector'));
    if (name !== '') errors.push(forbiddenField(at.child('selector'), EXCLUSIVE));
  }
  if (name === '' && !selector) errors.push(required(at, 'one of name or selector must be specified'));
  if (!action) errors.push(required(at.child('parameterNotFoundAction')));
  else if (!NOT_FOUND_ACTIONS.includes(action)) {
    errors.push(notSupported(at.child('parameterNotFoundAction'), action, NOT_FOUND_ACTIONS));
  }
}
