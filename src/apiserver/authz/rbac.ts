/**
 * The RBAC authorizer. An index from subjects to grants is kept up to date by watches of roles and bindings. The
 * permissions of each identity are computed once from it, indexed by verb and resource, and dropped on every change.
 */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
} from '../../api/generated/rbac-v1.ts';
import { append, quote } from '../../base/index.ts';
import {
  describeGrant,
  findInRoles,
  identityKeys,
  subjectKey,
  type RbacFinding,
  type RoleGrant,
} from '../../component-helpers/index.ts';
import { aggregateMessage } from '../../machinery/errors/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { type UserInfo } from '../request/request.ts';
import type { Entry } from '../storage/entry.ts';
import type { CacheEvent } from '../storage/resource-cache.ts';
import type { AuthorizationAttributes, Authorizer, Decision, ResolvedRules } from './authorizer.ts';
import { RuleIndex } from './rule-index.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** The permissions of a user with certain groups. */
interface Identity {
  readonly grants: readonly RoleGrant[];
  /** By namespace; empty for cluster-wide. */
  readonly namespaces: Map<string, Permissions>;
}

interface Permissions {
  readonly index: RuleIndex<RoleGrant>;
  /** Errors for bindings to roles that do not exist. */
  readonly missing: readonly string[];
}

/** When the cache is full, it is cleared. */
const MAX_CACHED_IDENTITIES = 4096;
const NOTHING: Permissions = { index: new RuleIndex(), missing: [] };

export class RbacAuthorizer implements Authorizer {
  readonly name = 'RBAC';
  /** Increases with every change of a role or binding. */
  generation = 1;
  #roles: ServedResource;
  #clusterRoles: ServedResource;
  #bySubject = new Map<string, Set<RoleGrant>>();
  #byBinding = new Map<string, { key: string; grant: RoleGrant }[]>();
  #rules = new Map<string, readonly PolicyRule[]>();
  #identities = new Map<string, Identity>();
  #byUser = new WeakMap<UserInfo, Identity>();
  #allowed = new WeakMap<RoleGrant, Decision>();

