import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { changed, createErrors, statusErrors, updateErrors, type Case } from '../testing/cases.ts';

const template: JsonObject = {
  metadata: { labels: { app: 'web' } },
  spec: {
    restartPolicy: 'Always',
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
  },
};
const workload = (kind: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'web' } }, template, ...spec },
  status: {},
});
const apps = (plural: string) => ({ group: 'apps', version: 'v1', plural, namespaced: true });
const NEGATIVE = 'must be greater than or equal to 0';
const MISMATCH = '`selector` does not match template `labels`';
const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

describe('Deployments', () => {
  const kind = apps('deployments');
  const right = workload('Deployment', {
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
  });
  const rolling = (settings: JsonObject): JsonObject => ({ spec: { strategy: { rollingUpdate: settings } } });
  const cases: Case[] = [
    ['right', {}, []],
    ['negative replicas', { spec: { replicas: -2 } }, [`spec.replicas: Invalid value: -2: ${NEGATIVE}`]],
    [
      'no selector',
      { spec: { selector: null } },
      ['spec.selector: Required value', `spec.template.metadata.labels: Invalid value: {"app":"web"}: ${MISMATCH}`],
    ],
    [
      'other labels',
      { spec: { selector: { matchLabels: { app: 'db' } } } },
      [`spec.template.metadata.labels: Invalid value: {"app":"web"}: ${MISMATCH}`],
    ],
    [
      'a selector that cannot be read',
      { spec: { selector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } } },
      [
        'spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
        'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","operator":"Near"}]}: invalid label selector',
      ],
    ],
    [
      'strategy without a name',
      { spec: { strategy: { type: 'Slow', rollingUpdate: null } } },
      [
        'spec.strategy: Unsupported value: {"Type":"Slow","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'an unknown strategy with rolling updates',
      { spec: { strategy: { type: 'Slow', rollingUpdate: { maxUnavailable: null, maxSurge: null } } } },
      [
        'spec.strategy: Unsupported value: {"Type":"Slow","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":0}}: supported values: "Recreate", "RollingUpdate"',
      ],
    ],
    [
      'recreate and roll',
      { spec: { strategy: { type: 'Recreate' } } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      'neither surge nor unavailable',
      rolling({ maxSurge: 0, maxUnavailable: '0%' }),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
    ],
    [
      'too much unavailable',
      rolling({ maxUnavailable: '150%' }),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "150%": must not be greater than 100%'],
    ],
    [
      'surge in words',
      rolling({ maxSurge: 'half' }),
      [`spec.strategy.rollingUpdate.maxSurge: Invalid value: "half": ${PERCENT}`],
    ],
    [
      'deadline before ready',
      { spec: { minReadySeconds: 700 } },
      ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
    ],
    [
      'pods that end',
      { spec: { template: { spec: { restartPolicy: 'Never' } } } },
      ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    ],
    [
      'pods with a deadline',
      { spec: { template: { spec: { activeDeadlineSeconds: 5 } } } },
      ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('never change their selector', () => {
    const change = {
      spec: { selector: { matchLabels: { tier: 'x' } }, template: { metadata: { labels: { tier: 'x' } } } },
    };
    expect(updateErrors(kind, right, change)).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable',
    ]);
  });
  const statuses: Case[] = [
    [
      'more ready than there are',
      { status: { replicas: 1, readyReplicas: 2 } },
      ['status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    ],
    [
      'more available than ready',
      { status: { replicas: 2, availableReplicas: 1 } },
      ['status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas'],
    ],
    ['negative', { status: { observedGeneration: -1 } }, [`status.observedGeneration: Invalid value: -1: ${NEGATIVE}`]],
  ];
  it.each(statuses)('status: %s', (_name, change, errors) => {
    expect(statusErrors(kind, right, change)).toEqual(errors);
  });
  it('count collisions only upwards', () => {
    const counted = { ...right, status: { collisionCount: 3 } };
    expect(statusErrors(kind, counted, { status: { collisionCount: 2 } })).toEqual([
      'status.collisionCount: Invalid value: 2: cannot be decremented',
    ]);
  });
});

describe('ReplicaSets', () => {
  const kind = apps('replicasets');
  const right = workload('ReplicaSet', { replicas: 1 });
  it('name the Deployment when their selector is empty', () => {
    expect(createErrors(kind, right, { spec: { selector: { matchLabels: null } } })).toEqual([
      'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
    ]);
  });
  it('count no more ready replicas than there are', () => {
    expect(statusErrors(kind, right, { status: { replicas: 1, fullyLabeledReplicas: 2 } })).toEqual([
      'status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas',
    ]);
  });
});

describe('DaemonSets', () => {
  const kind = apps('daemonsets');
  const right = workload('DaemonSet', {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  });
  const cases: Case[] = [
    ['right', {}, []],
    [
      'no selector at all',
      { spec: { selector: null } },
      [`spec.template.metadata.labels: Invalid value: {"app":"web"}: ${MISMATCH}`],
    ],
    [
      'surge and unavailable',
      { spec: { updateStrategy: { rollingUpdate: { maxSurge: 1 } } } },
      ['spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero'],
    ],
    [
      'neither',
      { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } } },
      ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
    ],
    [
      'no settings',
      { spec: { updateStrategy: { rollingUpdate: null } } },
      ['spec.updateStrategy.rollingUpdate: Required value'],
    ],
    [
      'unknown strategy',
      { spec: { updateStrategy: { type: 'Odd', rollingUpdate: null } } },
      [
        'spec.updateStrategy: Unsupported value: {"Type":"Odd","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
      ],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
});

describe('StatefulSets', () => {
  const kind = apps('statefulsets');
  const right = workload('StatefulSet', {
    replicas: 1,
    serviceName: 'web',
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
  });
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', resources: { requests: { storage: '1Gi' } } },
  };
  const cases: Case[] = [
    ['right', {}, []],
    [
      'odd pod management',
      { spec: { podManagementPolicy: 'Odd' } },
      ["spec.podManagementPolicy: Invalid value: \"Odd\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [
      'on delete, with settings',
      { spec: { updateStrategy: { type: 'OnDelete' } } },
      [
        'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":0,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
      ],
    ],
    [
      'negative partition',
      { spec: { updateStrategy: { rollingUpdate: { partition: -1 } } } },
      [`spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: ${NEGATIVE}`],
    ],
    [
      'service with dots',
      { spec: { serviceName: 'a.b' } },
      ['spec.serviceName: Invalid value: "a.b": must not contain dots'],
    ],
    [
      'retention',
      { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Keep', whenScaled: 'Retain' } } },
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"',
      ],
    ],
    [
      'ordinals below zero',
      { spec: { ordinals: { start: -1 } } },
      [`spec.ordinals.start: Invalid value: -1: ${NEGATIVE}`],
    ],
    ['a claim is a volume', { spec: { volumeClaimTemplates: [claim] } }, []],
    [
      'names of hosts that the controller replaces',
      { spec: { template: { spec: { hostname: 'A.b', subdomain: '-' } } } },
      [],
    ],
    [
      'a label of the template, twice',
      { spec: { template: { metadata: { labels: { 'a b': 'c' } } } } },
      Array.from(
        { length: 2 },
        () => expect.stringMatching(/^spec\.template\.labels: Invalid value: "a b": /) as string,
      ),
    ],
    [
      'a claim without a size',
      { spec: { volumeClaimTemplates: [{ ...claim, spec: { ...claim.spec, resources: {} } }] } },
      ['spec.volumeClaimTemplates[0].spec.resources[storage]: Required value'],
    ],
    [
      'a claim before the selector',
      {
        spec: {
          replicas: -1,
          volumeClaimTemplates: [{ ...claim, spec: { ...claim.spec, resources: {} } }],
        },
      },
      [
        'spec.volumeClaimTemplates[0].spec.resources[storage]: Required value',
        `spec.replicas: Invalid value: -1: ${NEGATIVE}`,
      ],
    ],
  ];
  it('may keep an invalid pod template, but not invalid labels of it', () => {
    const template = { metadata: { annotations: { 'a b': 'c' } }, spec: { dnsPolicy: 'Wrong' } };
    const stored = changed(right, { spec: { template: { spec: { dnsPolicy: 'Wrong' } } } });
    expect(updateErrors(kind, stored, { spec: { replicas: 4, template: { spec: { dnsPolicy: 'Other' } } } })).toEqual(
      [],
    );
    expect(updateErrors(kind, stored, { spec: { template } })).toEqual([
      expect.stringMatching(/^spec\.template\.annotations: Invalid value: "a b": /),
    ]);
    expect(updateErrors(kind, right, { spec: { template: { spec: { dnsPolicy: 'Wrong' } } } })).toHaveLength(1);
  });
  it('do not validate claim templates again, which cannot change', () => {
    const wrong = { ...claim, spec: { ...claim.spec, resources: {} } };
    expect(updateErrors(kind, right, { spec: { volumeClaimTemplates: [wrong] } })).toEqual([
      expect.stringMatching(/^spec: Forbidden: updates to statefulset spec/),
    ]);
  });
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it.each(['replicas', 'minReadySeconds', 'revisionHistoryLimit'])('may change %s', (name) => {
    expect(updateErrors(kind, right, { spec: { [name]: 5 } })).toEqual([]);
  });
  it('may not change their service', () => {
    expect(updateErrors(kind, right, { spec: { serviceName: 'db' } })).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ]);
  });
});

describe('ControllerRevisions', () => {
  const kind = apps('controllerrevisions');
  const right = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'r', namespace: 'default' },
    data: { a: 1 },
    revision: 1,
  };
  const cases: Case[] = [
    ['no data', { data: null }, ['data: Required value: data is mandatory']],
    ['data that is no object', { data: [1] }, ['data: Required value: data must be a valid JSON object']],
    ['negative revision', { revision: -1 }, [`revision: Invalid value: -1: ${NEGATIVE}`]],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('keep their data', () => {
    expect(updateErrors(kind, right, { data: { a: 2 } })).toEqual(['data: Invalid value: {"a":2}: field is immutable']);
  });
});
