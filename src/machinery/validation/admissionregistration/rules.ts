/** Validates the rules that select requests for a webhook or policy. */
import type {
  MatchResources,
  NamedRuleWithOperations,
  Rule,
  RuleWithOperations,
} from '../../../api/generated/admissionregistration-v1.ts';
import { duplicate, type FieldError, invalidValue, notSupported, type Path, required } from '../../errors/index.ts';
import { pathSegmentName } from '../../names/index.ts';
import { validateLabelSelector } from '../label-selector.ts';

export const FAILURE_POLICIES = ['Fail', 'Ignore'];
export const MATCH_POLICIES = ['Equivalent', 'Exact'];
export const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];

export function validateRuleWithOperations(errors: FieldError[], rule: RuleWithOperations, at: Path): void {
  const operations = rule.operations ?? [];
  const operationsAt = at.child('operations');
  if (operations.length === 0) errors.push(required(operationsAt));
  if (operations.length > 1 && operations.includes('*')) {
    errors.push(invalidValue(operationsAt, operations, "if '*' is present, must not specify other operations"));
  }
  for (const [i, operation] of operations.entries()) {
    if (!OPERATIONS.includes(operation)) errors.push(notSupported(operationsAt.index(i), operation, OPERATIONS));
  }
  validateRule(errors, rule, at);
}

function validateRule(errors: FieldError[], { apiGroups, apiVersions, resources, scope }: Rule, at: Path): void {
  validateList(errors, apiGroups ?? [], at.child('apiGroups'), 'API groups');
  validateList(errors, apiVersions ?? [], at.child('apiVersions'), 'API versions');
  for (const [i, version] of (apiVersions ?? []).entries()) {
    if (version === '') errors.push(required(at.child('apiVersions').index(i)));
  }
  validateResources(errors, resources ?? [], at.child('resources'));
  if (scope != null && !SCOPES.includes(scope)) errors.push(notSupported(at.child('scope'), scope, SCOPES));
}

function validateList(errors: FieldError[], list: readonly string[], at: Path, what: string): void {
  if (list.length === 0) errors.push(required(at));
  if (list.length > 1 && list.includes('*'))
    errors.push(invalidValue(at, list, `if '*' is present, must not specify other ${what}`));
}

/** `pods`, `pods/log`, with `*` for either part. A resource that a wildcard covers must not be listed. */
function validateResources(errors: FieldError[], resources: readonly string[], at: Path): void {
  if (resources.length === 0) errors.push(required(at));
  const allSubresourcesOf = new Set<string>();
  const subresourceOfAll = new Set<string>();
  let plainResource = false;
  for (const [i, name] of resources.entries()) {
    if (name === '') {
      errors.push(required(at.index(i)));
      continue;
    }
    const slash = name.indexOf('/');
    if (slash < 0) {
      plainResource = name !== '*';
      continue;
    }
    const [resource, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    if (allSubresourcesOf.has(resource)) {
      errors.push(invalidValue(at.index(i), name, `if '${resource}/*' is present, must not specify ${name}`));
    }
    if (subresourceOfAll.has(subresource)) {
      errors.push(invalidValue(at.index(i), name, `if '*/${subresource}' is present, must not specify ${name}`));
    }
    if (subresource === '*') allSubresourcesOf.add(resource);
    if (resource === '*') subresourceOfAll.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalidValue(at, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && plainResource) {
    errors.push(
      invalidValue(at, resources, "if '*' is present, must not specify other resources without subresources"),
    );
  }
}

export function validateMatchResources(errors: FieldError[], match: MatchResources | undefined, at: Path): void {
  if (!match) return;
  const { matchPolicy } = match;
  if (matchPolicy == null) errors.push(required(at.child('matchPolicy')));
  else if (!MATCH_POLICIES.includes(matchPolicy))
    errors.push(notSupported(at.child('matchPolicy'), matchPolicy, MATCH_POLICIES));
  for (const name of ['namespaceSelector', 'objectSelector'] as const) {
    if (match[name] == null) errors.push(required(at.child(name)));
    else validateLabelSelector(errors, match[name], at.child(name));
  }
  for (const name of ['resourceRules', 'excludeResourceRules'] as const) {
    for (const [i, rule] of (match[name] ?? []).entries()) validateNamedRule(errors, rule, at.child(name).index(i));
  }
}

function validateNamedRule(errors: FieldError[], rule: NamedRuleWithOperations, at: Path): void {
  const seen = new Set<string>();
  for (const [i, name] of (rule.resourceNames ?? []).entries()) {
    const nameAt = at.child('resourceNames').index(i);
    for (const message of pathSegmentName(name)) errors.push(invalidValue(nameAt, name, message));
    if (seen.has(name)) errors.push(duplicate(nameAt, name));
    seen.add(name);
  }
  validateRuleWithOperations(errors, rule, at);
}
