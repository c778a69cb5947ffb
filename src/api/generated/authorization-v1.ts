// Generated from src/api by `npm run generate`. Do not edit.
import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from './meta-v1.ts';

/**  */
export interface FieldSelectorAttributes {
  /**  */
  rawSelector?: string;
  /**  */
  requirements?: FieldSelectorRequirement[];
}

/**  */
export interface LabelSelectorAttributes {
  /**  */
  rawSelector?: string;
  /**  */
  requirements?: LabelSelectorRequirement[];
}

/**  */
export interface LocalSubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: SubjectAccessReviewSpec;
  /** The answer, filled by the server. */
  status?: SubjectAccessReviewStatus;
}

/**  */
export interface NonResourceAttributes {
  /**  */
  path?: string;
  /**  */
  verb?: string;
}

/**  */
export interface NonResourceRule {
  /**  */
  verbs: string[];
  /**  */
  nonResourceURLs?: string[];
}

/**  */
export interface ResourceAttributes {
  /**  */
  namespace?: string;
  /**  */
  verb?: string;
  /**  */
  group?: string;
  /**  */
  version?: string;
  /**  */
  resource?: string;
  /**  */
  subresource?: string;
  /**  */
  name?: string;
  /**  */
  fieldSelector?: FieldSelectorAttributes;
  /**  */
  labelSelector?: LabelSelectorAttributes;
}

/**  */
export interface ResourceRule {
  /**  */
  verbs: string[];
  /**  */
  apiGroups?: string[];
  /**  */
  resources?: string[];
  /**  */
  resourceNames?: string[];
}

/**  */
export interface SelfSubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: SelfSubjectAccessReviewSpec;
  /** The answer, filled by the server. */
  status?: SubjectAccessReviewStatus;
}

/**  */
export interface SelfSubjectAccessReviewSpec {
  /**  */
  resourceAttributes?: ResourceAttributes;
  /**  */
  nonResourceAttributes?: NonResourceAttributes;
}

/**  */
export interface SelfSubjectRulesReview {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: SelfSubjectRulesReviewSpec;
  /** The answer, filled by the server. */
  status?: SubjectRulesReviewStatus;
}

/**  */
export interface SelfSubjectRulesReviewSpec {
  /**  */
  namespace?: string;
}

/**  */
export interface SubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: SubjectAccessReviewSpec;
  /** The answer, filled by the server. */
  status?: SubjectAccessReviewStatus;
}

/**  */
export interface SubjectAccessReviewSpec {
  /**  */
  resourceAttributes?: ResourceAttributes;
  /**  */
  nonResourceAttributes?: NonResourceAttributes;
  /**  */
  user?: string;
  /**  */
  groups?: string[];
  /**  */
  extra?: Record<string, string[]>;
  /**  */
  uid?: string;
}

/**  */
export interface SubjectAccessReviewStatus {
  /**  */
  allowed: boolean;
  /**  */
  denied?: boolean;
  /**  */
  reason?: string;
  /**  */
  evaluationError?: string;
}

/**  */
export interface SubjectRulesReviewStatus {
  /**  */
  resourceRules: ResourceRule[];
  /**  */
  nonResourceRules: NonResourceRule[];
  /**  */
  incomplete: boolean;
  /**  */
  evaluationError?: string;
}
