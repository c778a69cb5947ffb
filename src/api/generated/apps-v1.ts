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

/** An unchanging snapshot of a DaemonSet's or StatefulSet's state. */
export interface ControllerRevision {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The state. */
  data?: unknown;
  /** Number of the revision. */
  revision: number;
}

/** A list of ControllerRevision objects. */
export interface ControllerRevisionList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ControllerRevision[];
}

/** Runs a Pod on every node, or on selected ones. */
export interface DaemonSet {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: DaemonSetSpec;
  /** The observed state, as the system last reported it. */
  status?: DaemonSetStatus;
}

/** One aspect of the DaemonSet's current state. */
export interface DaemonSetCondition {
  /** Which condition. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: DaemonSet[];
}

/** Which Pod runs on which nodes. */
export interface DaemonSetSpec {
  /** Labels of the Pods; must match the template; fixed. */
  selector?: LabelSelector;
  /** Template of the Pods; its node selector says where. */
  template: PodTemplateSpec;
  /** How Pods are replaced after the template changes. */
  updateStrategy?: DaemonSetUpdateStrategy;
  /** Seconds for which a Pod must be ready to count as available; default 0. */
  minReadySeconds?: number;
  /** Old revisions to keep for rollback; default 10. */
  revisionHistoryLimit?: number;
}

/** State of a DaemonSet. */
export interface DaemonSetStatus {
  /** Nodes that run the Pod and should. */
  currentNumberScheduled: number;
  /** Nodes that run the Pod but should not. */
  numberMisscheduled: number;
  /** Nodes that should run the Pod. */
  desiredNumberScheduled: number;
  /** Nodes that should run the Pod and have it ready. */
  numberReady: number;
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** Nodes that run the Pod of the newest template. */
  updatedNumberScheduled?: number;
  /** Nodes with a Pod that has been ready for minReadySeconds. */
  numberAvailable?: number;
  /** Nodes that should have an available Pod and have none. */
  numberUnavailable?: number;
  /** Hash collisions so far, for naming new revisions. */
  collisionCount?: number;
  /** Conditions of the DaemonSet. */
  conditions?: DaemonSetCondition[];
}

/** How the Pods of a DaemonSet are replaced. */
export interface DaemonSetUpdateStrategy {
  /** RollingUpdate (default) or OnDelete. */
  type?: string;
  /** Settings of RollingUpdate. */
  rollingUpdate?: RollingUpdateDaemonSet;
}

/** Rolls out equal Pods and their updates by way of ReplicaSets. */
export interface Deployment {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: DeploymentSpec;
  /** The observed state, as the system last reported it. */
  status?: DeploymentStatus;
}

/** One aspect of the Deployment's current state. */
export interface DeploymentCondition {
  /** Available, Progressing or ReplicaFailure. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Deployment[];
}

/** Which Pods to run, how many, and how to update them. */
export interface DeploymentSpec {
  /** Wanted number of Pods; default 1. */
  replicas?: number;
  /** Labels of the Pods; must match the template; fixed. */
  selector?: LabelSelector;
  /** Template of the Pods; restartPolicy must be Always. */
  template: PodTemplateSpec;
  /** How old Pods are replaced by new ones. */
  strategy?: DeploymentStrategy;
  /** Seconds for which a Pod must be ready to count as available; default 0. */
  minReadySeconds?: number;
  /** Old ReplicaSets to keep for rollback; default 10. */
  revisionHistoryLimit?: number;
  /** Whether rollouts wait. */
  paused?: boolean;
  /** Seconds without progress after which a rollout counts as failed; default 600. */
  progressDeadlineSeconds?: number;
}

/** State of a Deployment. */
export interface DeploymentStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** Pods that are not terminating. */
  replicas?: number;
  /** Pods of the newest template. */
  updatedReplicas?: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods that have been ready for minReadySeconds. */
  availableReplicas?: number;
  /** Pods still missing from full availability. */
  unavailableReplicas?: number;
  /** Pods that are terminating. */
  terminatingReplicas?: number;
  /** Conditions of the Deployment. */
  conditions?: DeploymentCondition[];
  /** Hash collisions so far, for naming new ReplicaSets. */
  collisionCount?: number;
}

/** How the Pods of a Deployment are replaced. */
export interface DeploymentStrategy {
  /** RollingUpdate (default) or Recreate. */
  type?: string;
  /** Settings of RollingUpdate. */
  rollingUpdate?: RollingUpdateDeployment;
}

/** Keeps a number of equal Pods running. */
export interface ReplicaSet {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ReplicaSetSpec;
  /** The observed state, as the system last reported it. */
  status?: ReplicaSetStatus;
}

/** One aspect of the ReplicaSet's current state. */
export interface ReplicaSetCondition {
  /** Which condition, such as ReplicaFailure. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: ReplicaSet[];
}

/** How many Pods to keep, and which. */
export interface ReplicaSetSpec {
  /** Wanted number of Pods; default 1. */
  replicas?: number;
  /** Seconds for which a Pod must be ready to count as available; default 0. */
  minReadySeconds?: number;
  /** Labels of the Pods; must match the template; fixed. */
  selector?: LabelSelector;
  /** Template for new Pods. */
  template?: PodTemplateSpec;
}

/** State of a ReplicaSet. */
export interface ReplicaSetStatus {
  /** Pods that are not terminating. */
  replicas: number;
  /** Pods that have all labels of the template. */
  fullyLabeledReplicas?: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods that have been ready for minReadySeconds. */
  availableReplicas?: number;
  /** Pods that are terminating. */
  terminatingReplicas?: number;
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** Conditions of the ReplicaSet. */
  conditions?: ReplicaSetCondition[];
}

/** Settings of a DaemonSet's rolling update. */
export interface RollingUpdateDaemonSet {
  /** Nodes that may lack the Pod meanwhile, a number or percentage; default 1. */
  maxUnavailable?: (number | string);
  /** Nodes that may run old and new Pod at once, a number or percentage; default 0. */
  maxSurge?: (number | string);
}

/** Settings of a Deployment's rolling update. */
export interface RollingUpdateDeployment {
  /** Pods that may be missing meanwhile, a number or percentage; default 25%. */
  maxUnavailable?: (number | string);
  /** Pods that may run beyond replicas, a number or percentage; default 25%. */
  maxSurge?: (number | string);
}

/** Settings of a StatefulSet's rolling update. */
export interface RollingUpdateStatefulSetStrategy {
  /** Only Pods with this ordinal or a higher one are updated; default 0. */
  partition?: number;
  /** Pods that may be missing meanwhile, a number or percentage; default 1. */
  maxUnavailable?: (number | string);
}

/** Runs Pods with stable names and storage. */
export interface StatefulSet {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: StatefulSetSpec;
  /** The observed state, as the system last reported it. */
  status?: StatefulSetStatus;
}

/** One aspect of the StatefulSet's current state. */
export interface StatefulSetCondition {
  /** Which condition. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: StatefulSet[];
}

/** How the Pods are numbered. */
export interface StatefulSetOrdinals {
  /** Number of the first Pod; default 0. */
  start?: number;
}

/** What becomes of the claims made for the Pods. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  /** After the StatefulSet's deletion: Retain (default) or Delete. */
  whenDeleted?: string;
  /** After scaling down: Retain (default) or Delete. */
  whenScaled?: string;
}

/** Which Pods to run, how many, and with which storage. */
export interface StatefulSetSpec {
  /** Wanted number of Pods; default 1. */
  replicas?: number;
  /** Labels of the Pods; must match the template; fixed. */
  selector?: LabelSelector;
  /** Template of the Pods, which are named after the set and an ordinal. */
  template: PodTemplateSpec;
  /** Claims that each Pod gets for its own. */
  volumeClaimTemplates?: PersistentVolumeClaim[];
  /** Headless Service that gives the Pods their DNS names; fixed. */
  serviceName?: string;
  /** OrderedReady (default) or Parallel. */
  podManagementPolicy?: string;
  /** How Pods are replaced after the template changes. */
  updateStrategy?: StatefulSetUpdateStrategy;
  /** Old revisions to keep for rollback; default 10. */
  revisionHistoryLimit?: number;
  /** Seconds for which a Pod must be ready to count as available; default 0. */
  minReadySeconds?: number;
  /** What becomes of the claims; default all are kept. */
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  /** How the Pods are numbered; default from 0. */
  ordinals?: StatefulSetOrdinals;
}

/** State of a StatefulSet. */
export interface StatefulSetStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** Number of Pods. */
  replicas: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods of the current revision. */
  currentReplicas?: number;
  /** Pods of the update revision. */
  updatedReplicas?: number;
  /** Revision of the Pods that are not updated yet. */
  currentRevision?: string;
  /** Revision that Pods are updated to. */
  updateRevision?: string;
  /** Hash collisions so far, for naming new revisions. */
  collisionCount?: number;
  /** Conditions of the StatefulSet. */
  conditions?: StatefulSetCondition[];
  /** Pods that have been ready for minReadySeconds. */
  availableReplicas?: number;
}

/** How the Pods of a StatefulSet are replaced. */
export interface StatefulSetUpdateStrategy {
  /** RollingUpdate (default) or OnDelete. */
  type?: string;
  /** Settings of RollingUpdate. */
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
}
