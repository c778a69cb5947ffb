// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type UnhealthyPodEvictionPolicyType = string;

/** Asks to delete a Pod unless a disruption budget forbids it. */
export interface Eviction {
  apiVersion?: string;
  kind?: string;
  /** Name and namespace of the Pod. */
  metadata: ObjectMeta;
  /** How the Pod is deleted. */
  deleteOptions?: DeleteOptions;
}

/** Limits how many Pods may be evicted at once. */
export interface PodDisruptionBudget {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: PodDisruptionBudgetSpec;
  /** The observed state, as the system last reported it. */
  status?: PodDisruptionBudgetStatus;
}

/** A list of PodDisruptionBudget objects. */
export interface PodDisruptionBudgetList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PodDisruptionBudget[];
}

/** Which Pods, and how many must stay. */
export interface PodDisruptionBudgetSpec {
  /** Pods that must stay available, a number or percentage; excludes maxUnavailable. */
  minAvailable?: (number | string);
  /** Labels of the Pods; empty selects all of the namespace. */
  selector?: LabelSelector;
  /** Pods that may be missing, a number or percentage; excludes minAvailable. */
  maxUnavailable?: (number | string);
  /** Eviction of Pods that are not ready: IfHealthyBudget (default) or AlwaysAllow. */
  unhealthyPodEvictionPolicy?: string;
}

/** State of a budget. */
export interface PodDisruptionBudgetStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** Pods whose eviction was allowed and is still to be seen. */
  disruptedPods?: Record<string, string>;
  /** Pods that may be evicted now. */
  disruptionsAllowed?: number;
  /** Pods that are healthy. */
  currentHealthy?: number;
  /** Fewest healthy Pods. */
  desiredHealthy?: number;
  /** All Pods counted by the budget. */
  expectedPods?: number;
  /** Conditions, such as DisruptionAllowed. */
  conditions?: Condition[];
}
