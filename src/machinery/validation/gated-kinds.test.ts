/** The kinds whose APIs are off by default; the messages are those of kube-apiserver v1.36.4. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/index.ts';
import { changed, createErrors, statusErrors, updateErrors } from './testing/cases.ts';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('Workloads', () => {
  const kind = { group: 'scheduling.k8s.io', version: 'v1alpha2', plural: 'workloads', namespaced: true };
  const template = { name: 'a', schedulingPolicy: { basic: {} } };
  const right: JsonObject = { metadata: { name: 'w', namespace: 'n' }, spec: { podGroupTemplates: [template] } };
  const templates = (...list: JsonObject[]): JsonObject => ({ spec: { podGroupTemplates: list } });

  it.each<[string, JsonObject, string[]]>([
    ['right', {}, []],
    ['no templates', templates(), ['spec.podGroupTemplates: Required value']],
    [
      'too many templates',
      templates(...Array.from({ length: 9 }, (_, i) => ({ ...template, name: `t${i}` }))),
      ['spec.podGroupTemplates: Too many: 9: must have at most 8 items'],
    ],
    [
      'two of one name, and both policies',
      templates(template, { name: 'a', schedulingPolicy: { basic: {}, gang: { minCount: 0 } } }),
      [
        'spec.podGroupTemplates[1]: Duplicate value: {"name":"a","schedulingPolicy":{"basic":{},"gang":{"minCount":0}},"schedulingConstraints":null}',
        'spec.podGroupTemplates[1].schedulingPolicy: Invalid value: "{basic, gang}": must specify exactly one of: `basic`, `gang`',
        'spec.podGroupTemplates[1].schedulingPolicy.gang.minCount: Required value',
      ],
    ],
    [
      'a name with a space, no policy',
      templates({ name: 'A b', schedulingPolicy: {} }),
      [
        `spec.podGroupTemplates[0].name: Invalid value: "A b": ${LABEL}`,
        'spec.podGroupTemplates[0].schedulingPolicy: Invalid value: "": must specify one of: `basic`, `gang`',
      ],
    ],
    [
      'a controller without a name',
      { spec: { controllerRef: { apiGroup: 'A_', kind: 'a/b', name: '' } } },
      [
        `spec.controllerRef.apiGroup: Invalid value: "A_": ${SUBDOMAIN}`,
        'spec.controllerRef.kind: Invalid value: "a/b": may not contain \'/\'',
        'spec.controllerRef.name: Required value',
      ],
    ],
    [
      'preemption out of range',
      templates({ ...template, disruptionMode: 'X', priority: 2_000_000_000 }),
      [
        'spec.podGroupTemplates[0].disruptionMode: Unsupported value: "X": supported values: "Pod", "PodGroup"',
        'spec.podGroupTemplates[0].priority: Invalid value: 2000000000: must be less than or equal to 1000000000',
      ],
    ],
  ])('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });

  it('do not change', () => {
    expect(updateErrors(kind, right, { spec: { controllerRef: { kind: 'Job', name: 'j' } } })).toEqual([
      'spec.controllerRef: Invalid value: null: field is immutable',
    ]);
  });
});

describe('PodGroups', () => {
  const kind = { group: 'scheduling.k8s.io', version: 'v1alpha2', plural: 'podgroups', namespaced: true };
  const right: JsonObject = {
    metadata: { name: 'g', namespace: 'n' },
    spec: { schedulingPolicy: { basic: {} }, resourceClaims: [{ name: 'c', resourceClaimName: 'r' }] },
  };

  it.each<[string, JsonObject, string[]]>([
    ['right', {}, []],
    [
      'a reference to nothing',
      { spec: { podGroupTemplateRef: {} } },
      ['spec.podGroupTemplateRef: Invalid value: "": must specify one of: `workload`'],
    ],
    [
      'a claim by name and by template',
      { spec: { resourceClaims: [{ name: 'c', resourceClaimName: 'r', resourceClaimTemplateName: 't' }] } },
      [
        'spec.resourceClaims[0]: Invalid value: "{resourceClaimName, resourceClaimTemplateName}": must specify exactly one of: `resourceClaimName`, `resourceClaimTemplateName`',
      ],
    ],
    [
      'a long name of a claim',
      { spec: { resourceClaims: [{ name: 'x'.repeat(64), resourceClaimName: 'r' }] } },
      [`spec.resourceClaims[0].name: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`],
    ],
  ])('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });

  it('report claims of their spec only', () => {
    expect(statusErrors(kind, right, { status: { resourceClaimStatuses: [{ name: 'c' }] } })).toEqual([]);
    expect(statusErrors(kind, right, { status: { resourceClaimStatuses: [{ name: 'd' }] } })).toEqual([
      'status.resourceClaimStatuses[0].name: Invalid value: "d": must match the name of an entry in `spec.resourceClaims`',
    ]);
  });
});

describe('LeaseCandidates', () => {
  const kind = { group: 'coordination.k8s.io', version: 'v1alpha2', plural: 'leasecandidates', namespaced: true };
  const right: JsonObject = {
    metadata: { name: 'b_C', namespace: 'n' },
    spec: { leaseName: 'x', binaryVersion: '1.2.0', emulationVersion: '1.1.0', strategy: 'OldestEmulationVersion' },
  };

  it.each<[string, JsonObject, string[]]>([
    ['right', {}, []],
    ['a strategy with a domain', { spec: { strategy: 'a/b', emulationVersion: '' } }, []],
    [
      'versions that are none',
      { spec: { binaryVersion: '1.2', emulationVersion: 'x', strategy: 'Y' } },
      [
        'spec.emulationVersion: Invalid value: "x": must be a valid semantic version',
        'spec.binaryVersion: Invalid value: "1.2": must be a valid semantic version',
        'spec.strategy.strategy: Unsupported value: "Y": supported values: "OldestEmulationVersion"',
      ],
    ],
    [
      'an emulated version above its own',
      { spec: { emulationVersion: '1.3.0' } },
      ['spec.binaryVersion: Invalid value: "1.2.0": must be greater than or equal to `emulationVersion`'],
    ],
    [
      'a prerelease below the emulated version',
      { spec: { binaryVersion: '1.1.0-rc.1' } },
      ['spec.binaryVersion: Invalid value: "1.1.0-rc.1": must be greater than or equal to `emulationVersion`'],
    ],
  ])('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });

  it('keep their lease', () => {
    expect(updateErrors(kind, right, { spec: { leaseName: 'z' } })).toEqual([
      'spec.leaseName: Invalid value: "z": field is immutable',
    ]);
  });
});

describe('StorageVersions', () => {
  const kind = {
    group: 'internal.apiserver.k8s.io',
    version: 'v1alpha1',
    plural: 'storageversions',
    namespaced: false,
  };
  const right: JsonObject = { metadata: { name: 'a.b' }, spec: {} };
  const server = { apiServerID: 'a', encodingVersion: 'a/b', decodableVersions: ['a/b'] };

  it('are named by group and resource', () => {
    expect(createErrors(kind, right, {})).toEqual([]);
    expect(createErrors(kind, right, { metadata: { name: 'a' } })).toEqual([
      'metadata.name: Invalid value: "a": name must be in the form of <group>.<resource>',
    ]);
  });

  it.each<[string, JsonObject, string[]]>([
    ['all servers agree', { storageVersions: [server], commonEncodingVersion: 'a/b' }, []],
    [
      'no common version',
      { storageVersions: [server] },
      ['status.commonEncodingVersion: Invalid value: null: the common encoding version is a/b'],
    ],
    [
      'a version that nobody can read',
      {
        storageVersions: [{ ...server, decodableVersions: ['x'], servedVersions: ['y'] }],
        commonEncodingVersion: 'a/b',
      },
      [
        'status.storageVersions[0].decodableVersions: Invalid value: ["x"]: decodableVersions must include encodingVersion a/b',
        'status.storageVersions[0].servedVersions[0]: Invalid value: "y": individual served version : y must be included in decodableVersions : [x]',
      ],
    ],
    [
      'a condition without a reason',
      { conditions: [{ type: 'A', status: 'True', reason: '', message: 'm' }] },
      ['status[0].reason: Required value'],
    ],
  ])('status: %s', (_name, status, errors) => {
    expect(statusErrors(kind, right, { status })).toEqual(errors);
  });
});

describe('StorageVersionMigrations', () => {
  const kind = {
    group: 'storagemigration.k8s.io',
    version: 'v1beta1',
    plural: 'storageversionmigrations',
    namespaced: false,
  };
  const right: JsonObject = { metadata: { name: 'm' }, spec: { resource: { group: 'a', resource: 'b' } } };
  const condition = (type: string): JsonObject => ({
    ...{ type, status: 'True', reason: 'r', message: '' },
    lastTransitionTime: '2020-01-01T00:00:00Z',
  });

  it('name a resource, once', () => {
    expect(createErrors(kind, right, {})).toEqual([]);
    expect(createErrors(kind, right, { spec: { resource: { group: '', resource: '' } } })).toEqual([
      'spec.resource.resource: Required value: resource is required to be set',
    ]);
    expect(updateErrors(kind, right, { spec: { resource: { group: 'a', resource: 'c' } } })).toEqual([
      'spec: Invalid value: {"Resource":{"group":"a","resource":"c"}}: field is immutable',
    ]);
  });

  it('end once', () => {
    const done = changed(right, { status: { resourceVersion: '1', conditions: [condition('Succeeded')] } });
    expect(statusErrors(kind, right, { status: { resourceVersion: 'x' } })).toEqual([
      'status.resourceVersion: Invalid value: "x": resource version is not well formed: x',
    ]);
    expect(statusErrors(kind, done, { status: { resourceVersion: '2', conditions: [] } })).toEqual([
      'status.resourceVersion: Invalid value: "2": field is immutable',
      'status.conditions: Invalid value: []: Success condition cannot be set to false once it is true',
    ]);
  });
});

describe('ResourcePoolStatusRequests', () => {
  const kind = {
    group: 'resource.k8s.io',
    version: 'v1alpha3',
    plural: 'resourcepoolstatusrequests',
    namespaced: false,
  };
  const right: JsonObject = { metadata: { name: 'r' }, spec: { driver: 'A.b', poolName: 'x/y', limit: 100 } };

  it.each<[string, JsonObject, string[]]>([
    ['right', {}, []],
    ['no driver', { spec: { driver: '' } }, ['spec.driver: Required value']],
    ['too many', { spec: { limit: 1001 } }, ['spec.limit: Invalid value: 1001: must be less than or equal to 1000']],
    ['no pool', { spec: { poolName: '' } }, ['spec.poolName: Invalid value: "": segment 0: must not be empty']],
  ])('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });

  it('are answered once', () => {
    const answered = changed(right, { status: { poolCount: 1 } });
    expect(statusErrors(kind, right, { status: { pools: [{ driver: 'd', poolName: 'p', generation: 1 }] } })).toEqual([
      'status.poolCount: Required value',
    ]);
    expect(statusErrors(kind, answered, { status: { poolCount: 2 } })).toEqual([
      'status: Invalid value: {"PoolCount":2,"Pools":null,"Conditions":null}: field is immutable',
    ]);
  });
});

describe('DeviceTaintRules', () => {
  const kind = { group: 'resource.k8s.io', version: 'v1beta2', plural: 'devicetaintrules', namespaced: false };
  const right: JsonObject = { metadata: { name: 't' }, spec: { taint: { key: 'a', effect: 'NoSchedule' } } };

  it('select devices by valid names and have an effect', () => {
    expect(createErrors(kind, right, {})).toEqual([]);
    expect(createErrors(kind, right, { spec: { deviceSelector: { driver: '' }, taint: { effect: 'No' } } })).toEqual([
      'spec.deviceSelector.driver: Required value',
      'spec.taint.effect: Unsupported value: "No": supported values: "NoExecute", "NoSchedule", "None"',
    ]);
  });
});
