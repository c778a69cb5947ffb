import { describe, expect, it } from 'vitest';
import { DEFAULT_VALIDATION_CONTEXT, validateBody } from '../index.ts';
import { createErrors, createWarnings, testedKind, updateErrors, type Manifest } from '../testing/manifests.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const brief = (errors: readonly string[]): string[] => errors.map((text) => text.replace(/ \(e\.g\. .*/s, ''));

type Row = readonly [name: string, plural: string, manifest: Manifest, errors: readonly string[]];
type Change = readonly [name: string, plural: string, from: Manifest, to: Manifest, errors: readonly string[]];

const rc = (spec: Manifest): Manifest => ({
  spec: {
    selector: { a: 'b' },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  },
});
const limit = (item: Manifest): Manifest => ({ spec: { limits: [{ type: 'Container', ...item }] } });
const event = (more: Manifest): Manifest => ({
  metadata: { namespace: 'default' },
  eventTime: '2030-01-01T00:00:00.000000Z',
  reportingController: 'a.io/b',
  reportingInstance: 'i',
  action: 'A',
  reason: 'R',
  type: 'Normal',
  ...more,
});

describe('create', () => {
  it.each<Row>([
    ['a config map', 'configmaps', { data: { a: 'b' }, binaryData: { c: '' } }, []],
    [
      'a key in both',
      'configmaps',
      { data: { a: 'b' }, binaryData: { a: '' } },
      ['data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    ],
    [
      'a key that is none',
      'configmaps',
      { binaryData: { 'a/b': '' } },
      [
        "binaryData[a/b]: Invalid value: \"a/b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
      ],
    ],
    ['a mebibyte', 'configmaps', { data: { a: 'x'.repeat(1024 * 1024) } }, []],
    [
      'more than a mebibyte',
      'configmaps',
      { data: { a: 'x'.repeat(1024 * 1024), b: 'y' } },
      ['[]: Too long: may not be more than 1048576 bytes'],
    ],
    ['base64 counts as what it stands for', 'configmaps', { binaryData: { a: base64('x'.repeat(1024 * 1024)) } }, []],
    [
      'a certificate without its key',
      'secrets',
      { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } },
      ['data[tls.key]: Required value'],
    ],
    [
      'a docker configuration that is a list',
      'secrets',
      { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': base64('[]') } },
      [
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
    ],
    [
      'a docker configuration that is no JSON',
      'secrets',
      { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': base64('{') } },
      ['data[.dockercfg]: Invalid value: "<secret contents redacted>": unexpected end of JSON input'],
    ],
    [
      'a token of nobody',
      'secrets',
      { type: 'kubernetes.io/service-account-token' },
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    [
      'no name and no password',
      'secrets',
      { type: 'kubernetes.io/basic-auth' },
      ['data[username]: Required value', 'data[password]: Required value'],
    ],
    ['a password alone', 'secrets', { type: 'kubernetes.io/basic-auth', data: { password: '' } }, []],
    [
      'an SSH key of nothing',
      'secrets',
      { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } },
      ['data[ssh-privatekey]: Required value'],
    ],
    ['a type of one’s own', 'secrets', { type: 'a.io/b' }, []],
    [
      'a namespace with a finalizer',
      'namespaces',
      { spec: { finalizers: ['x'] } },
      ['spec.finalizers: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified'],
    ],
    [
      'a node with a taint twice',
      'nodes',
      {
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', value: 'v', effect: 'NoSchedule' },
          ],
        },
      },
      [
        'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"v","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      ],
    ],
    [
      'a node with two blocks of a family',
      'nodes',
      { spec: { podCIDRs: ['10.0.0.0/24', '10.0.1.0/24'], podCIDR: '10.0.0.0/24' } },
      [
        'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one CIDR for each IP family',
      ],
    ],
    [
      'a node with a block that is none',
      'nodes',
      { spec: { podCIDRs: ['10.0.0.0/24', 'x'], podCIDR: '10.0.0.0/24' } },
      [
        expect.stringContaining('spec.podCIDRs[1]: Invalid value: "x"'),
        'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
        'spec.podCIDRs: Invalid value: ["10.0.0.0/24","x"]: may specify no more than one CIDR for each IP family',
      ],
    ],
    [
      'a node with features',
      'nodes',
      { status: { declaredFeatures: ['B', 'A/sub', 'A/sub', 'c'] } },
      [
        'status.declaredFeatures[1]: Invalid value: "A/sub": list must be sorted alphabetically',
        'status.declaredFeatures[2]: Duplicate value: "A/sub"',
        expect.stringContaining('status.declaredFeatures[3]: Invalid value: "c": invalid feature name "c": must start'),
      ],
    ],
    [
      'a node with half a pod',
      'nodes',
      { status: { capacity: { pods: '1500m' }, allocatable: { pods: '1' } } },
      ['status.capacity.pods: Invalid value: "1500m": must be an integer'],
    ],
    [
      'an annotation of a node that is no JSON',
      'nodes',
      { metadata: { annotations: { 'scheduler.alpha.kubernetes.io/preferAvoidPods': 'x' } } },
      [
        'metadata.annotations.AvoidPods: Invalid value: "scheduler.alpha.kubernetes.io/preferAvoidPods": invalid character \'x\' looking for beginning of value',
      ],
    ],
    ['a controller', 'replicationcontrollers', rc({}), []],
    [
      'a controller of other pods',
      'replicationcontrollers',
      rc({ selector: { a: 'c' } }),
      ['spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`'],
    ],
    [
      'a controller of fewer than no pods',
      'replicationcontrollers',
      rc({ replicas: -1 }),
      ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a controller of pods that end',
      'replicationcontrollers',
      rc({
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { restartPolicy: 'Never', activeDeadlineSeconds: 1, containers: [{ name: 'c', image: 'i' }] },
        },
      }),
      [
        'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
        'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
      ],
    ],
    [
      'a template with ephemeral containers',
      'podtemplates',
      {
        template: {
          spec: { containers: [{ name: 'c', image: 'i' }], ephemeralContainers: [{ name: 'e', image: 'i' }] },
        },
      },
      ['template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template'],
    ],
    [
      'a template may have an image yet to come',
      'podtemplates',
      { template: { spec: { containers: [{ name: 'c', image: ' ' }] } } },
      [],
    ],
    [
      'an unknown limit',
      'limitranges',
      limit({ type: 'x' }),
      ['spec.limits[0].type: Invalid value: "x": must be a standard limit type or fully qualified'],
    ],
    [
      'a least above the most',
      'limitranges',
      limit({ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }),
      ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
    ],
    [
      'a ratio below one',
      'limitranges',
      limit({ type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }),
      ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
    ],
    [
      'a ratio that cannot be',
      'limitranges',
      limit({ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }),
      ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
    ],
    [
      'claims without bounds',
      'limitranges',
      limit({ type: 'PersistentVolumeClaim' }),
      [
        'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
      ],
    ],
    ['a quota', 'resourcequotas', { spec: { hard: { pods: '1', 'requests.a.io/gpu': '1', 'count/x.y': '2' } } }, []],
    [
      'a quota of nothing known',
      'resourcequotas',
      { spec: { hard: { gpu: '1' } } },
      [
        'spec.hard[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
        'spec.hard[gpu]: Invalid value: "gpu": must be a standard resource for quota',
      ],
    ],
    [
      'a quota with scopes that exclude each other',
      'resourcequotas',
      { spec: { hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] } },
      ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
    ],
    [
      'a scope that cannot count it',
      'resourcequotas',
      { spec: { hard: { services: '1' }, scopes: ['Terminating'] } },
      ['spec.scopes: Invalid value: ["Terminating"]: unsupported scope applied to resource'],
    ],
    [
      'a scope that is asked for its value',
      'resourcequotas',
      { spec: { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } } },
      [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
    ],
    [
      'an event about something elsewhere',
      'events',
      { involvedObject: { namespace: 'other' } },
      ['involvedObject.namespace: Invalid value: "other": does not match event.namespace'],
    ],
  ])('%s', (_, plural, manifest, errors) => {
    expect(brief(createErrors(testedKind(plural), manifest))).toEqual(errors);
  });
});

describe('update', () => {
  const set = 'field is immutable when `immutable` is set';
  it.each<Change>([
    [
      'an immutable config map',
      'configmaps',
      { immutable: true, data: { a: 'b' } },
      { data: { a: 'c' } },
      [`immutable: Forbidden: ${set}`, `data: Forbidden: ${set}`],
    ],
    [
      'an immutable secret keeps its labels to itself',
      'secrets',
      { immutable: true },
      { immutable: true, metadata: { labels: { a: 'b' } } },
      [],
    ],
    [
      'another type of secret',
      'secrets',
      { type: 'a' },
      { type: 'b' },
      ['type: Invalid value: "b": field is immutable'],
    ],
    [
      'a node with another block',
      'nodes',
      { spec: { podCIDRs: ['10.0.0.0/24'] } },
      { spec: { podCIDRs: ['10.0.1.0/24'] } },
      ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
    ],
    [
      'a node with another provider',
      'nodes',
      { spec: { providerID: 'a' } },
      { spec: { providerID: 'b' } },
      ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ],
    [
      'a quota with other scopes',
      'resourcequotas',
      { spec: { hard: { pods: '1' } } },
      { spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } },
      ['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'],
    ],
  ])('%s', (_, plural, from, to, errors) => {
    expect(updateErrors(testedKind(plural), { from, to })).toEqual(errors);
  });

  it.each<Change & readonly [...Change]>([
    [
      'a namespace cannot end by itself',
      'namespaces',
      {},
      { status: { phase: 'Terminating' } },
      ['status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty'],
    ],
    [
      'more ready than there are',
      'replicationcontrollers',
      rc({}),
      { ...rc({}), status: { replicas: 1, readyReplicas: 2 } },
      ['status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    ],
    [
      'an address of a node twice',
      'nodes',
      {},
      {
        status: {
          addresses: [
            { type: 'Hostname', address: 'a' },
            { type: 'Hostname', address: 'a' },
          ],
        },
      },
      ['status.addresses[1]: Duplicate value: {"Type":"Hostname","Address":"a"}'],
    ],
  ])('status: %s', (_, plural, from, to, errors) => {
    expect(updateErrors(testedKind(plural), { from, to, subresource: 'status' })).toEqual(errors);
  });

  it('a namespace’s finalizers are checked one by one', () => {
    const update = { from: {}, to: { spec: { finalizers: ['kubernetes', 'x'] } }, subresource: 'finalize' };
    expect(updateErrors(testedKind('namespaces'), update)).toEqual([
      'spec.finalizers[1]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });
});

describe('events of events.k8s.io', () => {
  const EVENTS = testedKind('events', 'events.k8s.io');
  it.each<readonly [name: string, manifest: Manifest, errors: readonly string[]]>([
    ['all is said', event({}), []],
    ['no action', event({ action: '' }), ['action: Required value']],
    [
      'a note of 1025',
      event({ note: 'n'.repeat(1025) }),
      ['message: Invalid value: "": can have at most 1024 characters'],
    ],
    [
      'a series of one',
      event({ series: { count: 1, lastObservedTime: '2030-01-01T00:00:00.000000Z' } }),
      ['series.count: Invalid value: "": should be at least 2'],
    ],
    ['a count of old', event({ deprecatedCount: 1 }), ['count: Invalid value: "": needs to be unset']],
    ['an unknown type', event({ type: 'x' }), ['type: Invalid value: "": has invalid value: x']],
  ])('%s', (_, manifest, errors) => {
    expect(createErrors(EVENTS, manifest)).toEqual(errors);
  });

  it('recorded fields do not change', () => {
    expect(updateErrors(EVENTS, { from: event({}), to: event({ note: 'n' }) })).toEqual([
      'message: Invalid value: "n": field is immutable',
    ]);
  });
});

describe('bodies and warnings', () => {
  it('a binding has a node to go to', () => {
    const errors = validateBody('Binding', { target: { kind: 'Pod' } }, DEFAULT_VALIDATION_CONTEXT).map(String);
    expect(errors).toEqual([
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      'target.name: Required value',
    ]);
  });

  it.each<readonly [name: string, plural: string, manifest: Manifest, warnings: readonly string[]]>([
    [
      'a name with dots',
      'replicationcontrollers',
      { ...rc({}), metadata: { name: 'a.b' } },
      [
        'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
      ],
    ],
    [
      'a certificate that is none',
      'secrets',
      { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } },
      ['tls: failed to find any PEM data in certificate input'],
    ],
    [
      'an annotation out of use',
      'serviceaccounts',
      { metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
      [
        'metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
      ],
    ],
    [
      'a field out of use',
      'nodes',
      { spec: { externalID: 'x' } },
      ['spec.externalID: this field is deprecated, and is unused by Kubernetes'],
    ],
  ])('warns of %s', (_, plural, manifest, warnings) => {
    expect(createWarnings(testedKind(plural), manifest)).toEqual(warnings);
  });
});
