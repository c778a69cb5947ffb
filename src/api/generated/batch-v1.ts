// Generated from src/api by `npm run generate`. Do not edit.
import type { ObjectReference, PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from './meta-v1.ts';

export type CompletionMode = string;

export type ConcurrencyPolicy = string;

export type JobConditionType = string;

export type PodFailurePolicyAction = string;

export type PodFailurePolicyOnExitCodesOperator = string;

export type PodReplacementPolicy = string;

/** Makes Jobs on a schedule. */
export interface CronJob {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CronJob[];
}

/** When to make Jobs, and which. */
export interface CronJobSpec {
  /** Times in cron format. */
  schedule: string;
  /** Time zone of the schedule, such as Europe/Berlin; default the controller's. */
  timeZone?: string;
  /** Seconds by which a Job may start late; later runs are missed. */
  startingDeadlineSeconds?: number;
  /** If the last Job still runs: Allow (default), Forbid or Replace. */
  concurrencyPolicy?: string;
  /** Whether no new Jobs are made; default false. */
  suspend?: boolean;
  /** Template of the Jobs. */
  jobTemplate: JobTemplateSpec;
  /** Succeeded Jobs to keep; default 3. */
  successfulJobsHistoryLimit?: number;
  /** Failed Jobs to keep; default 1. */
  failedJobsHistoryLimit?: number;
}

/** State of a CronJob. */
export interface CronJobStatus {
  /** Jobs that run now. */
  active?: ObjectReference[];
  /** When a Job was last due and made. */
  lastScheduleTime?: string;
  /** When a Job last succeeded. */
  lastSuccessfulTime?: string;
}

/** Runs Pods until enough of them succeed. */
export interface Job {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec?: JobSpec;
  /** The observed state, as the system last reported it. */
  status?: JobStatus;
}

/** One aspect of the Job's current state. */
export interface JobCondition {
  /** Suspended, Complete, Failed, FailureTarget or SuccessCriteriaMet. */
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
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: Job[];
}

/** Which Pods to run, and when the Job is over. */
export interface JobSpec {
  /** Most Pods to run at once; default 1. */
  parallelism?: number;
  /** Successful Pods wanted; unset: the success of any Pod is enough. */
  completions?: number;
  /** Seconds after which the Job is stopped and failed. */
  activeDeadlineSeconds?: number;
  /** Rules on what a failed Pod means for the Job. */
  podFailurePolicy?: PodFailurePolicy;
  /** Rules on when an indexed Job has succeeded early. */
  successPolicy?: SuccessPolicy;
  /** Failures before the Job fails; default 6. */
  backoffLimit?: number;
  /** Failures of one index before that index fails; indexed Jobs only. */
  backoffLimitPerIndex?: number;
  /** Failed indexes before the whole Job fails. */
  maxFailedIndexes?: number;
  /** Labels of the Pods; normally generated. */
  selector?: LabelSelector;
  /** Whether selector is written by the user; default false. */
  manualSelector?: boolean;
  /** Template of the Pods; restartPolicy is Never or OnFailure. */
  template: PodTemplateSpec;
  /** Seconds after which the finished Job is deleted; default never. */
  ttlSecondsAfterFinished?: number;
  /** NonIndexed (default) or Indexed. */
  completionMode?: string;
  /** Whether no Pods run for now; default false. */
  suspend?: boolean;
  /** When Pods are replaced: TerminatingOrFailed or Failed. */
  podReplacementPolicy?: string;
  /** Controller of the Job; default kubernetes.io/job-controller; fixed. */
  managedBy?: string;
}

/** State of a Job. */
export interface JobStatus {
  /** Conditions of the Job; Complete or Failed when it is over. */
  conditions?: JobCondition[];
  /** When the Job began, or was last resumed. */
  startTime?: string;
  /** When the Job succeeded. */
  completionTime?: string;
  /** Pods that are pending or running and not terminating. */
  active?: number;
  /** Pods that succeeded. */
  succeeded?: number;
  /** Pods that failed. */
  failed?: number;
  /** Pods that are terminating. */
  terminating?: number;
  /** Indexes that succeeded, such as 1,3-5. */
  completedIndexes?: string;
  /** Indexes that failed, such as 1,3-5. */
  failedIndexes?: string;
  /** Pods that have ended and are not in the counts yet. */
  uncountedTerminatedPods?: UncountedTerminatedPods;
  /** Active Pods that are ready. */
  ready?: number;
}

/** What Jobs made from a template look like. */
export interface JobTemplateSpec {
  /** Labels and annotations of the Jobs. */
  metadata?: ObjectMeta;
  /** Spec of the Jobs. */
  spec?: JobSpec;
}

/** What failed Pods mean for the Job. */
export interface PodFailurePolicy {
  /** The rules, tried in order; at most 20. */
  rules: PodFailurePolicyRule[];
}

/** A test on a failed Pod's exit codes. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** Container to test; default all. */
  containerName?: string;
  /** In or NotIn. */
  operator: string;
  /** Exit codes to compare with, sorted; 0 is not allowed for In. */
  values: number[];
}

/** A test on a failed Pod's conditions. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /** Type of the condition. */
  type: string;
  /** Status of the condition; default True. */
  status?: string;
}

/** What to do with a Pod that failed in a certain way. */
export interface PodFailurePolicyRule {
  /** FailJob, FailIndex, Ignore or Count. */
  action: string;
  /** Exit codes to which the rule applies; excludes onPodConditions. */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  /** Pod conditions to which the rule applies; excludes onExitCodes. */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

/** When an indexed Job has succeeded early. */
export interface SuccessPolicy {
  /** The rules, tried in order; at most 20. */
  rules: SuccessPolicyRule[];
}

/** What is enough for success. */
export interface SuccessPolicyRule {
  /** Indexes that must succeed, such as 1,3-5. */
  succeededIndexes?: string;
  /** How many of the indexes must succeed. */
  succeededCount?: number;
}

/** Pods that have ended and are not in the counts yet. */
export interface UncountedTerminatedPods {
  /** UIDs of Pods that succeeded. */
  succeeded?: string[];
  /** UIDs of Pods that failed. */
  failed?: string[];
}
