// Generated from src/api by `npm run generate`. Do not edit.
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type HPAScalingPolicyType = string;

export type HorizontalPodAutoscalerConditionType = string;

export type MetricSourceType = string;

export type MetricTargetType = string;

export type ScalingPolicySelect = string;

/**  */
export interface ContainerResourceMetricSource {
  /**  */
  name: string;
  /**  */
  target: MetricTarget;
  /**  */
  container: string;
}

/**  */
export interface ContainerResourceMetricStatus {
  /**  */
  name: string;
  /**  */
  current: MetricValueStatus;
  /**  */
  container: string;
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
  metric: MetricIdentifier;
  /**  */
  target: MetricTarget;
}

/**  */
export interface ExternalMetricStatus {
  /**  */
  metric: MetricIdentifier;
  /**  */
  current: MetricValueStatus;
}

/**  */
export interface HPAScalingPolicy {
  /**  */
  type: string;
  /**  */
  value: number;
  /**  */
  periodSeconds: number;
}

/**  */
export interface HPAScalingRules {
  /**  */
  stabilizationWindowSeconds?: number;
  /**  */
  selectPolicy?: string;
  /**  */
  policies?: HPAScalingPolicy[];
  /**  */
  tolerance?: string;
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
export interface HorizontalPodAutoscalerBehavior {
  /**  */
  scaleUp?: HPAScalingRules;
  /**  */
  scaleDown?: HPAScalingRules;
}

/**  */
export interface HorizontalPodAutoscalerCondition {
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
  metrics?: MetricSpec[];
  /**  */
  behavior?: HorizontalPodAutoscalerBehavior;
}

/**  */
export interface HorizontalPodAutoscalerStatus {
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
  /**  */
  lastScaleTime?: string;
  /**  */
  currentReplicas?: number;
  /**  */
  desiredReplicas: number;
  /**  */
  currentMetrics?: MetricStatus[];
  /**  */
  conditions?: HorizontalPodAutoscalerCondition[];
}

/**  */
export interface MetricIdentifier {
  /**  */
  name: string;
  /**  */
  selector?: LabelSelector;
}

/**  */
export interface MetricSpec {
  /**  */
  type: string;
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
  type: string;
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
export interface MetricTarget {
  /**  */
  type: string;
  /**  */
  value?: string;
  /**  */
  averageValue?: string;
  /**  */
  averageUtilization?: number;
}

/**  */
export interface MetricValueStatus {
  /**  */
  value?: string;
  /**  */
  averageValue?: string;
  /**  */
  averageUtilization?: number;
}

/**  */
export interface ObjectMetricSource {
  /**  */
  describedObject: CrossVersionObjectReference;
  /**  */
  target: MetricTarget;
  /**  */
  metric: MetricIdentifier;
}

/**  */
export interface ObjectMetricStatus {
  /**  */
  metric: MetricIdentifier;
  /**  */
  current: MetricValueStatus;
  /**  */
  describedObject: CrossVersionObjectReference;
}

/**  */
export interface PodsMetricSource {
  /**  */
  metric: MetricIdentifier;
  /**  */
  target: MetricTarget;
}

/**  */
export interface PodsMetricStatus {
  /**  */
  metric: MetricIdentifier;
  /**  */
  current: MetricValueStatus;
}

/**  */
export interface ResourceMetricSource {
  /**  */
  name: string;
  /**  */
  target: MetricTarget;
}

/**  */
export interface ResourceMetricStatus {
  /**  */
  name: string;
  /**  */
  current: MetricValueStatus;
}
