// Generated from src/api by `npm run generate`. Do not edit.
import type { ObjectReference, PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type CompletionMode = string;

export type ConcurrencyPolicy = string;

export type JobConditionType = string;

export type PodFailurePolicyAction = string;

export type PodFailurePolicyOnExitCodesOperator = string;

export type PodReplacementPolicy = string;

/**  */
export interface CronJob {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: CronJobSpec;
  /** The observed state, as the system last reported it. */
  status?: CronJobStatus;
}

/** A list of CronJob objects. */
export interface CronJobList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CronJob[];
}

/**  */
export interface CronJobSpec {
  /**  */
  schedule: string;
  /**  */
  timeZone?: string;
  /**  */
  startingDeadlineSeconds?: number;
  /**  */
  concurrencyPolicy?: string;
  /**  */
  suspend?: boolean;
  /**  */
  jobTemplate: JobTemplateSpec;
  /**  */
  successfulJobsHistoryLimit?: number;
  /**  */
  failedJobsHistoryLimit?: number;
}

/**  */
export interface CronJobStatus {
  /**  */
  active?: ObjectReference[];
  /**  */
  lastScheduleTime?: string;
  /**  */
  lastSuccessfulTime?: string;
}

/**  */
export interface Job {
  apiVersion?: string;
  kind?: string;
  /** Name, labels, annotations and the other metadata of the object. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: JobSpec;
  /** The observed state, as the system last reported it. */
  status?: JobStatus;
}

/**  */
export interface JobCondition {
  /**  */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the condition was last checked. */
  lastProbeTime?: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
}

/** A list of Job objects. */
export interface JobList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Job[];
}

/**  */
export interface JobSpec {
  /**  */
  parallelism?: number;
  /**  */
  completions?: number;
  /**  */
  activeDeadlineSeconds?: number;
  /**  */
  podFailurePolicy?: PodFailurePolicy;
  /**  */
  successPolicy?: SuccessPolicy;
  /**  */
  backoffLimit?: number;
  /**  */
  backoffLimitPerIndex?: number;
  /**  */
  maxFailedIndexes?: number;
  /**  */
  selector?: LabelSelector;
  /**  */
  manualSelector?: boolean;
  /**  */
  template: PodTemplateSpec;
  /**  */
  ttlSecondsAfterFinished?: number;
  /**  */
  completionMode?: string;
  /**  */
  suspend?: boolean;
  /**  */
  podReplacementPolicy?: string;
  /**  */
  managedBy?: string;
}

/**  */
export interface JobStatus {
  /**  */
  conditions?: JobCondition[];
  /**  */
  startTime?: string;
  /**  */
  completionTime?: string;
  /**  */
  active?: number;
  /**  */
  succeeded?: number;
  /**  */
  failed?: number;
  /**  */
  terminating?: number;
  /**  */
  completedIndexes?: string;
  /**  */
  failedIndexes?: string;
  /**  */
  uncountedTerminatedPods?: UncountedTerminatedPods;
  /**  */
  ready?: number;
}

/**  */
export interface JobTemplateSpec {
  /**  */
  metadata?: ObjectMeta;
  /**  */
  spec?: JobSpec;
}

/**  */
export interface PodFailurePolicy {
  /**  */
  rules: PodFailurePolicyRule[];
}

/**  */
export interface PodFailurePolicyOnExitCodesRequirement {
  /**  */
  containerName?: string;
  /**  */
  operator: string;
  /**  */
  values: number[];
}

/**  */
export interface PodFailurePolicyOnPodConditionsPattern {
  /**  */
  type: string;
  /**  */
  status?: string;
}

/**  */
export interface PodFailurePolicyRule {
  /**  */
  action: string;
  /**  */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  /**  */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

/**  */
export interface SuccessPolicy {
  /**  */
  rules: SuccessPolicyRule[];
}

/**  */
export interface SuccessPolicyRule {
  /**  */
  succeededIndexes?: string;
  /**  */
  succeededCount?: number;
}

/**  */
export interface UncountedTerminatedPods {
  /**  */
  succeeded?: string[];
  /**  */
  failed?: string[];
}
