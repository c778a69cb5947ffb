import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, statusErrors, updateErrors, type Case } from '../testing/cases.ts';
import { cronScheduleProblem } from './cron-schedule.ts';
import { overlappingIndex, parseIndexes } from './indexes.ts';
import { isKnownTimeZone } from './time-zone.ts';

const pod: JsonObject = {
  restartPolicy: 'Never',
  dnsPolicy: 'ClusterFirst',
  terminationGracePeriodSeconds: 30,
  schedulerName: 'default-scheduler',
  securityContext: {},
  containers: [
    {
      name: 'c',
      image: 'i',
      imagePullPolicy: 'Always',
      terminationMessagePath: '/t',
      terminationMessagePolicy: 'File',
      resources: {},
    },
  ],
};
const labels = {
  'controller-uid': 'u',
  'job-name': 'j',
  'batch.kubernetes.io/controller-uid': 'u',
  'batch.kubernetes.io/job-name': 'j',
};
const jobSpec: JsonObject = {
  parallelism: 1,
  completions: 1,
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  template: { metadata: { labels }, spec: pod },
};
const job: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j', namespace: 'default', uid: 'u' },
  spec: { ...jobSpec, selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } } },
  status: {},
};
const kind = { group: 'batch', version: 'v1', plural: 'jobs', namespaced: true };
const indexed = (more: JsonObject): JsonObject => ({ spec: { completionMode: 'Indexed', completions: 3, ...more } });
const NEGATIVE = 'must be greater than or equal to 0';

