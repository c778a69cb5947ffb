// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, ListMeta, ObjectMeta } from './meta-v1.ts';

export type DisruptionMode = string;

/** Pods are scheduled one by one. */
export interface BasicSchedulingPolicy {
}

/** Pods are scheduled together or not at all. */
export interface GangSchedulingPolicy {
  /** How many pods must fit at once; at least 1. */
  minCount: number;
}

/** Pods that are scheduled as a group. */
export interface PodGroup {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** How the group is scheduled. */
  spec: PodGroupSpec;
  /** The observed state, as the system last reported it. */
  status?: PodGroupStatus;
}

/** A list of PodGroup objects. */
export interface PodGroupList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PodGroup[];
}

/** A claim that the pods of a group share; by name or from a template. */
export interface PodGroupResourceClaim {
  /** Name by which pods refer to the claim, a DNS label. */
  name: string;
  /** Name of a ResourceClaim of the namespace. */
  resourceClaimName?: string;
  /** ResourceClaimTemplate of which a claim is made. */
  resourceClaimTemplateName?: string;
}

/** The claim that was made from a template. */
export interface PodGroupResourceClaimStatus {
  /** Name of the claim in the group's spec. */
  name: string;
  /** Name of the ResourceClaim; unset if none was needed. */
  resourceClaimName?: string;
}

/** Where the pods of a group may be. */
export interface PodGroupSchedulingConstraints {
  /** Domains that the pods must share; at most 1. */
  topology?: TopologyConstraint[];
}

/** How the pods of a group are scheduled; exactly one member. */
export interface PodGroupSchedulingPolicy {
  /** One by one. */
  basic?: BasicSchedulingPolicy;
  /** Together or not at all. */
  gang?: GangSchedulingPolicy;
}

/** How a group is scheduled. */
export interface PodGroupSpec {
  /** The template of which the group was made; fixed. */
  podGroupTemplateRef?: PodGroupTemplateReference;
  /** How the pods of the group are scheduled. */
  schedulingPolicy: PodGroupSchedulingPolicy;
  /** Where the pods may be; fixed. */
  schedulingConstraints?: PodGroupSchedulingConstraints;
  /** Claims that the pods of the group share; at most 4. */
  resourceClaims?: PodGroupResourceClaim[];
  /** Whether single pods or only the whole group may be preempted. */
  disruptionMode?: string;
  /** PriorityClass of the group. */
  priorityClassName?: string;
  /** Priority of the group; higher goes first. */
  priority?: number;
}

/** What became of a group. */
export interface PodGroupStatus {
  /** PodGroupScheduled and DisruptionTarget, with reasons. */
  conditions?: Condition[];
  /** Claims that were made from templates. */
  resourceClaimStatuses?: PodGroupResourceClaimStatus[];
}

/** Template of a group. */
export interface PodGroupTemplate {
  /** Name of the template, a DNS label. */
  name: string;
  /** How the pods of the group are scheduled. */
  schedulingPolicy: PodGroupSchedulingPolicy;
  /** Where the pods may be; fixed. */
  schedulingConstraints?: PodGroupSchedulingConstraints;
  /** Claims that the pods of the group share; at most 4. */
  resourceClaims?: PodGroupResourceClaim[];
  /** Whether single pods or only the whole group may be preempted. */
  disruptionMode?: string;
  /** PriorityClass of the group. */
  priorityClassName?: string;
  /** Priority of the group; higher goes first. */
  priority?: number;
}

/** Where the template of a group is. */
export interface PodGroupTemplateReference {
  /** A template of a Workload. */
  workload?: WorkloadPodGroupTemplateReference;
}

/** A domain that pods must share. */
export interface TopologyConstraint {
  /** Label of nodes that names the domain. */
  key: string;
}

/** An object of the same namespace. */
export interface TypedLocalObjectReference {
  /** API group of the object; empty for core. */
  apiGroup?: string;
  /** Kind of the object. */
  kind: string;
  /** Name of the object. */
  name: string;
}

/** Templates of the groups in which the pods of a workload are scheduled. */
export interface Workload {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The templates. */
  spec: WorkloadSpec;
}

/** A list of Workload objects. */
export interface WorkloadList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Workload[];
}

/** A template of a Workload. */
export interface WorkloadPodGroupTemplateReference {
  /** Name of the Workload. */
  workloadName: string;
  /** Name of the template in it. */
  podGroupTemplateName: string;
}

/** The templates of a workload. */
export interface WorkloadSpec {
  /** The object whose pods these are, such as a Job; fixed. */
  controllerRef?: TypedLocalObjectReference;
  /** The templates, at most 8; fixed. */
  podGroupTemplates: PodGroupTemplate[];
}
