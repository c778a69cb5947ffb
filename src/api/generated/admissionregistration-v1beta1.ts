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

/** A change that is merged in by server-side apply. */
export interface ApplyConfiguration {
  /** CEL expression that gives the object to apply. */
  expression?: string;
}

/** An audit annotation made by a policy. */
export interface AuditAnnotation {
  /** Key of the annotation, prefixed with the policy's name. */
  key: string;
  /** CEL expression that gives the value, or null for none. */
  valueExpression: string;
}

/** A problem found in an expression. */
export interface ExpressionWarning {
  /** Path of the expression in the policy. */
  fieldRef: string;
  /** The problem, for people to read. */
  warning: string;
}

/** A change written as a JSON patch. */
export interface JSONPatch {
  /** CEL expression that gives a list of JSONPatch operations. */
  expression?: string;
}

/** A CEL condition on whether a request is considered. */
export interface MatchCondition {
  /** Name of the condition, unique in its list. */
  name: string;
  /** CEL expression; false skips the webhook or policy. */
  expression: string;
}

/** Which requests a policy considers. */
export interface MatchResources {
  /** Labels of the object's namespace; default all. */
  namespaceSelector?: LabelSelector;
  /** Labels of the object or the old object; default all. */
  objectSelector?: LabelSelector;
  /** Operations and resources that match; any one is enough. */
  resourceRules?: NamedRuleWithOperations[];
  /** Operations and resources that do not match, even if listed above. */
  excludeResourceRules?: NamedRuleWithOperations[];
  /** Exact, or Equivalent to match other versions of a resource too (default). */
  matchPolicy?: string;
}

/** Changes objects on admission by CEL expressions. */
export interface MutatingAdmissionPolicy {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: MutatingAdmissionPolicySpec;
}

/** Puts a MutatingAdmissionPolicy in force. */
export interface MutatingAdmissionPolicyBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: MutatingAdmissionPolicyBindingSpec;
}

/** A list of MutatingAdmissionPolicyBinding objects. */
export interface MutatingAdmissionPolicyBindingList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: MutatingAdmissionPolicyBinding[];
}

/** Where and with which parameters a policy is in force. */
export interface MutatingAdmissionPolicyBindingSpec {
  /** Name of the policy. */
  policyName?: string;
  /** Objects with parameters for the policy. */
  paramRef?: ParamRef;
  /** Narrows the requests that the policy considers. */
  matchResources?: MatchResources;
}

/** A list of MutatingAdmissionPolicy objects. */
export interface MutatingAdmissionPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: MutatingAdmissionPolicy[];
}

/** Which requests are changed and how. */
export interface MutatingAdmissionPolicySpec {
  /** Kind of the objects that carry parameters. */
  paramKind?: ParamKind;
  /** Requests that the policy considers; required. */
  matchConstraints?: MatchResources;
  /** Named expressions that later ones can use. */
  variables?: Variable[];
  /** The changes, applied in order. */
  mutations?: Mutation[];
  /** On errors: Fail (default) or Ignore. */
  failurePolicy?: string;
  /** CEL conditions that must all hold for the policy to run; at most 64. */
  matchConditions?: MatchCondition[];
  /** Run again after later changes: Never or IfNeeded. */
  reinvocationPolicy?: string;
}

/** One change to an object. */
export interface Mutation {
  /** ApplyConfiguration or JSONPatch. */
  patchType: string;
  /** A change merged in by server-side apply. */
  applyConfiguration?: ApplyConfiguration;
  /** A change written as a JSON patch. */
  jsonPatch?: JSONPatch;
}

/** Operations on resources, perhaps on certain objects only. */
export interface NamedRuleWithOperations {
  /** Names of the objects; empty for all. */
  resourceNames?: string[];
  /** CREATE, UPDATE, DELETE, CONNECT or * for all. */
  operations?: string[];
  /** API groups; * for all. */
  apiGroups?: string[];
  /** API versions; * for all. */
  apiVersions?: string[];
  /** Resources or resource/subresource; * for all. */
  resources?: string[];
  /** Cluster, Namespaced or * (default). */
  scope?: string;
}

/** Kind of the objects that carry parameters. */
export interface ParamKind {
  /** Group and version, as group/version. */
  apiVersion?: string;
  /** Kind of the objects. */
  kind?: string;
}

/** Which objects carry the parameters. */
export interface ParamRef {
  /** Name of the object; excludes selector. */
  name?: string;
  /** Namespace of the objects; default that of the request. */
  namespace?: string;
  /** Labels of the objects; excludes name. */
  selector?: LabelSelector;
  /** If none is found: Allow or Deny. */
  parameterNotFoundAction?: string;
}

/** Result of checking a policy's expressions. */
export interface TypeChecking {
  /** Problems found. */
  expressionWarnings?: ExpressionWarning[];
}

/** Checks requests on admission by CEL expressions. */
export interface ValidatingAdmissionPolicy {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ValidatingAdmissionPolicySpec;
  /** The observed state, as the system last reported it. */
  status?: ValidatingAdmissionPolicyStatus;
}

/** Puts a ValidatingAdmissionPolicy in force. */
export interface ValidatingAdmissionPolicyBinding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: ValidatingAdmissionPolicyBindingSpec;
}

/** A list of ValidatingAdmissionPolicyBinding objects. */
export interface ValidatingAdmissionPolicyBindingList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ValidatingAdmissionPolicyBinding[];
}

/** Where, with which parameters and how a policy is enforced. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** Name of the policy. */
  policyName: string;
  /** Objects with parameters for the policy. */
  paramRef?: ParamRef;
  /** Narrows the requests that the policy considers. */
  matchResources?: MatchResources;
  /** What a failed validation does: Deny, Warn or Audit. */
  validationActions: string[];
}

/** A list of ValidatingAdmissionPolicy objects. */
export interface ValidatingAdmissionPolicyList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ValidatingAdmissionPolicy[];
}

/** Which requests are checked and how. */
export interface ValidatingAdmissionPolicySpec {
  /** Kind of the objects that carry parameters. */
  paramKind?: ParamKind;
  /** Requests that the policy considers; required. */
  matchConstraints?: MatchResources;
  /** The checks; all must pass. */
  validations?: Validation[];
  /** On errors: Fail (default) or Ignore. */
  failurePolicy?: string;
  /** Audit annotations to add to requests. */
  auditAnnotations?: AuditAnnotation[];
  /** CEL conditions that must all hold for the policy to run; at most 64. */
  matchConditions?: MatchCondition[];
  /** Named expressions that later ones can use. */
  variables?: Variable[];
}

/** State of a policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** Problems found in the expressions. */
  typeChecking?: TypeChecking;
  /** Conditions of the policy. */
  conditions?: Condition[];
}

/** One check of a request. */
export interface Validation {
  /** CEL expression; false denies the request. */
  expression: string;
  /** Message when the check fails. */
  message?: string;
  /** Status reason when the check fails; default Invalid. */
  reason?: string;
  /** CEL expression that gives the message; wins over message. */
  messageExpression?: string;
}

/** A named expression. */
export interface Variable {
  /** Name, used as variables.name. */
  name: string;
  /** CEL expression that gives the value. */
  expression: string;
}