describe('Jobs', () => {
  const rule = (more: JsonObject): JsonObject => ({
    spec: { podFailurePolicy: { rules: [{ action: 'FailJob', ...more }] } },
  });
  const exitCodes = (more: JsonObject): JsonObject => rule({ onExitCodes: { operator: 'In', values: [1], ...more } });
  const RULE = 'spec.podFailurePolicy.rules[0]';
  const cases: Case[] = [
    ['right', {}, []],
    ['negative parallelism', { spec: { parallelism: -1 } }, [`spec.parallelism: Invalid value: -1: ${NEGATIVE}`]],
    [
      'pods that restart for ever',
      { spec: { template: { spec: { restartPolicy: 'Always' } } } },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      'indexes without a number',
      { spec: { completionMode: 'Indexed', completions: null } },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      'limit per index, not indexed',
      { spec: { backoffLimitPerIndex: 1 } },
      ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    ],
    [
      'failed indexes without a limit',
      indexed({ maxFailedIndexes: 1 }),
      ['spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
    ],
    [
      'more failures than indexes',
      indexed({ maxFailedIndexes: 4, backoffLimitPerIndex: 1 }),
      ['spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions'],
    ],
    [
      'too many at once',
      indexed({ parallelism: 100001 }),
      ['spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed'],
    ],
    [
      'a manager without a domain',
      { spec: { managedBy: 'me' } },
      ['spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    [
      'no action',
      rule({ action: '', onExitCodes: { operator: 'In', values: [1] } }),
      [`${RULE}.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`],
    ],
    [
      'an index fails without a limit',
      rule({ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }),
      [`${RULE}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`],
    ],
    [
      'neither codes nor conditions',
      rule({}),
      [`${RULE}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`],
    ],
    [
      'both',
      rule({ onExitCodes: { operator: 'In', values: [1] }, onPodConditions: [{ type: 'A', status: 'True' }] }),
      [`${RULE}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`],
    ],
    [
      'code zero',
      exitCodes({ values: [0] }),
      [`${RULE}.onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`],
    ],
    [
      'codes out of order and twice',
      exitCodes({ values: [3, 1, 1] }),
      [
        `${RULE}.onExitCodes.values[2]: Duplicate value: 1`,
        `${RULE}.onExitCodes.values: Invalid value: [3,1,1]: must be ordered`,
      ],
    ],
    [
      'a container that is not there',
      exitCodes({ containerName: 'x' }),
      [
        `${RULE}.onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template`,
      ],
    ],
    [
      'replacement with a failure policy',
      { spec: { ...(exitCodes({})['spec'] as JsonObject), podReplacementPolicy: 'TerminatingOrFailed' } },
      ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
    ],
    [
      'success policy, not indexed',
      { spec: { successPolicy: { rules: [{ succeededCount: 1 }] } } },
      [
        'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
      ],
    ],
    [
      'success without rules',
      indexed({ successPolicy: { rules: [] } }),
      [
        'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
      ],
    ],
    [
      'more successes than indexes listed',
      indexed({ successPolicy: { rules: [{ succeededCount: 3, succeededIndexes: '0-1' }] } }),
      [
        'spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)',
      ],
    ],
    [
      'labels of another',
      { spec: { template: { metadata: { labels: { 'job-name': 'other' } } } } },
      [
        'spec.template.metadata.labels[job-name]: Invalid value: {"batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"j","controller-uid":"u","job-name":"other"}: must be \'j\'',
      ],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, job, change)).toEqual(errors);
  });

  const updates: Case[] = [
    ['completions', { spec: { completions: 2 } }, ['spec.completions: Invalid value: 2: field is immutable']],
    [
      'completion mode',
      { spec: { completionMode: 'Indexed' } },
      ['spec.completionMode: Invalid value: "Indexed": field is immutable'],
    ],
    ['manager', { spec: { managedBy: 'a.io/b' } }, ['spec.managedBy: Invalid value: "a.io/b": field is immutable']],
    ['parallelism, which may change', { spec: { parallelism: 3 } }, []],
  ];
  it.each(updates)('update: %s', (_name, change, errors) => {
    expect(updateErrors(kind, job, change)).toEqual(errors);
  });
  const nodeSelector = { spec: { template: { spec: { nodeSelector: { disk: 'ssd' } } } } };
  it('may be moved to other nodes while suspended, and only then', () => {
    expect(
      updateErrors(kind, { ...job, spec: { ...(job['spec'] as JsonObject), suspend: true } }, nodeSelector),
    ).toEqual([]);
    expect(updateErrors(kind, job, nodeSelector)[0]).toMatch(
      /^spec\.template: Invalid value: \{.*\}: field is immutable$/,
    );
  });
  it('name the spec of their template when it may not change while suspended', () => {
    const suspended = { ...job, spec: { ...(job['spec'] as JsonObject), suspend: true } };
    const grace = { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } };
    expect(updateErrors(kind, suspended, grace)[0]).toMatch(
      /^spec\.template\.spec: Invalid value: \{.*\}: field is immutable$/,
    );
    expect(updateErrors(kind, job, grace)[0]).toMatch(/^spec\.template: Invalid value: \{.*\}: field is immutable$/);
  });
  it('scale when indexed, completions and parallelism together', () => {
    const scaled = { ...job, spec: { ...(job['spec'] as JsonObject), completionMode: 'Indexed' } };
    expect(updateErrors(kind, scaled, { spec: { completions: 2 } })).toEqual([
      'spec.completions: Invalid value: 2: can only be modified in tandem with spec.parallelism',
    ]);
    expect(updateErrors(kind, scaled, { spec: { completions: 2, parallelism: 2 } })).toEqual([]);
  });

  const condition = (...types: string[]): JsonObject[] => types.map((type) => ({ type, status: 'True' }));
  const [start, end] = ['2024-01-01T00:00:00Z', '2024-01-01T01:00:00Z'];
  const statuses: Case[] = [
    [
      'a good end',
      { status: { startTime: start, completionTime: end, conditions: condition('SuccessCriteriaMet', 'Complete') } },
      [],
    ],
    [
      'complete without criteria',
      { status: { startTime: start, completionTime: end, conditions: condition('Complete') } },
      [
        'status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
      ],
    ],
    [
      'complete and failed',
      {
        status: {
          startTime: start,
          completionTime: end,
          conditions: condition('SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed'),
        },
      },
      [
        'status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
      ],
    ],
    [
      'ends before it starts',
      { status: { startTime: end, completionTime: start, conditions: condition('SuccessCriteriaMet', 'Complete') } },
      [`status.completionTime: Invalid value: "${start}": must be equal to or after \`startTime\``],
    ],
    [
      'more ready than active',
      { status: { ready: 2, active: 1 } },
      ['status.ready: Invalid value: 2: cannot set more ready pods than active'],
    ],
    [
      'the same pod counted twice',
      { status: { uncountedTerminatedPods: { succeeded: ['a'], failed: ['a'] } } },
      ['status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"'],
    ],
    [
      'indexes of a Job that has none',
      { status: { completedIndexes: '0' } },
      [
        'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
      ],
    ],
  ];
  it.each(statuses)('status: %s', (_name, change, errors) => {
    expect(statusErrors(kind, job, change)).toEqual(errors);
  });
  it('keep their start while they run', () => {
    const started = { ...job, status: { startTime: start } };
    expect(statusErrors(kind, started, { status: { startTime: null } })).toEqual([
      'status.startTime: Invalid value: null: field is immutable for unsuspended job once set',
    ]);
    expect(statusErrors(kind, started, { status: { startTime: end } })).toEqual([
      `status.startTime: Invalid value: "${end}": field is immutable for unsuspended job once set`,
    ]);
  });
  it('start anew when they are resumed', () => {
    const suspended = (status: string) => [
      { type: 'Suspended', status, lastTransitionTime: start, lastProbeTime: start },
    ];
    const before = { ...job, status: { startTime: start, conditions: suspended('True') } };
    const resumed = { status: { startTime: end, conditions: suspended('False') } };
    expect(statusErrors(kind, before, resumed)).toEqual([]);
  });
});

