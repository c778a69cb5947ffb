// Generated from src/api by `npm run generate`. Do not edit.
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

/** Builds a ClusterRole's rules from those of others. */
export interface AggregationRule {
  /** Labels of ClusterRoles whose rules are added; any match counts. */
  clusterRoleSelectors?: LabelSelector[];
}

/** Permissions for the whole cluster, or for use in any namespace. */
export interface ClusterRole {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What is allowed. */
  rules?: PolicyRule[];
  /** Fills rules from other ClusterRoles; then rules is not to be edited. */
  aggregationRule?: AggregationRule;
}

/** Grants a ClusterRole in the whole cluster. */
export interface ClusterRoleBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Who gets the permissions. */
  subjects?: Subject[];
  /** The role that is granted; fixed after creation. */
  roleRef: RoleRef;
}

/** A list of ClusterRoleBinding objects. */
export interface ClusterRoleBindingList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ClusterRoleBinding[];
}

/** A list of ClusterRole objects. */
export interface ClusterRoleList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ClusterRole[];
}

/** Verbs allowed on some resources or URLs. */
export interface PolicyRule {
  /** Allowed verbs; * for all. */
  verbs: string[];
  /** API groups of the resources; "" for core, * for all. */
  apiGroups?: string[];
  /** Resources or resource/subresource; * for all. */
  resources?: string[];
  /** Names of the objects; empty for all. */
  resourceNames?: string[];
  /** URL paths, such as /healthz; * only as a last part; cluster-wide only. */
  nonResourceURLs?: string[];
}

/** Permissions in one namespace. */
export interface Role {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What is allowed. */
  rules?: PolicyRule[];
}

/** Grants a Role or ClusterRole in one namespace. */
export interface RoleBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** Who gets the permissions. */
  subjects?: Subject[];
  /** The role that is granted; fixed after creation. */
  roleRef: RoleRef;
}

/** A list of RoleBinding objects. */
export interface RoleBindingList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: RoleBinding[];
}

/** A list of Role objects. */
export interface RoleList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Role[];
}

/** Points to a role. */
export interface RoleRef {
  /** API group of the role: rbac.authorization.k8s.io. */
  apiGroup?: string;
  /** Role or ClusterRole. */
  kind: string;
  /** Name of the role. */
  name: string;
}

/** A user, group or service account. */
export interface Subject {
  /** User, Group or ServiceAccount. */
  kind: string;
  /** "" for ServiceAccount, rbac.authorization.k8s.io for the others. */
  apiGroup?: string;
  /** Name of the subject. */
  name: string;
  /** Namespace of a ServiceAccount; empty for the others. */
  namespace?: string;
}
