/** Builders for the bootstrap RBAC objects. */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../api/generated/rbac-v1.ts';
import type { Stored } from './stored.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
/** "false": the server does not update the object at its start. */
export const AUTOUPDATE_ANNOTATION = 'rbac.authorization.kubernetes.io/autoupdate';
const BOOTSTRAPPING_LABEL = 'kubernetes.io/bootstrapping';

export const READ = 'get,list,watch';
export const CHANGE = 'create,delete,deletecollection,patch,update';
export const READ_AND_CHANGE = 'create,delete,deletecollection,get,list,patch,update,watch';

/** Each argument is a comma-separated list; `core` stands for the API group without a name. */
export function rule(verbs: string, apiGroups: string, resources: string, resourceNames?: string): PolicyRule {
  return {
    verbs: verbs.split(','),
    apiGroups: apiGroups.split(',').map((group) => (group === 'core' ? '' : group)),
    resources: resources.split(','),
    ...(resourceNames === undefined ? {} : { resourceNames: resourceNames.split(',') }),
  };
}

export const urls = (verbs: string, nonResourceURLs: string): PolicyRule => ({
  verbs: verbs.split(','),
  nonResourceURLs: nonResourceURLs.split(','),
});

/** For all components that record events, in both API groups. */
export const recordEvents: PolicyRule = rule('create,patch,update', 'core,events.k8s.io', 'events');

/** The label that aggregates a ClusterRole into another one. */
export const aggregateTo = (role: string): Record<string, string> => ({
  [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true',
});

const bootstrapMetadata = (name: string, labels: Record<string, string> = {}) => ({
  name,
  labels: { [BOOTSTRAPPING_LABEL]: 'rbac-defaults', ...labels },
  annotations: { [AUTOUPDATE_ANNOTATION]: 'true' },
});

export function clusterRole(
  name: string,
  rules: readonly PolicyRule[],
  labels?: Record<string, string>,
): Stored<ClusterRole> {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: bootstrapMetadata(name, labels),
    rules: structuredClone([...rules]),
  };
}

/** A ClusterRole whose rules the aggregation controller collects from roles with the label `aggregate-to-NAME`. */
export function aggregatedClusterRole(name: string, labels?: Record<string, string>): Stored<ClusterRole> {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRole',
    metadata: bootstrapMetadata(name, labels),
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateTo(name) }] },
  };
}

export function role(namespace: string, name: string, rules: readonly PolicyRule[]): Stored<Role> {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'Role',
    metadata: { ...bootstrapMetadata(name), namespace },
    rules: structuredClone([...rules]),
  };
}

export const user = (name: string): Subject => ({ kind: 'User', apiGroup: RBAC_GROUP, name });
export const group = (name: string): Subject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name });
export const serviceAccount = (name: string): Subject => ({ kind: 'ServiceAccount', namespace: 'kube-system', name });

/** Binds the ClusterRole of the same name. */
export function clusterRoleBinding(name: string, subjects: readonly Subject[]): Stored<ClusterRoleBinding> {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: bootstrapMetadata(name),
    ...(subjects.length === 0 ? {} : { subjects: [...subjects] }),
    roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name },
  };
}

export function roleBinding(
  namespace: string,
  name: string,
  roleName: string,
  subjects: readonly Subject[],
): Stored<RoleBinding> {
  return {
    apiVersion: `${RBAC_GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { ...bootstrapMetadata(name), namespace },
    subjects: [...subjects],
    roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: roleName },
  };
}