  constructor(registry: Registry) {
    this.#roles = registry.require(GROUP, 'v1', 'roles');
    this.#clusterRoles = registry.require(GROUP, 'v1', 'clusterroles');
    for (const plural of ['clusterrolebindings', 'rolebindings']) {
      const bindings = registry.require(GROUP, 'v1', plural);
      for (const entry of bindings.cache.list()) this.#bind(entry);
      bindings.cache.watch({ scope: '', deliver: (event) => this.#bindingChanged(event) });
    }
    for (const roles of [this.#roles, this.#clusterRoles]) {
      roles.cache.watch({ scope: '', deliver: ({ entry }) => this.#roleChanged(entry) });
    }
  }

  authorize(attributes: AuthorizationAttributes): Decision {
    const identity = this.#identityOf(attributes.user);
    const cluster = this.#permissions(identity, '');
    const local = attributes.namespace === '' ? NOTHING : this.#permissions(identity, attributes.namespace);
    const grant = cluster.index.find(attributes) ?? local.index.find(attributes);
    if (grant) return this.#allowedBy(grant);
    const errors = [...cluster.missing, ...local.missing];
    return { decision: 'no-opinion', reason: errors.length > 0 ? `RBAC: ${aggregateMessage(errors)}` : '' };
  }

  /** The binding and the rule that allow the request, or the nearest that do not. */
  explain(attributes: AuthorizationAttributes): { readonly rbac: RbacFinding } {
    const { grants } = this.#identityOf(attributes.user);
    const order = [
      ...grants.filter(({ namespace }) => namespace === ''),
      ...grants.filter((one) => one.namespace !== ''),
    ];
    const rbac = findInRoles(order, ({ roleRef, namespace }) => this.rulesOfRef(roleRef, namespace), attributes);
    return { rbac };
  }

  rulesFor(user: UserInfo, namespace: string): ResolvedRules {
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    const grants = this.#identityOf(user).grants.filter(
      (grant) => grant.namespace === '' || grant.namespace === namespace,
    );
    for (const grant of grants) {
      const found = this.rulesOfRef(grant.roleRef, grant.namespace);
      if (found) append(rules, found);
      else errors.push(notFoundText(grant.roleRef));
    }
    return { rules, incomplete: false, ...(errors.length > 0 ? { error: aggregateMessage(errors) } : {}) };
  }

  /** The rules of a role; undefined if it does not exist. */
  rulesOfRef(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const key = ref.kind === 'Role' ? `${namespace}/${ref.name}` : `/${ref.name}`;
    const cached = this.#rules.get(key);
    if (cached) return cached;
    const entry =
      ref.kind === 'Role' ? this.#roles.cache.get(namespace, ref.name) : this.#clusterRoles.cache.get('', ref.name);
    if (!entry) return undefined;
    const rules = (entry.object as unknown as Role | ClusterRole).rules ?? [];
    this.#rules.set(key, rules);
    return rules;
  }

  #permissions(identity: Identity, namespace: string): Permissions {
    let permissions = identity.namespaces.get(namespace);
    if (permissions) return permissions;
    const index = new RuleIndex<RoleGrant>();
    const missing: string[] = [];
    for (const grant of identity.grants) {
      if (grant.namespace !== namespace) continue;
      const rules = this.rulesOfRef(grant.roleRef, namespace);
      if (!rules) missing.push(notFoundText(grant.roleRef));
      else for (const rule of rules) index.add(rule, grant);
    }
    permissions = index.isEmpty && missing.length === 0 ? NOTHING : { index, missing };
    identity.namespaces.set(namespace, permissions);
    return permissions;
  }

  #identityOf(user: UserInfo): Identity {
    const direct = this.#byUser.get(user);
    if (direct) return direct;
    const key = JSON.stringify([user.name, user.groups]);
    let identity = this.#identities.get(key);
    if (!identity) {
      identity = { grants: this.#grantsOf(user), namespaces: new Map() };
      if (this.#identities.size >= MAX_CACHED_IDENTITIES) this.#identities.clear();
      this.#identities.set(key, identity);
    }
    this.#byUser.set(user, identity);
    return identity;
  }

  /** Cluster-wide grants come first. A binding with several matching subjects counts once, with the first subject. */
  #grantsOf(user: UserInfo): RoleGrant[] {
    const keys = identityKeys(user);
    const byBinding = new Map<string, RoleGrant>();
    for (const key of keys) {
      for (const grant of this.#bySubject.get(key) ?? []) {
        const binding = `${grant.namespace}/${grant.binding}`;
        const other = byBinding.get(binding);
        if (!other || this.#position(binding, grant) < this.#position(binding, other)) byBinding.set(binding, grant);
      }
    }
    return [...byBinding].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, grant]) => grant);
  }

  #position(binding: string, grant: RoleGrant): number {
    return this.#byBinding.get(binding)?.findIndex((bound) => bound.grant === grant) ?? 0;
  }

  #bindingChanged({ type, entry }: CacheEvent): void {
    this.#unbind(entry);
    if (type !== 'DELETED') this.#bind(entry);
    this.#forgetIdentities();
  }

  #roleChanged(entry: Entry): void {
    this.#rules.delete(`${entry.namespace}/${entry.name}`);
    this.#forgetIdentities();
  }

  #forgetIdentities(): void {
    this.generation++;
    this.#identities.clear();
    this.#byUser = new WeakMap();
  }

  #bind(entry: Entry): void {
    const { namespace } = entry;
    const { subjects = [], roleRef } = entry.object as unknown as ClusterRoleBinding | RoleBinding;
    const bound = subjects.flatMap((subject) => {
      const key = subjectKey(subject, namespace);
      return key ? [{ key, grant: { namespace, binding: entry.name, roleRef, subject } }] : [];
    });
    this.#byBinding.set(`${namespace}/${entry.name}`, bound);
    for (const { key, grant } of bound) {
      const grants = this.#bySubject.get(key);
      if (grants) grants.add(grant);
      else this.#bySubject.set(key, new Set([grant]));
    }
  }

  #unbind(entry: Entry): void {
    const binding = `${entry.namespace}/${entry.name}`;
    for (const { key, grant } of this.#byBinding.get(binding) ?? []) {
      const grants = this.#bySubject.get(key);
      grants?.delete(grant);
      if (grants?.size === 0) this.#bySubject.delete(key);
    }
    this.#byBinding.delete(binding);
  }

  #allowedBy(grant: RoleGrant): Decision {
    let decision = this.#allowed.get(grant);
    if (!decision) {
      decision = { decision: 'allow', reason: `RBAC: allowed by ${describeGrant(grant)}` };
      this.#allowed.set(grant, decision);
    }
    return decision;
  }
}

const notFoundText = (ref: RoleRef): string =>
  `${ref.kind === 'Role' ? 'role' : 'clusterrole'}.${GROUP} ${quote(ref.name)} not found`;
