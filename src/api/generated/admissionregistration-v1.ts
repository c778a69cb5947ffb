// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type FailurePolicyType = string;

export type MatchPolicyType = string;

export type OperationType = string;

export type ParameterNotFoundActionType = string;

export type PatchType = string;

export type ReinvocationPolicyType = string;

export type ScopeType = string;

export type SideEffectClass = string;

export type ValidationAction = string;

/**  */
export interface ApplyConfiguration {
  /**  */
  expression?: string;
}

/**  */
export interface AuditAnnotation {
  /**  */
  key: string;
  /**  */
  valueExpression: string;
}

/**  */
export interface ExpressionWarning {
  /**  */
  fieldRef: string;
  /**  */
  warning: string;
}

/**  */
export interface JSONPatch {
  /**  */
  expression?: string;
}

/**  */
export interface MatchCondition {
  /**  */
  name: string;
  /**  */
  expression: string;
}

/**  */
export interface MatchResources {
  /**  */
  namespaceSelector?: LabelSelector;
  /**  */
  objectSelector?: LabelSelector;
  /**  */
  resourceRules?: NamedRuleWithOperations[];
  /**  */
  excludeResourceRules?: NamedRuleWithOperations[];
  /**  */
  matchPolicy?: string;
}

/**  */
export interface MutatingAdmissionPolicy {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: MutatingAdmissionPolicySpec;
}

/**  */
export interface MutatingAdmissionPolicyBinding {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: MutatingAdmissionPolicyBindingSpec;
}

/** A list of MutatingAdmissionPolicyBinding objects. */
export interface MutatingAdmissionPolicyBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: MutatingAdmissionPolicyBinding[];
}

/**  */
export interface MutatingAdmissionPolicyBindingSpec {
  /**  */
  policyName?: string;
  /**  */
  paramRef?: ParamRef;
  /**  */
  matchResources?: MatchResources;
}

/** A list of MutatingAdmissionPolicy objects. */
export interface MutatingAdmissionPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: MutatingAdmissionPolicy[];
}

/**  */
export interface MutatingAdmissionPolicySpec {
  /**  */
  paramKind?: ParamKind;
  /**  */
  matchConstraints?: MatchResources;
  /**  */
  variables?: Variable[];
  /**  */
  mutations?: Mutation[];
  /**  */
  failurePolicy?: string;
  /**  */
  matchConditions?: MatchCondition[];
  /**  */
  reinvocationPolicy?: string;
}

/**  */
export interface MutatingWebhook {
  /**  */
  name: string;
  /**  */
  clientConfig: WebhookClientConfig;
  /**  */
  rules?: RuleWithOperations[];
  /**  */
  failurePolicy?: string;
  /**  */
  matchPolicy?: string;
  /**  */
  namespaceSelector?: LabelSelector;
  /**  */
  objectSelector?: LabelSelector;
  /**  */
  sideEffects?: string;
  /**  */
  timeoutSeconds?: number;
  /**  */
  admissionReviewVersions: string[];
  /**  */
  reinvocationPolicy?: string;
  /**  */
  matchConditions?: MatchCondition[];
}

/**  */
export interface MutatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  webhooks?: MutatingWebhook[];
}

/** A list of MutatingWebhookConfiguration objects. */
export interface MutatingWebhookConfigurationList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: MutatingWebhookConfiguration[];
}

/**  */
export interface Mutation {
  /**  */
  patchType: string;
  /**  */
  applyConfiguration?: ApplyConfiguration;
  /**  */
  jsonPatch?: JSONPatch;
}

/**  */
export interface NamedRuleWithOperations {
  /**  */
  resourceNames?: string[];
  /**  */
  operations?: string[];
  /**  */
  apiGroups?: string[];
  /**  */
  apiVersions?: string[];
  /**  */
  resources?: string[];
  /**  */
  scope?: string;
}

