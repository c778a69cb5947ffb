/**
 * Reconciles RBAC objects of an earlier start: adds missing rules and subjects, and removes nothing that an administrator
 * has added. Objects with the annotation autoupdate "false" are not changed.
 */
import type { LabelSelector, ObjectMeta } from '../../api/generated/meta-v1.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '../../api/generated/rbac-v1.ts';
import { semanticEqual } from '../../machinery/validation/index.ts';
import { AUTOUPDATE_ANNOTATION } from './rbac-builders.ts';
import { uncoveredRules } from './rule-coverage.ts';

/** `recreate` deletes the existing object first. */
export type Reconciliation<T> =
  | { readonly action: 'none' }
  | { readonly action: 'create' | 'update' | 'recreate'; readonly object: T };

const NOTHING_TO_DO = { action: 'none' } as const;

export function reconcileRole<T extends Role | ClusterRole>(existing: T | undefined, desired: T): Reconciliation<T> {
  if (!existing) return { action: 'create', object: desired };
  if (isProtected(existing)) return NOTHING_TO_DO;
  const updated: T = { ...existing, metadata: mergeMetadata(existing.metadata, desired.metadata) };
  const missing = uncoveredRules(existing.rules ?? [], desired.rules ?? []);
  if (missing.length > 0) updated.rules = [...(existing.rules ?? []), ...missing];
  return updateIfChanged(existing, reconcileAggregation(updated, desired));
}

/** Adds missing selectors; removes the aggregation rule if the role should have none. */
function reconcileAggregation<T extends Role | ClusterRole>(role: T, desired: T): T {
  const existingRule = 'aggregationRule' in role ? role.aggregationRule : undefined;
  const desiredRule = 'aggregationRule' in desired ? desired.aggregationRule : undefined;
  if (!desiredRule) {
    if (!existingRule) return role;
    const plain = { ...role };
    if ('aggregationRule' in plain) delete plain.aggregationRule;
    return plain;
  }
  const selectors: LabelSelector[] = existingRule?.clusterRoleSelectors ?? [];
  const missing = (desiredRule.clusterRoleSelectors ?? []).filter(
    (selector) => !selectors.some((other) => semanticEqual(other, selector)),
  );
  return missing.length === 0
    ? role
    : { ...role, aggregationRule: { clusterRoleSelectors: [...selectors, ...missing] } };
}

/** roleRef is immutable, so a binding to another role is recreated. */
export function reconcileBinding<T extends RoleBinding | ClusterRoleBinding>(
  existing: T | undefined,
  desired: T,
): Reconciliation<T> {
  if (!existing) return { action: 'create', object: desired };
  if (isProtected(existing)) return NOTHING_TO_DO;
  if (!semanticEqual(existing.roleRef, desired.roleRef)) return { action: 'recreate', object: desired };
  const subjects = existing.subjects ?? [];
  const missing = (desired.subjects ?? []).filter((subject) => !subjects.some((other) => sameSubject(other, subject)));
  const updated: T = { ...existing, metadata: mergeMetadata(existing.metadata, desired.metadata) };
  if (missing.length > 0) updated.subjects = [...subjects, ...missing];
  return updateIfChanged(existing, updated);
}

const sameSubject = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  (a.apiGroup ?? '') === (b.apiGroup ?? '') &&
  (a.namespace ?? '') === (b.namespace ?? '');

const isProtected = (existing: { metadata: ObjectMeta }): boolean =>
  existing.metadata.annotations?.[AUTOUPDATE_ANNOTATION] === 'false';

/** Existing labels and annotations keep their values. */
function mergeMetadata(existing: ObjectMeta, desired: ObjectMeta): ObjectMeta {
  const merged = { ...existing };
  if (desired.labels) merged.labels = { ...desired.labels, ...existing.labels };
  if (desired.annotations) merged.annotations = { ...desired.annotations, ...existing.annotations };
  return merged;
}

const updateIfChanged = <T>(existing: T, updated: T): Reconciliation<T> =>
  semanticEqual(existing, updated) ? NOTHING_TO_DO : { action: 'update', object: updated };
