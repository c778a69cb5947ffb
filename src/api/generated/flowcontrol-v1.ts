// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type ConditionStatus = string;

export type FlowDistinguisherMethodType = string;

export type FlowSchemaConditionType = string;

export type LimitResponseType = string;

export type PriorityLevelConfigurationConditionType = string;

export type PriorityLevelEnablement = string;

export type SubjectKind = string;

/**  */
export interface ExemptPriorityLevelConfiguration {
  /**  */
  nominalConcurrencyShares?: number;
  /**  */
  lendablePercent?: number;
}

/**  */
export interface FlowDistinguisherMethod {
  /**  */
  type: string;
}

/**  */
export interface FlowSchema {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: FlowSchemaSpec;
  /** The observed state, as the system last reported it. */
  status?: FlowSchemaStatus;
}

/**  */
export interface FlowSchemaCondition {
  /**  */
  type?: string;
  /** Whether the condition holds: True, False or Unknown. */
  status?: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of FlowSchema objects. */
export interface FlowSchemaList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: FlowSchema[];
}

/**  */
export interface FlowSchemaSpec {
  /**  */
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  /**  */
  matchingPrecedence?: number;
  /**  */
  distinguisherMethod?: FlowDistinguisherMethod;
  /**  */
  rules?: PolicyRulesWithSubjects[];
}

/**  */
export interface FlowSchemaStatus {
  /**  */
  conditions?: FlowSchemaCondition[];
}

/**  */
export interface GroupSubject {
  /**  */
  name: string;
}

/**  */
export interface LimitResponse {
  /**  */
  type: string;
  /**  */
  queuing?: QueuingConfiguration;
}

/**  */
export interface LimitedPriorityLevelConfiguration {
  /**  */
  nominalConcurrencyShares?: number;
  /**  */
  limitResponse?: LimitResponse;
  /**  */
  lendablePercent?: number;
  /**  */
  borrowingLimitPercent?: number;
}

/**  */
export interface NonResourcePolicyRule {
  /**  */
  verbs: string[];
  /**  */
  nonResourceURLs: string[];
}

/**  */
export interface PolicyRulesWithSubjects {
  /**  */
  subjects: Subject[];
  /**  */
  resourceRules?: ResourcePolicyRule[];
  /**  */
  nonResourceRules?: NonResourcePolicyRule[];
}

/**  */
export interface PriorityLevelConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: PriorityLevelConfigurationSpec;
  /** The observed state, as the system last reported it. */
  status?: PriorityLevelConfigurationStatus;
}

/**  */
export interface PriorityLevelConfigurationCondition {
  /**  */
  type?: string;
  /** Whether the condition holds: True, False or Unknown. */
  status?: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of PriorityLevelConfiguration objects. */
export interface PriorityLevelConfigurationList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PriorityLevelConfiguration[];
}

/**  */
export interface PriorityLevelConfigurationReference {
  /**  */
  name: string;
}

/**  */
export interface PriorityLevelConfigurationSpec {
  /**  */
  type: string;
  /**  */
  limited?: LimitedPriorityLevelConfiguration;
  /**  */
  exempt?: ExemptPriorityLevelConfiguration;
}

/**  */
export interface PriorityLevelConfigurationStatus {
  /**  */
  conditions?: PriorityLevelConfigurationCondition[];
}

/**  */
export interface QueuingConfiguration {
  /**  */
  queues?: number;
  /**  */
  handSize?: number;
  /**  */
  queueLengthLimit?: number;
}

/**  */
export interface ResourcePolicyRule {
  /**  */
  verbs: string[];
  /**  */
  apiGroups: string[];
  /**  */
  resources: string[];
  /**  */
  clusterScope?: boolean;
  /**  */
  namespaces?: string[];
}

/**  */
export interface ServiceAccountSubject {
  /**  */
  namespace: string;
  /**  */
  name: string;
}

/**  */
export interface Subject {
  /**  */
  kind: string;
  /**  */
  user?: UserSubject;
  /**  */
  group?: GroupSubject;
  /**  */
  serviceAccount?: ServiceAccountSubject;
}

/**  */
export interface UserSubject {
  /**  */
  name: string;
}