describe('CronJobs', () => {
  const cronKind = { ...kind, plural: 'cronjobs' };
  const right: JsonObject = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'c', namespace: 'default' },
    spec: {
      schedule: '*/5 * * * *',
      concurrencyPolicy: 'Allow',
      jobTemplate: { spec: { ...jobSpec, template: { spec: pod } } },
    },
    status: {},
  };
  const cases: Case[] = [
    ['right', {}, []],
    ['no schedule', { spec: { schedule: null } }, ['spec.schedule: Required value']],
    [
      'zone in the schedule',
      { spec: { schedule: 'TZ=UTC 0 0 * * *' } },
      [
        'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      'a zone that is none',
      { spec: { timeZone: 'Mars/Base' } },
      ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    ],
    [
      'odd policy',
      { spec: { concurrencyPolicy: 'Queue' } },
      ['spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      'a selector',
      { spec: { jobTemplate: { spec: { selector: { matchLabels: { a: 'b' } } } } } },
      ['spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated'],
    ],
    [
      'a name too long for its jobs',
      { metadata: { name: 'n'.repeat(53) } },
      [`metadata.name: Invalid value: "${'n'.repeat(53)}": must be no more than 52 characters`],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(cronKind, right, change)).toEqual(errors);
  });
});

describe('cronScheduleProblem', () => {
  const rows: [schedule: string, problem: string | undefined][] = [
    ['0 0 1 jan mon-fri', undefined],
    ['@hourly', undefined],
    ['@every 1h30m', undefined],
    ['0-59/15 */2 ? * *', undefined],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['* * *', 'expected exactly 5 fields, found 3: [* * *]'],
    ['61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['9-3 * * * *', 'beginning of range (9) beyond end of range (3): 9-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ];
  it.each(rows)('%s', (schedule, problem) => {
    expect(cronScheduleProblem(schedule, isKnownTimeZone)).toBe(problem);
  });
});

describe('sets of indexes', () => {
  const rows: [text: string, result: unknown][] = [
    ['', { total: 0 }],
    ['0,2-4', { total: 4 }],
    ['9', 'too large index: "9"'],
    ['3,1', 'non-increasing order, previous: 3, current: 1'],
    [
      '1-2-3',
      'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
    ],
    ['a', 'cannot convert string to integer for index: "a"'],
  ];
  it.each(rows)('%s', (text, result) => {
    expect(parseIndexes(text, 5)).toEqual(result);
  });
  it('overlap at the first common index', () => {
    expect(overlappingIndex('0-1,3', '2,3-4', 5)).toBe(3);
    expect(overlappingIndex('0-1', '2', 5)).toBeUndefined();
  });
});
