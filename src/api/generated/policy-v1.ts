// Generated from src/api by `npm run generate`. Do not edit.
import type { Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type UnhealthyPodEvictionPolicyType = string;

/**  */
export interface Eviction {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  deleteOptions?: DeleteOptions;
}

/**  */
export interface PodDisruptionBudget {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
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
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: PodDisruptionBudget[];
}

/**  */
export interface PodDisruptionBudgetSpec {
  /**  */
  minAvailable?: (number | string);
  /**  */
  selector?: LabelSelector;
  /**  */
  maxUnavailable?: (number | string);
  /**  */
  unhealthyPodEvictionPolicy?: string;
}

/**  */
export interface PodDisruptionBudgetStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /**  */
  disruptedPods?: Record<string, string>;
  /**  */
  disruptionsAllowed?: number;
  /**  */
  currentHealthy?: number;
  /**  */
  desiredHealthy?: number;
  /**  */
  expectedPods?: number;
  /**  */
  conditions?: Condition[];
}
