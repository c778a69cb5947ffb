// Generated from src/api by `npm run generate`. Do not edit.
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type HorizontalPodAutoscalerConditionType = string;

export type MetricSourceType = string;

/** A resource of one container in each Pod, and its target. */
export interface ContainerResourceMetricSource {
  /** The resource, such as cpu. */
  name?: string;
  /** Wanted average, as a percentage of the request. */
  targetAverageUtilization?: number;
  /** Wanted average, as an amount. */
  targetAverageValue?: string;
  /** Name of the container. */
  container?: string;
}

/** Present use of a resource by one container in each Pod. */
export interface ContainerResourceMetricStatus {
  /** The resource, such as cpu. */
  name?: string;
  /** Present average, as a percentage of the request. */
  currentAverageUtilization?: number;
  /** Present average, as an amount. */
  currentAverageValue?: string;
  /** Name of the container. */
  container?: string;
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
  /** Name of the metric. */
  metricName?: string;
  /** Labels of the metric. */
  metricSelector?: LabelSelector;
  /** Wanted value. */
  targetValue?: string;
  /** Wanted value for each Pod. */
  targetAverageValue?: string;
}

/** Present value of a metric from outside the cluster. */
export interface ExternalMetricStatus {
  /** Name of the metric. */
  metricName?: string;
  /** Labels of the metric. */
  metricSelector?: LabelSelector;
  /** Present value. */
  currentValue?: string;
  /** Present value for each Pod. */
  currentAverageValue?: string;
}

/** Sets a workload's replicas from its CPU use. */
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

/** One aspect of the autoscaler's current state. */
export interface HorizontalPodAutoscalerCondition {
  /** AbleToScale, ScalingActive or ScalingLimited. */
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

/** A list of HorizontalPodAutoscaler objects. */
export interface HorizontalPodAutoscalerList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: HorizontalPodAutoscaler[];
}

/** What to scale and within which bounds. */
export interface HorizontalPodAutoscalerSpec {
  /** The workload, which must have a scale subresource. */
  scaleTargetRef: CrossVersionObjectReference;
  /** Fewest replicas; default 1. */
  minReplicas?: number;
  /** Most replicas. */
  maxReplicas: number;
  /** Wanted average CPU use, as a percentage of the requests. */
  targetCPUUtilizationPercentage?: number;
}

/** State of the autoscaler. */
export interface HorizontalPodAutoscalerStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /** When the number of replicas was last changed. */
  lastScaleTime?: string;
  /** Present number of replicas. */
  currentReplicas: number;
  /** Replicas that the autoscaler last asked for. */
  desiredReplicas: number;
  /** Present average CPU use, as a percentage of the requests. */
  currentCPUUtilizationPercentage?: number;
}

/** A metric to scale by; the member named by type is set. */
export interface MetricSpec {
  /** Object, Pods, Resource, ContainerResource or External. */
  type?: string;
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
  type?: string;
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

/** A metric of one object, and its target. */
export interface ObjectMetricSource {
  /** The object. */
  target?: CrossVersionObjectReference;
  /** Name of the metric. */
  metricName?: string;
  /** Wanted value. */
  targetValue?: string;
  /** Labels of the metric. */
  selector?: LabelSelector;
  /** Wanted value for each Pod. */
  averageValue?: string;
}

/** Present value of an object's metric. */
export interface ObjectMetricStatus {
  /** The object. */
  target?: CrossVersionObjectReference;
  /** Name of the metric. */
  metricName?: string;
  /** Present value. */
  currentValue?: string;
  /** Labels of the metric. */
  selector?: LabelSelector;
  /** Present value for each Pod. */
  averageValue?: string;
}

/** A metric of each Pod, and its target. */
export interface PodsMetricSource {
  /** Name of the metric. */
  metricName?: string;
  /** Wanted average over the Pods. */
  targetAverageValue?: string;
  /** Labels of the metric. */
  selector?: LabelSelector;
}

/** Present value of the Pods' metric. */
export interface PodsMetricStatus {
  /** Name of the metric. */
  metricName?: string;
  /** Present average over the Pods. */
  currentAverageValue?: string;
  /** Labels of the metric. */
  selector?: LabelSelector;
}

/** A resource of each Pod, and its target. */
export interface ResourceMetricSource {
  /** The resource, such as cpu. */
  name?: string;
  /** Wanted average, as a percentage of the request. */
  targetAverageUtilization?: number;
  /** Wanted average, as an amount. */
  targetAverageValue?: string;
}

/** Present use of a resource by the Pods. */
export interface ResourceMetricStatus {
  /** The resource, such as cpu. */
  name?: string;
  /** Present average, as a percentage of the request. */
  currentAverageUtilization?: number;
  /** Present average, as an amount. */
  currentAverageValue?: string;
}

/** The number of replicas of a workload. */
export interface Scale {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ScaleSpec;
  /** The observed state, as the system last reported it. */
  status?: ScaleStatus;
}

/** The wanted number of replicas. */
export interface ScaleSpec {
  /** Wanted number of replicas. */
  replicas?: number;
}

/** The present number of replicas. */
export interface ScaleStatus {
  /** Present number of replicas. */
  replicas: number;
  /** Labels of the Pods, as a selector string. */
  selector?: string;
}
