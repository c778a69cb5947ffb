// Generated from src/api by `npm run generate`. Do not edit.
import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type DaemonSetConditionType = string;

export type DaemonSetUpdateStrategyType = string;

export type DeploymentConditionType = string;

export type DeploymentStrategyType = string;

export type PersistentVolumeClaimRetentionPolicyType = string;

export type PodManagementPolicyType = string;

export type ReplicaSetConditionType = string;

export type StatefulSetConditionType = string;

export type StatefulSetUpdateStrategyType = string;

/**  */
export interface ControllerRevision {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /**  */
  data?: unknown;
  /**  */
  revision: number;
}

/** A list of ControllerRevision objects. */
export interface ControllerRevisionList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ControllerRevision[];
}

/**  */
export interface DaemonSet {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: DaemonSetSpec;
  /** The observed state, as the system last reported it. */
  status?: DaemonSetStatus;
}

/**  */
export interface DaemonSetCondition {
  /**  */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of DaemonSet objects. */
export interface DaemonSetList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: DaemonSet[];
}

/**  */
export interface DaemonSetSpec {
  /**  */
  selector?: LabelSelector;
  /**  */
  template: PodTemplateSpec;
  /**  */
  updateStrategy?: DaemonSetUpdateStrategy;
  /**  */
  minReadySeconds?: number;
  /**  */
  revisionHistoryLimit?: number;
}

/**  */
export interface DaemonSetStatus {
  /**  */
  currentNumberScheduled: number;
  /**  */
  numberMisscheduled: number;
  /**  */
  desiredNumberScheduled: number;
  /**  */
  numberReady: number;
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /**  */
  updatedNumberScheduled?: number;
  /**  */
  numberAvailable?: number;
  /**  */
  numberUnavailable?: number;
  /**  */
  collisionCount?: number;
  /**  */
  conditions?: DaemonSetCondition[];
}

/**  */
export interface DaemonSetUpdateStrategy {
  /**  */
  type?: string;
  /**  */
  rollingUpdate?: RollingUpdateDaemonSet;
}

/**  */
export interface Deployment {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: DeploymentSpec;
  /** The observed state, as the system last reported it. */
  status?: DeploymentStatus;
}

/**  */
export interface DeploymentCondition {
  /**  */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the condition was last written. */
  lastUpdateTime?: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of Deployment objects. */
export interface DeploymentList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Deployment[];
}

/**  */
export interface DeploymentSpec {
  /**  */
  replicas?: number;
  /**  */
  selector?: LabelSelector;
  /**  */
  template: PodTemplateSpec;
  /**  */
  strategy?: DeploymentStrategy;
  /**  */
  minReadySeconds?: number;
  /**  */
  revisionHistoryLimit?: number;
  /**  */
  paused?: boolean;
  /**  */
  progressDeadlineSeconds?: number;
}

/**  */
export interface DeploymentStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /**  */
  replicas?: number;
  /**  */
  updatedReplicas?: number;
  /**  */
  readyReplicas?: number;
  /**  */
  availableReplicas?: number;
  /**  */
  unavailableReplicas?: number;
  /**  */
  terminatingReplicas?: number;
  /**  */
  conditions?: DeploymentCondition[];
  /**  */
  collisionCount?: number;
}

/**  */
export interface DeploymentStrategy {
  /**  */
  type?: string;
  /**  */
  rollingUpdate?: RollingUpdateDeployment;
}

/**  */
export interface ReplicaSet {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ReplicaSetSpec;
  /** The observed state, as the system last reported it. */
  status?: ReplicaSetStatus;
}

/**  */
export interface ReplicaSetCondition {
  /**  */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of ReplicaSet objects. */
export interface ReplicaSetList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ReplicaSet[];
}

/**  */
export interface ReplicaSetSpec {
  /**  */
  replicas?: number;
  /**  */
  minReadySeconds?: number;
  /**  */
  selector?: LabelSelector;
  /**  */
  template?: PodTemplateSpec;
}

/**  */
export interface ReplicaSetStatus {
  /**  */
  replicas: number;
  /**  */
  fullyLabeledReplicas?: number;
  /**  */
  readyReplicas?: number;
  /**  */
  availableReplicas?: number;
  /**  */
  terminatingReplicas?: number;
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /**  */
  conditions?: ReplicaSetCondition[];
}

/**  */
export interface RollingUpdateDaemonSet {
  /**  */
  maxUnavailable?: (number | string);
  /**  */
  maxSurge?: (number | string);
}

/**  */
export interface RollingUpdateDeployment {
  /**  */
  maxUnavailable?: (number | string);
  /**  */
  maxSurge?: (number | string);
}

/**  */
export interface RollingUpdateStatefulSetStrategy {
  /**  */
  partition?: number;
  /**  */
  maxUnavailable?: (number | string);
}

/**  */
export interface StatefulSet {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: StatefulSetSpec;
  /** The observed state, as the system last reported it. */
  status?: StatefulSetStatus;
}

/**  */
export interface StatefulSetCondition {
  /**  */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of StatefulSet objects. */
export interface StatefulSetList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: StatefulSet[];
}

/**  */
export interface StatefulSetOrdinals {
  /**  */
  start?: number;
}

/**  */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /**  */
  whenDeleted?: string;
  /**  */
  whenScaled?: string;
}

/**  */
export interface StatefulSetSpec {
  /**  */
  replicas?: number;
  /**  */
  selector?: LabelSelector;
  /**  */
  template: PodTemplateSpec;
  /**  */
  volumeClaimTemplates?: PersistentVolumeClaim[];
  /**  */
  serviceName?: string;
  /**  */
  podManagementPolicy?: string;
  /**  */
  updateStrategy?: StatefulSetUpdateStrategy;
  /**  */
  revisionHistoryLimit?: number;
  /**  */
  minReadySeconds?: number;
  /**  */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  /**  */
  ordinals?: StatefulSetOrdinals;
}

/**  */
export interface StatefulSetStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /**  */
  replicas: number;
  /**  */
  readyReplicas?: number;
  /**  */
  currentReplicas?: number;
  /**  */
  updatedReplicas?: number;
  /**  */
  currentRevision?: string;
  /**  */
  updateRevision?: string;
  /**  */
  collisionCount?: number;
  /**  */
  conditions?: StatefulSetCondition[];
  /**  */
  availableReplicas?: number;
}

/**  */
export interface StatefulSetUpdateStrategy {
  /**  */
  type?: string;
  /**  */
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