/**  */
export interface ParamKind {
  /**  */
  apiVersion?: string;
  /**  */
  kind?: string;
}

/**  */
export interface ParamRef {
  /**  */
  name?: string;
  /**  */
  namespace?: string;
  /**  */
  selector?: LabelSelector;
  /**  */
  parameterNotFoundAction?: string;
}

/**  */
export interface Rule {
  /**  */
  apiGroups?: string[];
  /**  */
  apiVersions?: string[];
  /**  */
  resources?: string[];
  /**  */
  scope?: string;
}

/**  */
export interface RuleWithOperations {
  /**  */
  operations?: string[];
  /**  */
  apiGroups?: string[];
  /**  */
  apiVersions?: string[];
  /**  */
  resources?: string[];
  /**  */
  scope?: string;
}

/**  */
export interface ServiceReference {
  /**  */
  namespace: string;
  /**  */
  name: string;
  /**  */
  path?: string;
  /**  */
  port?: number;
}

/**  */
export interface TypeChecking {
  /**  */
  expressionWarnings?: ExpressionWarning[];
}

/**  */
export interface ValidatingAdmissionPolicy {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ValidatingAdmissionPolicySpec;
  /** The observed state, as the system last reported it. */
  status?: ValidatingAdmissionPolicyStatus;
}

/**  */
export interface ValidatingAdmissionPolicyBinding {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: ValidatingAdmissionPolicyBindingSpec;
}

/** A list of ValidatingAdmissionPolicyBinding objects. */
export interface ValidatingAdmissionPolicyBindingList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ValidatingAdmissionPolicyBinding[];
}

/**  */
export interface ValidatingAdmissionPolicyBindingSpec {
  /**  */
  policyName: string;
  /**  */
  paramRef?: ParamRef;
  /**  */
  matchResources?: MatchResources;
  /**  */
  validationActions: string[];
}

/** A list of ValidatingAdmissionPolicy objects. */
export interface ValidatingAdmissionPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ValidatingAdmissionPolicy[];
}

/**  */
export interface ValidatingAdmissionPolicySpec {
  /**  */
  paramKind?: ParamKind;
  /**  */
  matchConstraints?: MatchResources;
  /**  */
  validations?: Validation[];
  /**  */
  failurePolicy?: string;
  /**  */
  auditAnnotations?: AuditAnnotation[];
  /**  */
  matchConditions?: MatchCondition[];
  /**  */
  variables?: Variable[];
}

/**  */
export interface ValidatingAdmissionPolicyStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /**  */
  typeChecking?: TypeChecking;
  /**  */
  conditions?: Condition[];
}

/**  */
export interface ValidatingWebhook {
  /**  */
  name: string;
  /**  */
  clientConfig: WebhookClientConfig;
  /**  */
  rules?: RuleWithOperations[];
  /**  */
  failurePolicy?: string;
  /**  */
  matchPolicy?: string;
  /**  */
  namespaceSelector?: LabelSelector;
  /**  */
  objectSelector?: LabelSelector;
  /**  */
  sideEffects?: string;
  /**  */
  timeoutSeconds?: number;
  /**  */
  admissionReviewVersions: string[];
  /**  */
  matchConditions?: MatchCondition[];
}

/**  */
export interface ValidatingWebhookConfiguration {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  webhooks?: ValidatingWebhook[];
}

/** A list of ValidatingWebhookConfiguration objects. */
export interface ValidatingWebhookConfigurationList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ValidatingWebhookConfiguration[];
}

/**  */
export interface Validation {
  /**  */
  expression?: string;
  /**  */
  message?: string;
  /**  */
  reason?: string;
  /**  */
  messageExpression?: string;
}

/**  */
export interface Variable {
  /**  */
  name?: string;
  /**  */
  expression?: string;
}

/**  */
export interface WebhookClientConfig {
  /**  */
  url?: string;
  /**  */
  service?: ServiceReference;
  /**  */
  caBundle?: string;
}
