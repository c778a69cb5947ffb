/**
 * RBAC. Roles and bindings are compiled into an index from subject to rules, which a watch of the four kinds keeps up
 * to date: a check looks at the subject's own rules, and only at those that name the verb.
 */
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject } from '../../api/generated/rbac-v1.ts';
import { quote } from '../../machinery/quote.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { UserInfo } from '../request.ts';
import type { AuthorizationAttributes, Authorizer, Decision } from './authorizer.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** A binding's effect on one of its subjects. */
export interface Grant {
  /** '' for cluster-wide. */
  readonly namespace: string;
  readonly binding: string;
  readonly roleRef: RoleRef;
  readonly subject: Subject;
}

export class RbacAuthorizer implements Authorizer {
  readonly name = 'RBAC';
  #roles: ServedResource;
  #clusterRoles: ServedResource;
  #roleBindings: ServedResource;
  #clusterRoleBindings: ServedResource;
  #grants: Map<string, Grant[]> | undefined;

  constructor(registry: Registry) {
    this.#roles = registry.require(GROUP, 'v1', 'roles');
    this.#clusterRoles = registry.require(GROUP, 'v1', 'clusterroles');
    this.#roleBindings = registry.require(GROUP, 'v1', 'rolebindings');
    this.#clusterRoleBindings = registry.require(GROUP, 'v1', 'clusterrolebindings');
    for (const bindings of [this.#roleBindings, this.#clusterRoleBindings]) {
      bindings.cache.watch({ scope: '', deliver: () => (this.#grants = undefined) });
    }
  }

  authorize(attributes: AuthorizationAttributes): Decision {
    for (const { grant, rules } of this.#rulesOf(attributes.user, attributes.namespace)) {
      if (!rules) continue;
      for (const rule of rules) {
        if (ruleAllows(rule, attributes)) return { decision: 'allow', reason: allowedBy(grant) };
      }
    }
    const errors = this.#missingRoles(attributes.user, attributes.namespace);
    const reason = errors.length > 0 ? `RBAC: ${errors.join(', ')}` : '';
    return { decision: 'no-opinion', reason, ...(errors.length > 0 ? { error: errors.join(', ') } : {}) };
  }

  /** Everything that a user may do in a namespace (and cluster-wide). */
  rulesFor(user: UserInfo, namespace: string): { rules: PolicyRule[]; errors: string[] } {
    const rules: PolicyRule[] = [];
    for (const found of this.#rulesOf(user, namespace)) if (found.rules) rules.push(...found.rules);
    return { rules, errors: this.#missingRoles(user, namespace) };
  }

  /** The rules that a reference stands for; undefined when the role does not exist. */
  rulesOfRef(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const entry = ref.kind === 'Role' ? this.#roles.cache.get(namespace, ref.name) : this.#clusterRoles.cache.get('', ref.name);
    if (!entry) return undefined;
    return (entry.object as unknown as Role | ClusterRole).rules ?? [];
  }

  *#rulesOf(user: UserInfo, namespace: string): Generator<{ grant: Grant; rules: readonly PolicyRule[] | undefined }> {
    for (const grant of this.#grantsOf(user)) {
      if (grant.namespace !== '' && grant.namespace !== namespace) continue;
      yield { grant, rules: this.rulesOfRef(grant.roleRef, grant.namespace) };
    }
  }

  #missingRoles(user: UserInfo, namespace: string): string[] {
    const missing: string[] = [];
    for (const { grant, rules } of this.#rulesOf(user, namespace)) {
      if (rules) continue;
      const kind = grant.roleRef.kind === 'Role' ? 'role' : 'clusterrole';
      missing.push(`${kind}.${GROUP} ${quote(grant.roleRef.name)} not found`);
    }
    return missing;
  }

  *#grantsOf(user: UserInfo): Generator<Grant> {
    const index = (this.#grants ??= this.#compile());
    yield* index.get(`User ${user.name}`) ?? [];
    for (const group of user.groups) yield* index.get(`Group ${group}`) ?? [];
  }

  #compile(): Map<string, Grant[]> {
    const index = new Map<string, Grant[]>();
    const add = (binding: ClusterRoleBinding | RoleBinding, namespace: string): void => {
      for (const subject of binding.subjects ?? []) {
        const key = subjectKey(subject, namespace);
        if (!key) continue;
        const grants = index.get(key) ?? [];
        grants.push({ namespace, binding: binding.metadata.name!, roleRef: binding.roleRef, subject });
        index.set(key, grants);
      }
    };
    for (const entry of this.#clusterRoleBindings.cache.list()) add(entry.object as unknown as ClusterRoleBinding, '');
    for (const entry of this.#roleBindings.cache.list()) add(entry.object as unknown as RoleBinding, entry.namespace);
    return index;
  }
}

/** A ServiceAccount is the user that its tokens authenticate as. */
function subjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  switch (subject.kind) {
    case 'User':
      return `User ${subject.name}`;
    case 'Group':
      return `Group ${subject.name}`;
    case 'ServiceAccount': {
      const namespace = subject.namespace || bindingNamespace;
      return namespace === '' ? undefined : `User system:serviceaccount:${namespace}:${subject.name}`;
    }
    default:
      return undefined;
  }
}

export function ruleAllows(rule: PolicyRule, request: AuthorizationAttributes): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  if (!request.isResourceRequest) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, request.path));
  if (!has(rule.apiGroups, request.apiGroup)) return false;
  if (!resourceMatches(rule.resources, request.resource, request.subresource)) return false;
  return !rule.resourceNames?.length || rule.resourceNames.includes(request.name);
}

const has = (values: readonly string[] | null | undefined, wanted: string): boolean => !!values && (values.includes(wanted) || values.includes('*'));

function resourceMatches(resources: readonly string[] | undefined, resource: string, subresource: string): boolean {
  if (!resources) return false;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some((candidate) => candidate === '*' || candidate === combined || (subresource !== '' && candidate === `*/${subresource}`));
}

const urlMatches = (pattern: string, url: string): boolean =>
  pattern === '*' || pattern === url || (pattern.endsWith('*') && url.startsWith(pattern.replace(/\*+$/, '')));

function allowedBy(grant: Grant): string {
  const role = `${grant.roleRef.kind} ${quote(grant.roleRef.name)}`;
  const subject =
    grant.subject.kind === 'ServiceAccount'
      ? `ServiceAccount ${quote(`${grant.subject.name}/${grant.subject.namespace ?? ''}`)}`
      : `${grant.subject.kind} ${quote(grant.subject.name)}`;
  const binding =
    grant.namespace === '' ? `ClusterRoleBinding ${quote(grant.binding)}` : `RoleBinding ${quote(`${grant.binding}/${grant.namespace}`)}`;
  return `RBAC: allowed by ${binding} of ${role} to ${subject}`;
}
