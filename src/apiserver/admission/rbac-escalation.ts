/**
 * Privilege escalation prevention of RBAC: a user who writes a role must hold all its permissions, or have the verb
 * `escalate`; a user who writes a binding must hold all permissions of its role, or have the verb `bind`. The check runs
 * after mutating admission, on the object that would be stored.
 */
import type { ClusterRole, PolicyRule, Role, RoleBinding } from '../../api/generated/rbac-v1.ts';
import { deepEqual, quote } from '../../base/index.ts';
import { forbidden, notFound } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { AuthorizationAttributes, Authorizer } from '../authz/authorizer.ts';
import type { RbacAuthorizer } from '../authz/rbac.ts';
import { uncoveredRules } from '../bootstrap/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = new Set(['roles', 'clusterroles']);
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings']);

const FULL_AUTHORITY: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export function escalationCheck(rbac: RbacAuthorizer, authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    operations: ['CREATE', 'UPDATE'],
    matches: ({ served, user }) => served.group === GROUP && !user.groups.includes('system:masters'),
    async admit(attributes) {
      if (isGarbageCollectorUpdate(attributes)) return;
      const { plural } = attributes.served;
      if (ROLES.has(plural)) await checkRole(rbac, authorizer, attributes);
      else if (BINDINGS.has(plural)) await checkBinding(rbac, authorizer, attributes);
    },
  };
}

async function checkRole(rbac: RbacAuthorizer, authorizer: Authorizer, attributes: AdmissionAttributes): Promise<void> {
  // A create is authorized without a name, so a permission to escalate named roles does not cover it.
  const name = attributes.operation === 'UPDATE' ? attributes.name : '';
  if (await isAllowed(authorizer, attributes, { verb: 'escalate', resource: attributes.served.plural, name })) return;
  const role = attributes.object as unknown as Role & ClusterRole;
  checkHoldsRules(rbac, attributes, role.rules ?? []);
  if (!aggregates(role) && !aggregates(attributes.oldObject as ClusterRole | undefined)) return;
  if (missingRules(rbac, attributes, FULL_AUTHORITY).length > 0) {
    throw forbidden(
      attributes.groupResource,
      attributes.name,
      'must have cluster-admin privileges to use the aggregationRule',
    );
  }
}

async function checkBinding(
  rbac: RbacAuthorizer,
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
): Promise<void> {
  const { roleRef } = attributes.object as unknown as RoleBinding;
  const resource = roleRef?.kind === 'Role' ? 'roles' : roleRef?.kind === 'ClusterRole' ? 'clusterroles' : undefined;
  // Validation rejects other kinds.
  if (!resource) return;
  if (await isAllowed(authorizer, attributes, { verb: 'bind', resource, name: roleRef.name })) return;
  const rules = rbac.rulesOfRef(roleRef, attributes.namespace);
  if (!rules) throw notFound(attributes.groupResource, roleRef.name);
  checkHoldsRules(rbac, attributes, rules);
}

async function isAllowed(
  authorizer: Authorizer,
  { user, namespace }: AdmissionAttributes,
  access: Pick<AuthorizationAttributes, 'verb' | 'resource' | 'name'>,
): Promise<boolean> {
  const { decision } = await authorizer.authorize({
    user,
    ...access,
    isResourceRequest: true,
    apiGroup: GROUP,
    apiVersion: '*',
    namespace,
    subresource: '',
    path: '',
  });
  return decision === 'allow';
}

function missingRules(
  rbac: RbacAuthorizer,
  { user, namespace }: AdmissionAttributes,
  wanted: readonly PolicyRule[],
): PolicyRule[] {
  return uncoveredRules(rbac.rulesFor(user, namespace).rules, wanted);
}

function checkHoldsRules(rbac: RbacAuthorizer, attributes: AdmissionAttributes, wanted: readonly PolicyRule[]): void {
  const missing = missingRules(rbac, attributes, wanted);
  if (missing.length === 0) return;
  const { user, namespace } = attributes;
  const lines = [...new Set(compact(missing).map(ruleText))].sort();
  const groups = user.groups.map(quote).join(' ');
  const { error } = rbac.rulesFor(user, namespace);
  const unresolved = error ? `; resolution errors: [${error}]` : '';
  throw forbidden(
    attributes.groupResource,
    attributes.name,
    `user ${quote(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${unresolved}`,
  );
}

/** Merges the verbs of rules on the same resource and name; rules on URLs stay as they are. */
function compact(rules: readonly PolicyRule[]): PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    if (!rule.resources?.length) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames]);
    const other = merged.get(key);
    merged.set(key, other ? { ...other, verbs: [...other.verbs, ...rule.verbs] } : rule);
  }
  return [...merged.values(), ...others];
}

function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const list = (name: string, values: readonly string[] | undefined): string[] =>
    values?.length ? [`${name}:[${values.map(quote).join(' ')}]`] : [];
  const parts = [
    ...list('APIGroups', apiGroups),
    ...list('Resources', resources),
    ...list('NonResourceURLs', nonResourceURLs),
    ...list('ResourceNames', resourceNames),
    ...list('Verbs', verbs),
  ];
  return `{${parts.join(', ')}}`;
}

const aggregates = (role: ClusterRole | undefined): boolean =>
  (role?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;

/** The garbage collector may remove finalizers and owner references of roles whose permissions it does not hold. */
function isGarbageCollectorUpdate({ object, oldObject }: AdmissionAttributes): boolean {
  if (!object || !oldObject) return false;
  return deepEqual(withoutOwnership(object), withoutOwnership(oldObject));
}

function withoutOwnership(object: KubeObject): unknown {
  const {
    finalizers: _,
    ownerReferences: __,
    managedFields: ___,
    resourceVersion: ____,
    ...metadata
  } = object.metadata;
  return { ...object, metadata };
}
