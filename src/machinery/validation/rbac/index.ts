/** Validation of the rbac group: Roles, their bindings, and the cluster-wide forms of both. */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '../../../api/generated/rbac-v1.ts';
import { type FieldError, invalidValue, notSupported, path, type Path, required } from '../../errors/index.ts';
import { dns1123Subdomain, type NameCheck, pathSegmentName } from '../../names/index.ts';
import { isUsableSelector } from '../apps/selector-match.ts';
import { semanticEqual } from '../equality.ts';
import { goStruct } from '../go-struct.ts';
import type { KindValidation } from '../kind-validation.ts';
import { validateLabelSelector } from '../label-selector.ts';
import { metadata, metadataAgain, metadataUpdate } from '../metadata-checks.ts';

const GROUP = 'rbac.authorization.k8s.io';
const rbacName: NameCheck = (name) => pathSegmentName(name);
const NAMESPACED = { namespaced: true, name: rbacName } as const;
const CLUSTER = { namespaced: false, name: rbacName } as const;
const ROLE_REF = path('roleRef');

const role: KindValidation<Role> = {
  create: [metadata(NAMESPACED), (errors, object) => validateRules(errors, object.rules, true)],
  update: [metadataAgain(NAMESPACED), (errors, object) => validateRules(errors, object.rules, true), metadataUpdate],
};

const clusterRole: KindValidation<ClusterRole> = {
  create: [
    metadata(CLUSTER),
    (errors, object) => validateRules(errors, object.rules, false),
    (errors, object) => validateAggregation(errors, object),
  ],
  update: [
    metadataAgain(CLUSTER),
    (errors, object) => validateRules(errors, object.rules, false),
    (errors, object) => validateAggregation(errors, object),
    metadataUpdate,
  ],
};

function validateRules(
  errors: FieldError[],
  rules: readonly PolicyRule[] | undefined | null,
  namespaced: boolean,
): void {
  for (const [i, rule] of (rules ?? []).entries()) validateRule(errors, rule, path('rules').index(i), namespaced);
}

function validateRule(errors: FieldError[], rule: PolicyRule, at: Path, namespaced: boolean): void {
  if (isEmpty(rule.verbs)) errors.push(required(at.child('verbs'), 'verbs must contain at least one value'));
  const urls = rule.nonResourceURLs ?? [];
  if (urls.length > 0) {
    const urlsAt = at.child('nonResourceURLs');
    if (namespaced) errors.push(invalidValue(urlsAt, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (!isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames)) {
      errors.push(invalidValue(urlsAt, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return;
  }
  if (isEmpty(rule.apiGroups))
    errors.push(required(at.child('apiGroups'), 'resource rules must supply at least one api group'));
  if (isEmpty(rule.resources))
    errors.push(required(at.child('resources'), 'resource rules must supply at least one resource'));
}

const isEmpty = (list: readonly string[] | undefined | null): boolean => !list || list.length === 0;

function validateAggregation(errors: FieldError[], { aggregationRule }: ClusterRole): void {
  if (!aggregationRule) return;
  const at = path('aggregationRule', 'clusterRoleSelectors');
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    errors.push(required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  for (const [i, selector] of selectors.entries()) {
    validateLabelSelector(errors, selector, at.index(i));
    if (!isUsableSelector(selector)) errors.push(invalidValue(at.index(i), null, 'invalid label selector.'));
  }
}

const roleBinding: KindValidation<RoleBinding> = {
  create: [
    metadata(NAMESPACED),
    (errors, object) => validateBinding(errors, object, { kinds: ['Role', 'ClusterRole'], namespaced: true }),
  ],
  update: [
    metadataAgain(NAMESPACED),
    (errors, object) => validateBinding(errors, object, { kinds: ['Role', 'ClusterRole'], namespaced: true }),
    metadataUpdate,
    (errors, object, old) => validateRoleRefUnchanged(errors, object, old),
  ],
};

const clusterRoleBinding: KindValidation<ClusterRoleBinding> = {
  create: [
    metadata(CLUSTER),
    (errors, object) => validateBinding(errors, object, { kinds: ['ClusterRole'], namespaced: false }),
  ],
  update: [
    metadataAgain(CLUSTER),
    (errors, object) => validateBinding(errors, object, { kinds: ['ClusterRole'], namespaced: false }),
    metadataUpdate,
    (errors, object, old) => validateRoleRefUnchanged(errors, object, old),
  ],
};

interface Binding {
  readonly roleRef?: RoleRef;
  readonly subjects?: readonly Subject[] | null;
}

interface BindingRules {
  /** The kinds that roleRef may have. */
  readonly kinds: readonly string[];
  readonly namespaced: boolean;
}

function validateBinding(
  errors: FieldError[],
  { roleRef, subjects }: Binding,
  { kinds, namespaced }: BindingRules,
): void {
  const { apiGroup = '', kind = '', name = '' } = roleRef ?? {};
  if (apiGroup !== GROUP) errors.push(notSupported(ROLE_REF.child('apiGroup'), apiGroup, [GROUP]));
  if (!kinds.includes(kind)) errors.push(notSupported(ROLE_REF.child('kind'), kind, kinds));
  if (name === '') errors.push(required(ROLE_REF.child('name')));
  else for (const message of pathSegmentName(name)) errors.push(invalidValue(ROLE_REF.child('name'), name, message));
  for (const [i, subject] of (subjects ?? []).entries())
    validateSubject(errors, subject, path('subjects').index(i), namespaced);
}

function validateSubject(errors: FieldError[], subject: Subject, at: Path, namespaced: boolean): void {
  const { kind = '', name = '', apiGroup = '', namespace = '' } = subject;
  if (name === '') errors.push(required(at.child('name')));
  if (kind === 'ServiceAccount') {
    if (name !== '')
      for (const message of dns1123Subdomain(name)) errors.push(invalidValue(at.child('name'), name, message));
    if (apiGroup !== '') errors.push(notSupported(at.child('apiGroup'), apiGroup, ['']));
    if (!namespaced && namespace === '') errors.push(required(at.child('namespace')));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== GROUP) errors.push(notSupported(at.child('apiGroup'), apiGroup, [GROUP]));
  } else {
    errors.push(notSupported(at.child('kind'), kind, ['ServiceAccount', 'User', 'Group']));
  }
}

function validateRoleRefUnchanged(errors: FieldError[], { roleRef }: Binding, old: Binding): void {
  if (semanticEqual(roleRef, old.roleRef)) return;
  errors.push(invalidValue(ROLE_REF, goStruct('io.k8s.api.rbac.v1.RoleRef', roleRef), 'cannot change roleRef'));
}

export const rbacValidations: Readonly<Record<string, KindValidation>> = {
  [`${GROUP}/clusterrolebindings`]: clusterRoleBinding,
  [`${GROUP}/clusterroles`]: clusterRole,
  [`${GROUP}/rolebindings`]: roleBinding,
  [`${GROUP}/roles`]: role,
};
