// Generated from src/api by `npm run generate`. Do not edit.
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

/**  */
export interface AggregationRule {
  /**  */
  clusterRoleSelectors?: LabelSelector[];
}

/**  */
export interface ClusterRole {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  rules?: PolicyRule[];
  /**  */
  aggregationRule?: AggregationRule;
}

/**  */
export interface ClusterRoleBinding {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  subjects?: Subject[];
  /**  */
  roleRef: RoleRef;
}

/** A list of ClusterRoleBinding objects. */
export interface ClusterRoleBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ClusterRoleBinding[];
}

/** A list of ClusterRole objects. */
export interface ClusterRoleList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ClusterRole[];
}

/**  */
export interface PolicyRule {
  /**  */
  verbs: string[];
  /**  */
  apiGroups?: string[];
  /**  */
  resources?: string[];
  /**  */
  resourceNames?: string[];
  /**  */
  nonResourceURLs?: string[];
}

/**  */
export interface Role {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  rules?: PolicyRule[];
}

/**  */
export interface RoleBinding {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  subjects?: Subject[];
  /**  */
  roleRef: RoleRef;
}

/** A list of RoleBinding objects. */
export interface RoleBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: RoleBinding[];
}

/** A list of Role objects. */
export interface RoleList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Role[];
}

/**  */
export interface RoleRef {
  /**  */
  apiGroup?: string;
  /**  */
  kind: string;
  /**  */
  name: string;
}

/**  */
export interface Subject {
  /**  */
  kind: string;
  /**  */
  apiGroup?: string;
  /**  */
  name: string;
  /**  */
  namespace?: string;
}
