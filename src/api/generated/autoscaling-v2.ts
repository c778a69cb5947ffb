// Generated from src/api by `npm run generate`. Do not edit.
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type HPAScalingPolicyType = string;

export type HorizontalPodAutoscalerConditionType = string;

export type MetricSourceType = string;

export type MetricTargetType = string;

export type ScalingPolicySelect = string;

/** A resource of one container in each Pod, and its target. */
export interface ContainerResourceMetricSource {
  /** The resource, such as cpu. */
  name: string;
  /** The wanted value. */
  target: MetricTarget;
  /** Name of the container. */
  container: string;
}

/** Present use of a resource by one container in each Pod. */
export interface ContainerResourceMetricStatus {
  /** The resource, such as cpu. */
  name: string;
  /** The present value. */
  current: MetricValueStatus;
  /** Name of the container. */
  container: string;
}

/** An object of the namespace, by kind and name. */
export interface CrossVersionObjectReference {
  /** Kind of the object. */
  kind: string;
  /** Name of the object. */
  name: string;
  /** API version of the object. */
  apiVersion?: string;
}

/** A metric from outside the cluster, and its target. */
export interface ExternalMetricSource {
  /** Name and labels of the metric. */
  metric: MetricIdentifier;
  /** The wanted value. */
  target: MetricTarget;
}

/** Present value of a metric from outside the cluster. */
export interface ExternalMetricStatus {
  /** Name and labels of the metric. */
  metric: MetricIdentifier;
  /** The present value. */
  current: MetricValueStatus;
}

/** Most change in a period. */
export interface HPAScalingPolicy {
  /** What value counts: Pods or Percent. */
  type: string;
  /** Most change, above zero. */
  value: number;
  /** Length of the period, 1 to 1800 seconds. */
  periodSeconds: number;
}

/** How fast to scale in one direction. */
export interface HPAScalingRules {
  /** Seconds of past recommendations to weigh; 0 to 3600, default 0 up, 300 down. */
  stabilizationWindowSeconds?: number;
  /** Which policy wins: Max (default), Min or Disabled. */
  selectPolicy?: string;
  /** The policies; each caps the change. */
  policies?: HPAScalingPolicy[];
  /** Deviation from the target that is ignored; default 10%. */
  tolerance?: string;
}

/** Sets a workload's replicas from metrics. */
export interface HorizontalPodAutoscaler {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: HorizontalPodAutoscalerSpec;
  /** The observed state, as the system last reported it. */
  status?: HorizontalPodAutoscalerStatus;
}

/** How fast to scale. */
export interface HorizontalPodAutoscalerBehavior {
  /** Rules for scaling up; default 100% or 4 Pods in 15 seconds. */
  scaleUp?: HPAScalingRules;
  /** Rules for scaling down; default all at once after 300 seconds. */
  scaleDown?: HPAScalingRules;
}

/** One aspect of the autoscaler's current state. */
export interface HorizontalPodAutoscalerCondition {
  /** AbleToScale, ScalingActive or ScalingLimited. */
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

/** A list of HorizontalPodAutoscaler objects. */
export interface HorizontalPodAutoscalerList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: HorizontalPodAutoscaler[];
}

/** What to scale, by which metrics and within which bounds. */
export interface HorizontalPodAutoscalerSpec {
  /** The workload, which must have a scale subresource. */
  scaleTargetRef: CrossVersionObjectReference;
  /** Fewest replicas; default 1. */
  minReplicas?: number;
  /** Most replicas. */
  maxReplicas: number;
  /** Metrics to scale by, the highest result wins; default 80% of CPU. */
  metrics?: MetricSpec[];
  /** How fast to scale up and down. */
  behavior?: HorizontalPodAutoscalerBehavior;
}

/** State of the autoscaler. */
export interface HorizontalPodAutoscalerStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** When the number of replicas was last changed. */
  lastScaleTime?: string;
  /** Present number of replicas. */
  currentReplicas?: number;
  /** Replicas that the autoscaler last asked for. */
  desiredReplicas: number;
  /** Present values of the metrics. */
  currentMetrics?: MetricStatus[];
  /** Conditions of the autoscaler. */
  conditions?: HorizontalPodAutoscalerCondition[];
}

/** Name and labels of a metric. */
export interface MetricIdentifier {
  /** Name of the metric. */
  name: string;
  /** Labels of the metric; default any. */
  selector?: LabelSelector;
}

/** A metric to scale by; the member named by type is set. */
export interface MetricSpec {
  /** Object, Pods, Resource, ContainerResource or External. */
  type: string;
  /** A metric of one object. */
  object?: ObjectMetricSource;
  /** A metric of each Pod, averaged. */
  pods?: PodsMetricSource;
  /** A resource of each Pod, such as cpu. */
  resource?: ResourceMetricSource;
  /** A resource of one container in each Pod. */
  containerResource?: ContainerResourceMetricSource;
  /** A metric from outside the cluster. */
  external?: ExternalMetricSource;
}

/** Present value of a metric; the member named by type is set. */
export interface MetricStatus {
  /** Object, Pods, Resource, ContainerResource or External. */
  type: string;
  /** Value of an object's metric. */
  object?: ObjectMetricStatus;
  /** Average of the Pods' metric. */
  pods?: PodsMetricStatus;
  /** Use of a resource by the Pods. */
  resource?: ResourceMetricStatus;
  /** Use of a resource by one container in each Pod. */
  containerResource?: ContainerResourceMetricStatus;
  /** Value of an external metric. */
  external?: ExternalMetricStatus;
}

/** The wanted value of a metric. */
export interface MetricTarget {
  /** Utilization, Value or AverageValue. */
  type: string;
  /** Wanted value. */
  value?: string;
  /** Wanted average over the Pods. */
  averageValue?: string;
  /** Wanted average, as a percentage of the request; resources only. */
  averageUtilization?: number;
}

/** The present value of a metric. */
export interface MetricValueStatus {
  /** Present value. */
  value?: string;
  /** Present average over the Pods. */
  averageValue?: string;
  /** Present average, as a percentage of the request; resources only. */
  averageUtilization?: number;
}

/** A metric of one object, and its target. */
export interface ObjectMetricSource {
  /** The object that has the metric. */
  describedObject: CrossVersionObjectReference;
  /** The wanted value. */
  target: MetricTarget;
  /** Name and labels of the metric. */
  metric: MetricIdentifier;
}

/** Present value of an object's metric. */
export interface ObjectMetricStatus {
  /** Name and labels of the metric. */
  metric: MetricIdentifier;
  /** The present value. */
  current: MetricValueStatus;
  /** The object that has the metric. */
  describedObject: CrossVersionObjectReference;
}

/** A metric of each Pod, and its target. */
export interface PodsMetricSource {
  /** Name and labels of the metric. */
  metric: MetricIdentifier;
  /** The wanted value. */
  target: MetricTarget;
}

/** Present value of the Pods' metric. */
export interface PodsMetricStatus {
  /** Name and labels of the metric. */
  metric: MetricIdentifier;
  /** The present value. */
  current: MetricValueStatus;
}

/** A resource of each Pod, and its target. */
export interface ResourceMetricSource {
  /** The resource, such as cpu. */
  name: string;
  /** The wanted value. */
  target: MetricTarget;
}

/** Present use of a resource by the Pods. */
export interface ResourceMetricStatus {
  /** The resource, such as cpu. */
  name: string;
  /** The present value. */
  current: MetricValueStatus;
}
