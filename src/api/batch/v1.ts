/** The batch group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const batchV1: PackageDeclaration = {
  alias: 'batch',
  group: 'batch',
  version: 'v1',
  prefix: 'io.k8s.api.batch.v1',
  strings: {
    CompletionMode: ['NonIndexed', 'Indexed'],
    ConcurrencyPolicy: ['Allow', 'Forbid', 'Replace'],
    JobConditionType: ['Suspended', 'Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'],
    PodFailurePolicyAction: ['FailJob', 'FailIndex', 'Ignore', 'Count'],
    PodFailurePolicyOnExitCodesOperator: ['In', 'NotIn'],
    PodReplacementPolicy: ['TerminatingOrFailed', 'Failed'],
  },
  messages: {
    CronJob: object('Makes Jobs on a schedule.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'CronJobSpec', 'The desired state, as the user asks for it.', { required: true }),
      status: field(3, 'CronJobStatus', 'The observed state, as the system last reported it.'),
    }),
    CronJobList: listOf('CronJob'),
    CronJobSpec: message('When to make Jobs, and which.', {
      schedule: field(1, 'string', 'Times in cron format.', { required: true, keep: true }),
      timeZone: field(8, '*string', "Time zone of the schedule, such as Europe/Berlin; default the controller's."),
      startingDeadlineSeconds: field(2, '*int64', 'Seconds by which a Job may start late; later runs are missed.'),
      concurrencyPolicy: field(
        3,
        'ConcurrencyPolicy',
        'If the last Job still runs: Allow (default), Forbid or Replace.',
        { default: 'Allow' },
      ),
      suspend: field(4, '*bool', 'Whether no new Jobs are made; default false.', { default: false }),
      jobTemplate: field(5, 'JobTemplateSpec', 'Template of the Jobs.', { required: true, keep: true }),
      successfulJobsHistoryLimit: field(6, '*int32', 'Succeeded Jobs to keep; default 3.', { default: 3 }),
      failedJobsHistoryLimit: field(7, '*int32', 'Failed Jobs to keep; default 1.', { default: 1 }),
    }),
    CronJobStatus: message('State of a CronJob.', {
      active: field(1, '[]core.ObjectReference', 'Jobs that run now.', { list: 'atomic' }),
      lastScheduleTime: field(4, '*Time', 'When a Job was last due and made.'),
      lastSuccessfulTime: field(5, '*Time', 'When a Job last succeeded.'),
    }),
    Job: object('Runs Pods until enough of them succeed.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'JobSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'JobStatus', 'The observed state, as the system last reported it.'),
    }),
    JobCondition: message("One aspect of the Job's current state.", {
      type: field(1, 'JobConditionType', 'Suspended, Complete, Failed, FailureTarget or SuccessCriteriaMet.', {
        required: true,
        keep: true,
      }),
      status: field(2, 'core.ConditionStatus', 'Whether the condition holds: True, False or Unknown.', {
        required: true,
        keep: true,
      }),
      lastProbeTime: field(3, 'Time', 'When the condition was last checked.'),
      lastTransitionTime: field(4, 'Time', 'When the status last changed.'),
      reason: field(5, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(6, 'string', 'Details of the last change, for people to read.'),
    }),
    JobList: listOf('Job'),
    JobSpec: message('Which Pods to run, and when the Job is over.', {
      parallelism: field(1, '*int32', 'Most Pods to run at once; default 1.'),
      completions: field(2, '*int32', 'Successful Pods wanted; unset: the success of any Pod is enough.'),
      activeDeadlineSeconds: field(3, '*int64', 'Seconds after which the Job is stopped and failed.'),
      podFailurePolicy: field(11, '*PodFailurePolicy', 'Rules on what a failed Pod means for the Job.'),
      successPolicy: field(16, '*SuccessPolicy', 'Rules on when an indexed Job has succeeded early.'),
      backoffLimit: field(7, '*int32', 'Failures before the Job fails; default 6.'),
      backoffLimitPerIndex: field(12, '*int32', 'Failures of one index before that index fails; indexed Jobs only.'),
      maxFailedIndexes: field(13, '*int32', 'Failed indexes before the whole Job fails.'),
      selector: field(4, '*meta.LabelSelector', 'Labels of the Pods; normally generated.'),
      manualSelector: field(5, '*bool', 'Whether selector is written by the user; default false.'),
      template: field(6, 'core.PodTemplateSpec', 'Template of the Pods; restartPolicy is Never or OnFailure.', {
        required: true,
        keep: true,
      }),
      ttlSecondsAfterFinished: field(8, '*int32', 'Seconds after which the finished Job is deleted; default never.'),
      completionMode: field(9, '*CompletionMode', 'NonIndexed (default) or Indexed.'),
      suspend: field(10, '*bool', 'Whether no Pods run for now; default false.'),
      podReplacementPolicy: field(
        14,
        '*PodReplacementPolicy',
        'When Pods are replaced: TerminatingOrFailed or Failed.',
      ),
      managedBy: field(15, '*string', 'Controller of the Job; default kubernetes.io/job-controller; fixed.'),
    }),
    JobStatus: message('State of a Job.', {
      conditions: field(1, '[]JobCondition', 'Conditions of the Job; Complete or Failed when it is over.', {
        list: 'atomic',
        patch: 'merge',
        mergeKey: 'type',
      }),
      startTime: field(2, '*Time', 'When the Job began, or was last resumed.'),
      completionTime: field(3, '*Time', 'When the Job succeeded.'),
      active: field(4, 'int32', 'Pods that are pending or running and not terminating.'),
      succeeded: field(5, 'int32', 'Pods that succeeded.'),
      failed: field(6, 'int32', 'Pods that failed.'),
      terminating: field(11, '*int32', 'Pods that are terminating.'),
      completedIndexes: field(7, 'string', 'Indexes that succeeded, such as 1,3-5.'),
      failedIndexes: field(10, '*string', 'Indexes that failed, such as 1,3-5.'),
      uncountedTerminatedPods: field(
        8,
        '*UncountedTerminatedPods',
        'Pods that have ended and are not in the counts yet.',
      ),
      ready: field(9, '*int32', 'Active Pods that are ready.'),
    }),
    JobTemplateSpec: message('What Jobs made from a template look like.', {
      metadata: field(1, 'meta.ObjectMeta', 'Labels and annotations of the Jobs.'),
      spec: field(2, 'JobSpec', 'Spec of the Jobs.'),
    }),
    PodFailurePolicy: message('What failed Pods mean for the Job.', {
      rules: field(1, '[]PodFailurePolicyRule', 'The rules, tried in order; at most 20.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
    }),
    PodFailurePolicyOnExitCodesRequirement: message("A test on a failed Pod's exit codes.", {
      containerName: field(1, '*string', 'Container to test; default all.'),
      operator: field(2, 'PodFailurePolicyOnExitCodesOperator', 'In or NotIn.', { required: true, keep: true }),
      values: field(3, '[]int32', 'Exit codes to compare with, sorted; 0 is not allowed for In.', {
        required: true,
        keep: true,
        list: 'set',
        distinguishesEmpty: true,
      }),
    }),
    PodFailurePolicyOnPodConditionsPattern: message("A test on a failed Pod's conditions.", {
      type: field(1, 'core.PodConditionType', 'Type of the condition.', { required: true, keep: true }),
      status: field(2, 'core.ConditionStatus', 'Status of the condition; default True.', {
        keep: true,
        default: 'True',
      }),
    }),
    PodFailurePolicyRule: message('What to do with a Pod that failed in a certain way.', {
      action: field(1, 'PodFailurePolicyAction', 'FailJob, FailIndex, Ignore or Count.', {
        required: true,
        keep: true,
      }),
      onExitCodes: field(
        2,
        '*PodFailurePolicyOnExitCodesRequirement',
        'Exit codes to which the rule applies; excludes onPodConditions.',
      ),
      onPodConditions: field(
        3,
        '[]PodFailurePolicyOnPodConditionsPattern',
        'Pod conditions to which the rule applies; excludes onExitCodes.',
        { list: 'atomic' },
      ),
    }),
    SuccessPolicy: message('When an indexed Job has succeeded early.', {
      rules: field(1, '[]SuccessPolicyRule', 'The rules, tried in order; at most 20.', {
        required: true,
        keep: true,
        list: 'atomic',
      }),
    }),
    SuccessPolicyRule: message('What is enough for success.', {
      succeededIndexes: field(1, '*string', 'Indexes that must succeed, such as 1,3-5.'),
      succeededCount: field(2, '*int32', 'How many of the indexes must succeed.'),
    }),
    UncountedTerminatedPods: message('Pods that have ended and are not in the counts yet.', {
      succeeded: field(1, '[]string', 'UIDs of Pods that succeeded.', { list: 'set' }),
      failed: field(2, '[]string', 'UIDs of Pods that failed.', { list: 'set' }),
    }),
  },
  kinds: [
    {
      kind: 'CronJob',
      plural: 'cronjobs',
      namespaced: true,
      shortNames: ['cj'],
      categories: ['all'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Schedule', 'string'),
        column('Timezone', 'string'),
        column('Suspend', 'boolean'),
        column('Active', 'integer'),
        column('Last Schedule', 'string'),
        column('Age', 'string'),
        column('Containers', 'string', 1),
        column('Images', 'string', 1),
        column('Selector', 'string', 1),
      ],
    },
    {
      kind: 'Job',
      plural: 'jobs',
      namespaced: true,
      categories: ['all'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      selectableFields: {
        'status.successful': 'status.succeeded',
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Status', 'string'),
        column('Completions', 'string'),
        column('Duration', 'string'),
        column('Age', 'string'),
        column('Containers', 'string', 1),
        column('Images', 'string', 1),
        column('Selector', 'string', 1),
      ],
    },
  ],
};
