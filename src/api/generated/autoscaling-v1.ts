// Generated from src/api by `npm run generate`. Do not edit.
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type HorizontalPodAutoscalerConditionType = string;

export type MetricSourceType = string;

/**  */
export interface ContainerResourceMetricSource {
  /**  */
  name?: string;
  /**  */
  targetAverageUtilization?: number;
  /**  */
  targetAverageValue?: string;
  /**  */
  container?: string;
}

/**  */
export interface ContainerResourceMetricStatus {
  /**  */
  name?: string;
  /**  */
  currentAverageUtilization?: number;
  /**  */
  currentAverageValue?: string;
  /**  */
  container?: string;
}

/**  */
export interface CrossVersionObjectReference {
  /**  */
  kind: string;
  /**  */
  name: string;
  /**  */
  apiVersion?: string;
}

/**  */
export interface ExternalMetricSource {
  /**  */
  metricName?: string;
  /**  */
  metricSelector?: LabelSelector;
  /**  */
  targetValue?: string;
  /**  */
  targetAverageValue?: string;
}

/**  */
export interface ExternalMetricStatus {
  /**  */
  metricName?: string;
  /**  */
  metricSelector?: LabelSelector;
  /**  */
  currentValue?: string;
  /**  */
  currentAverageValue?: string;
}

/**  */
export interface HorizontalPodAutoscaler {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: HorizontalPodAutoscalerSpec;
  /** The observed state, as the system last reported it. */
  status?: HorizontalPodAutoscalerStatus;
}

/**  */
export interface HorizontalPodAutoscalerCondition {
  /**  */
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
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: HorizontalPodAutoscaler[];
}

/**  */
export interface HorizontalPodAutoscalerSpec {
  /**  */
  scaleTargetRef: CrossVersionObjectReference;
  /**  */
  minReplicas?: number;
  /**  */
  maxReplicas: number;
  /**  */
  targetCPUUtilizationPercentage?: number;
}

/**  */
export interface HorizontalPodAutoscalerStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /**  */
  lastScaleTime?: string;
  /**  */
  currentReplicas: number;
  /**  */
  desiredReplicas: number;
  /**  */
  currentCPUUtilizationPercentage?: number;
}

/**  */
export interface MetricSpec {
  /**  */
  type?: string;
  /**  */
  object?: ObjectMetricSource;
  /**  */
  pods?: PodsMetricSource;
  /**  */
  resource?: ResourceMetricSource;
  /**  */
  containerResource?: ContainerResourceMetricSource;
  /**  */
  external?: ExternalMetricSource;
}

/**  */
export interface MetricStatus {
  /**  */
  type?: string;
  /**  */
  object?: ObjectMetricStatus;
  /**  */
  pods?: PodsMetricStatus;
  /**  */
  resource?: ResourceMetricStatus;
  /**  */
  containerResource?: ContainerResourceMetricStatus;
  /**  */
  external?: ExternalMetricStatus;
}

/**  */
export interface ObjectMetricSource {
  /**  */
  target?: CrossVersionObjectReference;
  /**  */
  metricName?: string;
  /**  */
  targetValue?: string;
  /**  */
  selector?: LabelSelector;
  /**  */
  averageValue?: string;
}

/**  */
export interface ObjectMetricStatus {
  /**  */
  target?: CrossVersionObjectReference;
  /**  */
  metricName?: string;
  /**  */
  currentValue?: string;
  /**  */
  selector?: LabelSelector;
  /**  */
  averageValue?: string;
}

/**  */
export interface PodsMetricSource {
  /**  */
  metricName?: string;
  /**  */
  targetAverageValue?: string;
  /**  */
  selector?: LabelSelector;
}

/**  */
export interface PodsMetricStatus {
  /**  */
  metricName?: string;
  /**  */
  currentAverageValue?: string;
  /**  */
  selector?: LabelSelector;
}

/**  */
export interface ResourceMetricSource {
  /**  */
  name?: string;
  /**  */
  targetAverageUtilization?: number;
  /**  */
  targetAverageValue?: string;
}

/**  */
export interface ResourceMetricStatus {
  /**  */
  name?: string;
  /**  */
  currentAverageUtilization?: number;
  /**  */
  currentAverageValue?: string;
}

/**  */
export interface Scale {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: ScaleSpec;
  /** The observed state, as the system last reported it. */
  status?: ScaleStatus;
}

/**  */
export interface ScaleSpec {
  /**  */
  replicas?: number;
}

/**  */
export interface ScaleStatus {
  /**  */
  replicas: number;
  /**  */
  selector?: string;
}
