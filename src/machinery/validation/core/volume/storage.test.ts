import { describe, expect, it } from 'vitest';
import { createErrors, createWarnings, testedKind, updateErrors, type Manifest } from '../../testing/manifests.ts';

const VOLUMES = testedKind('persistentvolumes');
const SETS = testedKind('statefulsets', 'apps');
const CLAIMS = testedKind('persistentvolumeclaims');

const volume = (spec: Manifest = {}, metadata: Manifest = {}): Manifest => ({
  metadata,
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, ...spec },
});
const claim = (spec: Manifest = {}, more: Manifest = {}): Manifest => ({
  ...more,
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, ...spec },
});
const affinity = (key: string): Manifest => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] },
});
const sized = (storage: string): Manifest => ({ resources: { requests: { storage } } });
const BOUND = { status: { phase: 'Bound', capacity: { storage: '1Gi' } } };

type Row = readonly [name: string, manifest: Manifest, errors: readonly string[]];
type Change = readonly [name: string, from: Manifest, to: Manifest, errors: readonly string[]];

describe('a volume', () => {
  it.each<Row>([
    ['a small one', volume(), []],
    [
      'no size',
      volume({ capacity: undefined }),
      ['spec.capacity: Required value', 'spec.capacity: Unsupported value: null: supported values: "storage"'],
    ],
    [
      'a size of nothing',
      volume({ capacity: { storage: '0' } }),
      ['spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
    ],
    [
      'another measure',
      volume({ capacity: { storage: '1Gi', cpu: '1' } }),
      ['spec.capacity: Unsupported value: {"cpu":"1","storage":"1Gi"}: supported values: "storage"'],
    ],
    ['no storage behind it', volume({ hostPath: undefined }), ['spec: Required value: must specify a volume type']],
    [
      'two storages behind it',
      volume({ nfs: { server: 's', path: '/p' } }),
      ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'one pod and others',
      volume({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }),
      ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
    ],
    [
      'the root, recycled',
      volume({ hostPath: { path: '/./' }, persistentVolumeReclaimPolicy: 'Recycle' }),
      ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
    ],
    [
      'a local disk anywhere',
      volume({ hostPath: undefined, local: { path: '/d' } }),
      ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    ['a local disk somewhere', volume({ hostPath: undefined, local: { path: '/d' }, nodeAffinity: affinity('a') }), []],
    [
      'affinity to nothing',
      volume({ nodeAffinity: {} }),
      ['spec.nodeAffinity.required: Required value: must specify required node constraints'],
    ],
    [
      'an unknown mode',
      volume({ volumeMode: 'x' }),
      ['spec.volumeMode: Unsupported value: "x": supported values: "Block", "Filesystem"'],
    ],
    [
      'attributes without a driver',
      volume({ volumeAttributesClassName: 'c' }),
      ['spec.csi: Required value: has to be specified when using volumeAttributesClassName'],
    ],
    [
      'a secret in no namespace',
      volume({ hostPath: undefined, csi: { driver: 'd.io', volumeHandle: 'h', nodePublishSecretRef: { name: 's' } } }),
      ['spec.csi.nodePublishSecretRef.namespace: Required value'],
    ],
    [
      'mount options where there are none',
      volume({}, { annotations: { 'volume.beta.kubernetes.io/mount-options': 'x' } }),
      [
        'metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type',
      ],
    ],
  ])('%s', (_, manifest, errors) => {
    expect(createErrors(VOLUMES, manifest)).toEqual(errors);
  });

  it.each<Change>([
    ['a larger size', volume(), volume({ capacity: { storage: '2Gi' } }), []],
    [
      'another mode',
      volume(),
      volume({ volumeMode: 'Block' }),
      ['volumeMode: Invalid value: "Block": field is immutable'],
    ],
    ['the first affinity', volume(), volume({ nodeAffinity: affinity('a') }), []],
    [
      'a label out of use, renamed',
      volume({ nodeAffinity: affinity('beta.kubernetes.io/os') }),
      volume({ nodeAffinity: affinity('kubernetes.io/os') }),
      [],
    ],
    [
      'another affinity',
      volume({ nodeAffinity: affinity('a') }),
      volume({ nodeAffinity: affinity('b') }),
      [
        'nodeAffinity: Invalid value: {"Required":{"NodeSelectorTerms":[{"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],"MatchFields":null}]}}: field is immutable, except for updating from beta label to GA',
      ],
    ],
  ])('an update: %s', (_, from, to, errors) => {
    expect(updateErrors(VOLUMES, { from, to })).toEqual(errors);
  });

  it('a changed path is reported as a difference', () => {
    const [error] = updateErrors(VOLUMES, { from: volume(), to: volume({ hostPath: { path: '/y' } }) });
    expect(error).toContain(
      'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ -2,7 +2,7 @@',
    );
    expect(error).toContain('\n-  "Path": "/x",\n+  "Path": "/y",\n');
  });

  it('a changed source is reported among all sources, in the order of the internal struct', () => {
    const [error] = updateErrors(VOLUMES, {
      from: volume(),
      to: volume({ hostPath: undefined, flexVolume: { driver: 'd' } }),
    });
    expect(error).toContain(
      '  "RBD": null,\n  "Quobyte": null,\n  "ISCSI": null,\n- "FlexVolume": null,\n+ "FlexVolume": {\n',
    );
  });

  it('warns of a policy out of use', () => {
    expect(createWarnings(VOLUMES, volume({ persistentVolumeReclaimPolicy: 'Recycle' }))).toEqual([
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ]);
  });
});

describe('a claim', () => {
  it.each<Row>([
    ['a small one', claim(), []],
    [
      'no mode and no size',
      claim({ accessModes: [], resources: {} }),
      [
        'spec.accessModes: Required value: at least 1 access mode is required',
        'spec.resources[storage]: Required value',
      ],
    ],
    [
      'a size below nothing',
      claim(sized('-1')),
      ['spec.resources[storage]: Invalid value: "-1": must be greater than zero'],
    ],
    [
      'a source of another kind',
      claim({ dataSource: { kind: 'Secret', name: 's' } }),
      [
        'spec.dataSource: Invalid value: "Secret": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
      ],
    ],
    [
      'two sources',
      claim({
        dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' },
      }),
      ['spec: Invalid value: {}: must match dataSourceRef'],
    ],
    [
      'a source elsewhere',
      claim({
        dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'a', namespace: 'o' },
      }),
      ['spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified'],
    ],
  ])('%s', (_, manifest, errors) => {
    expect(createErrors(CLAIMS, manifest)).toEqual(errors);
  });

  it.each<Change>([
    ['is bound', claim(), claim({ volumeName: 'v' }), []],
    ['is given a class', claim(), claim({ storageClassName: 'c' }), []],
    [
      'bound, it asks for more',
      claim({ volumeName: 'v' }, BOUND),
      claim({ volumeName: 'v', ...sized('3Gi') }, BOUND),
      [],
    ],
    [
      'bound, it asks for less than it has',
      claim({ volumeName: 'v' }, BOUND),
      claim({ volumeName: 'v', ...sized('1Gi') }, BOUND),
      ['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'],
    ],
    [
      'bound, it asks for less than it wished',
      claim({ volumeName: 'v', ...sized('3Gi') }, BOUND),
      claim({ volumeName: 'v', ...sized('2Gi') }, BOUND),
      [],
    ],
    [
      'its attributes go',
      claim({ volumeAttributesClassName: 'c' }, { status: { ...BOUND.status, currentVolumeAttributesClassName: 'c' } }),
      claim({ volumeAttributesClassName: '' }, BOUND),
      [
        'spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil',
      ],
    ],
    [
      'its attributes go before they are applied',
      claim({ volumeAttributesClassName: 'c' }, BOUND),
      claim({ volumeAttributesClassName: '' }, BOUND),
      [],
    ],
    [
      'asks for more before it is bound',
      claim(),
      claim(sized('3Gi')),
      [
        'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n@@ -6,7 +6,7 @@\n  "Resources": {\n   "Limits": null,\n   "Requests": {\n-   "storage": "2Gi"\n+   "storage": "3Gi"\n   }\n  },\n  "VolumeName": "",\n',
      ],
    ],
  ])('an update: %s', (_, from, to, errors) => {
    expect(updateErrors(CLAIMS, { from, to })).toEqual(errors);
  });

  it.each<Row>([
    [
      'a capacity below nothing',
      claim({}, { status: { capacity: { storage: '-1' } } }),
      ['status.capacity[storage]: Invalid value: -1: must be a valid resource quantity'],
    ],
    [
      'a resize of what has no size',
      claim({}, { status: { allocatedResourceStatuses: { cpu: 'NodeResizePending' } } }),
      ['status.allocatedResourceStatuses: Unsupported value: "cpu": supported values: "storage"'],
    ],
    [
      'a resize in no known way',
      claim({}, { status: { allocatedResourceStatuses: { storage: 'x' } } }),
      [
        'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      ],
    ],
  ])('status: %s', (_, to, errors) => {
    expect(updateErrors(CLAIMS, { from: claim(), to, subresource: 'status' })).toEqual(errors);
  });

  it('warns of half a byte', () => {
    expect(createWarnings(CLAIMS, claim(sized('1500m')))).toEqual([
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ]);
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const set = {
      metadata: { name: 's', namespace: 'default' },
      spec: {
        serviceName: 's',
        selector: { matchLabels: { a: 'b' } },
        template,
        volumeClaimTemplates: [claim(sized('1500m'))],
      },
    };
    expect(createWarnings(SETS, set)).toEqual([
      'spec.volumeClaimTemplates[0].resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ]);
  });
});
