import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, updateErrors, type Case } from '../testing/cases.ts';

const storage = (plural: string, namespaced = false) => ({
  group: 'storage.k8s.io',
  version: 'v1',
  plural,
  namespaced,
});

describe('CSIDrivers', () => {
  const kind = storage('csidrivers');
  const right: JsonObject = {
    metadata: { name: 'd' },
    spec: {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      requiresRepublish: false,
      seLinuxMount: false,
      fsGroupPolicy: 'None',
      volumeLifecycleModes: ['Persistent'],
    },
  };
  const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
  const cases: Case[] = [
    ['right', {}, []],
    [
      'no token for the Secrets',
      { spec: { serviceAccountTokenInSecrets: false } },
      [`spec.serviceAccountTokenInSecrets: Invalid value: false: ${detail}`],
    ],
    ['a token in Secrets', { spec: { serviceAccountTokenInSecrets: true, tokenRequests: [{ audience: 'a' }] } }, []],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
});

describe('StorageClasses', () => {
  const kind = storage('storageclasses');
  const right: JsonObject = {
    metadata: { name: 'c' },
    provisioner: 'a.io/b',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  };
  const topology = (...expressions: JsonObject[]): JsonObject => ({
    allowedTopologies: [{ matchLabelExpressions: expressions }],
  });
  const cases: Case[] = [
    ['right', {}, []],
    ['no provisioner', { provisioner: null }, ['provisioner: Required value']],
    [
      'reclaim',
      { reclaimPolicy: 'Recycle' },
      ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
    ],
    ['no binding mode', { volumeBindingMode: null }, ['volumeBindingMode: Required value']],
    [
      'a parameter without a name',
      { parameters: { '': 'x' } },
      ['parameters: Invalid value: "": field can not be empty.'],
    ],
    [
      'too many parameters',
      { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`p${i}`, 'x'])) },
      ['parameters: Too long: may not be more than 512 bytes'],
    ],
    ['a term that says nothing', topology(), ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""']],
    [
      'terms that say nothing, each once for every term and for those before it',
      { allowedTopologies: [{}, {}] },
      [0, 0, 1, 1, 1].map((i) => `allowedTopologies[${i}].matchLabelExpressions: Duplicate value: ""`),
    ],
    [
      'a key without values',
      topology({ key: 'zone' }),
      ['allowedTopologies[0].matchLabelExpressions[0].values: Required value'],
    ],
    [
      'a key twice',
      topology({ key: 'zone', values: ['a'] }, { key: 'zone', values: ['b'] }),
      ['allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "zone"'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it.each([
    ['provisioner', 'x.io/y'],
    ['reclaimPolicy', 'Retain'],
    ['volumeBindingMode', 'WaitForFirstConsumer'],
  ])('keep their %s', (name, value) => {
    expect(updateErrors(kind, right, { [name]: value })).toEqual([
      `${name}: Invalid value: "${value}": field is immutable`,
    ]);
  });
});

describe('CSI', () => {
  const driver: JsonObject = {
    metadata: { name: 'd.io' },
    spec: {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      seLinuxMount: false,
      fsGroupPolicy: 'File',
    },
  };
  const drivers: Case[] = [
    ['right', {}, []],
    ['attaching left open', { spec: { attachRequired: null } }, ['spec.attachedRequired: Required value']],
    [
      'group policy',
      { spec: { fsGroupPolicy: 'Odd' } },
      ['spec.fsGroupPolicy: Unsupported value: "Odd": supported values: "File", "None", "ReadWriteOnceWithFSType"'],
    ],
    [
      'tokens',
      { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'a' }, { audience: 'b', expirationSeconds: 5 }] } },
      [
        'spec.tokenRequests[1].audience: Duplicate value: "a"',
        'spec.tokenRequests[2].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes',
      ],
    ],
    [
      'lifecycle',
      { spec: { volumeLifecycleModes: ['Odd'] } },
      ['spec.volumeLifecycleModes: Unsupported value: "Odd": supported values: "Persistent", "Ephemeral"'],
    ],
    [
      'updates too often',
      { spec: { nodeAllocatableUpdatePeriodSeconds: 5 } },
      ['spec.nodeAllocatableUpdatePeriodSeconds: Invalid value: 5: must be greater than or equal to 10 seconds'],
    ],
  ];
  it.each(drivers)('driver: %s', (_name, change, errors) => {
    expect(createErrors(storage('csidrivers'), driver, change)).toEqual(errors);
  });
  const node: JsonObject = { metadata: { name: 'n' }, spec: { drivers: [{ name: 'd.io', nodeID: 'i' }] } };
  const nodes: Case[] = [
    ['nameless', { spec: { drivers: [{ nodeID: 'i' }] } }, ['spec.drivers[0].name: Required value']],
    [
      'twice',
      {
        spec: {
          drivers: [
            { name: 'd.io', nodeID: 'i' },
            { name: 'd.io', nodeID: 'j' },
          ],
        },
      },
      ['spec.drivers[1].name: Duplicate value: "d.io"'],
    ],
    [
      'negative',
      { spec: { drivers: [{ name: 'd.io', nodeID: 'i', allocatable: { count: -1 } }] } },
      ['spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ];
  it.each(nodes)('node: %s', (_name, change, errors) => {
    expect(createErrors(storage('csinodes'), node, change)).toEqual(errors);
  });
  it('only the allocatable count of a node’s driver may change', () => {
    const kind = storage('csinodes');
    expect(
      updateErrors(kind, node, { spec: { drivers: [{ name: 'd.io', nodeID: 'i', allocatable: { count: 3 } }] } }),
    ).toEqual([]);
    expect(updateErrors(kind, node, { spec: { drivers: [{ name: 'd.io', nodeID: 'j' }] } })).toEqual([
      'spec.drivers: Invalid value: {"Name":"d.io","NodeID":"j","TopologyKeys":null,"Allocatable":null}: field is immutable',
    ]);
  });
  it('capacities keep their class', () => {
    const capacity = { metadata: { name: 'c', namespace: 'default' }, storageClassName: 's' };
    expect(updateErrors(storage('csistoragecapacities', true), capacity, { storageClassName: 't' })).toEqual([
      'storageClassName: Invalid value: "t": field is immutable',
    ]);
  });
});

describe('VolumeAttachments', () => {
  const kind = storage('volumeattachments');
  const right: JsonObject = {
    metadata: { name: 'a' },
    spec: { attacher: 'd.io', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
    status: { attached: false },
  };
  const cases: Case[] = [
    ['right', {}, []],
    [
      'no source',
      { spec: { source: { persistentVolumeName: null } } },
      ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
    ],
    ['no attacher', { spec: { attacher: null } }, ['spec.attacher: Required value']],
    [
      'an inline volume',
      {
        spec: {
          source: {
            persistentVolumeName: null,
            inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd.io', volumeHandle: 'h' } },
          },
        },
      },
      [],
    ],
    [
      'an inline volume as if it were bound',
      {
        spec: {
          source: {
            persistentVolumeName: null,
            inlineVolumeSpec: { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], storageClassName: 's' },
          },
        },
      },
      [
        'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec: Required value: must specify a volume type',
        'spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes',
      ],
    ],
    [
      'an error that goes on and on',
      { status: { attachError: { message: 'x'.repeat(1025) } } },
      ['status.attachError.message: Too long: may not be more than 262144 bytes'],
    ],
    [
      'a negative code',
      { status: { detachError: { errorCode: -1 } } },
      ['status.detachError.errorCode: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(kind, right, change)).toEqual(errors);
  });
  it('keep their spec', () => {
    expect(updateErrors(kind, right, { spec: { nodeName: 'm' } })[0]).toMatch(
      /^spec: Invalid value: \{"Attacher":"d.io".*\}: field is immutable$/,
    );
  });
});

describe('VolumeAttributesClasses', () => {
  it('have parameters, and keep them', () => {
    const kind = storage('volumeattributesclasses');
    const right = { metadata: { name: 'c' }, driverName: 'd.io', parameters: { a: 'b' } };
    expect(createErrors(kind, right, { parameters: null })).toEqual([
      'parameters: Required value: must contain at least one key/value pair',
    ]);
    expect(updateErrors(kind, right, { parameters: { a: 'c' } })).toEqual([
      'parameters: Forbidden: updates to parameters are forbidden.',
    ]);
  });
});
