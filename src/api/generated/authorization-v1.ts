// Generated from src/api by `npm run generate`. Do not edit.
import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from './meta-v1.ts';

/** Limits a request by field selector. */
export interface FieldSelectorAttributes {
  /** The selector as in the query; excludes requirements. */
  rawSelector?: string;
  /** The selector, parsed; all tests must hold. */
  requirements?: FieldSelectorRequirement[];
}

/** Limits a request by label selector. */
export interface LabelSelectorAttributes {
  /** The selector as in the query; excludes requirements. */
  rawSelector?: string;
  /** The selector, parsed; all tests must hold. */
  requirements?: LabelSelectorRequirement[];
}

/** Asks whether a user may do something in one namespace. */
export interface LocalSubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: SubjectAccessReviewSpec;
  /** The answer, filled by the server. */
  status?: SubjectAccessReviewStatus;
}

/** A request to a URL that is not a resource. */
export interface NonResourceAttributes {
  /** URL path. */
  path?: string;
  /** HTTP verb in lower case. */
  verb?: string;
}

/** URLs that a user may request. */
export interface NonResourceRule {
  /** Allowed verbs; * for all. */
  verbs: string[];
  /** Allowed URL paths; * for all, or as a last part. */
  nonResourceURLs?: string[];
}

/** A request for a resource. */
export interface ResourceAttributes {
  /** Namespace of the request; "" for none or all. */
  namespace?: string;
  /** Verb such as get, list or create; * for all. */
  verb?: string;
  /** API group; * for all. */
  group?: string;
  /** API version; * for all. */
  version?: string;
  /** Resource; * for all. */
  resource?: string;
  /** Subresource; "" for none. */
  subresource?: string;
  /** Name of the object; "" for all. */
  name?: string;
  /** Field selector of the request. */
  fieldSelector?: FieldSelectorAttributes;
  /** Label selector of the request. */
  labelSelector?: LabelSelectorAttributes;
}

/** What a user may do with some resources. */
export interface ResourceRule {
  /** Allowed verbs; * for all. */
  verbs: string[];
  /** API groups; * for all. */
  apiGroups?: string[];
  /** Resources or resource/subresource; * for all. */
  resources?: string[];
  /** Names of the objects; empty for all. */
  resourceNames?: string[];
}

/** Asks whether the caller may do something. */
export interface SelfSubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: SelfSubjectAccessReviewSpec;
  /** The answer, filled by the server. */
  status?: SubjectAccessReviewStatus;
}

/** The request in question; exactly one member. */
export interface SelfSubjectAccessReviewSpec {
  /** A request for a resource. */
  resourceAttributes?: ResourceAttributes;
  /** A request to another URL. */
  nonResourceAttributes?: NonResourceAttributes;
}

/** Asks what the caller may do in a namespace. */
export interface SelfSubjectRulesReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: SelfSubjectRulesReviewSpec;
  /** The answer, filled by the server. */
  status?: SubjectRulesReviewStatus;
}

/** The namespace in question. */
export interface SelfSubjectRulesReviewSpec {
  /** Name of the namespace; required. */
  namespace?: string;
}

/** Asks whether a user may do something. */
export interface SubjectAccessReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** What is asked. */
  spec: SubjectAccessReviewSpec;
  /** The answer, filled by the server. */
  status?: SubjectAccessReviewStatus;
}

/** The user and request in question. */
export interface SubjectAccessReviewSpec {
  /** A request for a resource. */
  resourceAttributes?: ResourceAttributes;
  /** A request to another URL. */
  nonResourceAttributes?: NonResourceAttributes;
  /** Name of the user. */
  user?: string;
  /** Groups of the user. */
  groups?: string[];
  /** Further information about the user. */
  extra?: Record<string, string[]>;
  /** UID of the user. */
  uid?: string;
}

/** Whether the request is allowed. */
export interface SubjectAccessReviewStatus {
  /** Whether it is allowed. */
  allowed: boolean;
  /** Whether it is denied outright; if neither, no authorizer has an opinion. */
  denied?: boolean;
  /** Why it is allowed or denied. */
  reason?: string;
  /** Error during the check; the result may still stand. */
  evaluationError?: string;
}

/** What the user may do; the list may lack rules. */
export interface SubjectRulesReviewStatus {
  /** What is allowed on resources. */
  resourceRules: ResourceRule[];
  /** What is allowed on other URLs. */
  nonResourceRules: NonResourceRule[];
  /** Whether rules may be missing, as from an authorizer that cannot list. */
  incomplete: boolean;
  /** Error during the check; the list may lack rules. */
  evaluationError?: string;
}
