// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta } from './meta-v1.ts';

export type ConditionStatus = string;

export type FlowDistinguisherMethodType = string;

export type FlowSchemaConditionType = string;

export type LimitResponseType = string;

export type PriorityLevelConfigurationConditionType = string;

export type PriorityLevelEnablement = string;

export type SubjectKind = string;

/** Settings of a priority level without limit. */
export interface ExemptPriorityLevelConfiguration {
  /** Share of the server's concurrency that it can lend; default 0. */
  nominalConcurrencyShares?: number;
  /** Percentage of its seats that others may borrow; default 0. */
  lendablePercent?: number;
}

/** How requests of a schema are told apart. */
export interface FlowDistinguisherMethod {
  /** ByUser or ByNamespace. */
  type: string;
}

/** Assigns matching requests to a priority level. */
export interface FlowSchema {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: FlowSchemaSpec;
  /** The observed state, as the system last reported it. */
  status?: FlowSchemaStatus;
}

/** One aspect of the schema's current state. */
export interface FlowSchemaCondition {
  /** Which condition: Dangling. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: FlowSchema[];
}

/** Which requests go to which priority level. */
export interface FlowSchemaSpec {
  /** The priority level. */
  priorityLevelConfiguration: PriorityLevelConfigurationReference;
  /** Order of schemas: lower first; 1 to 10000, default 1000. */
  matchingPrecedence?: number;
  /** How flows are told apart; unset puts all requests in one flow. */
  distinguisherMethod?: FlowDistinguisherMethod;
  /** Requests that match; any rule is enough. */
  rules?: PolicyRulesWithSubjects[];
}

/** State of a schema. */
export interface FlowSchemaStatus {
  /** Conditions, such as Dangling. */
  conditions?: FlowSchemaCondition[];
}

/** A group of users. */
export interface GroupSubject {
  /** Name of the group; * for all. */
  name: string;
}

/** What becomes of requests that cannot run at once. */
export interface LimitResponse {
  /** Queue or Reject. */
  type: string;
  /** Settings of the queues; only for Queue. */
  queuing?: QueuingConfiguration;
}

/** Settings of a priority level with a limit. */
export interface LimitedPriorityLevelConfiguration {
  /** Share of the server's concurrency; default 30. */
  nominalConcurrencyShares?: number;
  /** What becomes of requests that cannot run at once. */
  limitResponse?: LimitResponse;
  /** Percentage of its seats that others may borrow; default 0. */
  lendablePercent?: number;
  /** Most seats to borrow, as a percentage of its own; default no limit. */
  borrowingLimitPercent?: number;
}

/** Requests to URLs that are not resources. */
export interface NonResourcePolicyRule {
  /** Verbs that match; * for all. */
  verbs: string[];
  /** URL paths that match; * for all, or as a last part. */
  nonResourceURLs: string[];
}

/** Requests of some subjects. */
export interface PolicyRulesWithSubjects {
  /** Who makes the request; any one is enough. */
  subjects: Subject[];
  /** Requests for resources; any one is enough. */
  resourceRules?: ResourcePolicyRule[];
  /** Requests to other URLs; any one is enough. */
  nonResourceRules?: NonResourcePolicyRule[];
}

/** Concurrency and queues for a class of requests. */
export interface PriorityLevelConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: PriorityLevelConfigurationSpec;
  /** The observed state, as the system last reported it. */
  status?: PriorityLevelConfigurationStatus;
}

/** One aspect of the level's current state. */
export interface PriorityLevelConfigurationCondition {
  /** Which condition: ConcurrencyShared. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PriorityLevelConfiguration[];
}

/** Points to a priority level. */
export interface PriorityLevelConfigurationReference {
  /** Name of the priority level. */
  name: string;
}

/** Whether and how requests are limited. */
export interface PriorityLevelConfigurationSpec {
  /** Exempt or Limited. */
  type: string;
  /** Settings of type Limited. */
  limited?: LimitedPriorityLevelConfiguration;
  /** Settings of type Exempt. */
  exempt?: ExemptPriorityLevelConfiguration;
}

/** State of a priority level. */
export interface PriorityLevelConfigurationStatus {
  /** Conditions of the level. */
  conditions?: PriorityLevelConfigurationCondition[];
}

/** Queues of a priority level. */
export interface QueuingConfiguration {
  /** Number of queues; default 64. */
  queues?: number;
  /** Queues that a flow may use; default 8. */
  handSize?: number;
  /** Most requests that wait in one queue; default 50. */
  queueLengthLimit?: number;
}

/** Requests for resources. */
export interface ResourcePolicyRule {
  /** Verbs that match; * for all. */
  verbs: string[];
  /** API groups that match; * for all. */
  apiGroups: string[];
  /** Resources that match; * for all. */
  resources: string[];
  /** Whether requests without a namespace match; default false. */
  clusterScope?: boolean;
  /** Namespaces that match; * for all. */
  namespaces?: string[];
}

/** A service account. */
export interface ServiceAccountSubject {
  /** Namespace of the account. */
  namespace: string;
  /** Name of the account; * for all of the namespace. */
  name: string;
}

/** Who makes a request; the member named by kind is set. */
export interface Subject {
  /** User, Group or ServiceAccount. */
  kind: string;
  /** A user. */
  user?: UserSubject;
  /** A group of users. */
  group?: GroupSubject;
  /** A service account. */
  serviceAccount?: ServiceAccountSubject;
}

/** A user. */
export interface UserSubject {
  /** Name of the user; * for all. */
  name: string;
}
