import { describe, expect, it } from 'vitest';
import { makeNode, makePod } from '../../testing/index.ts';
import { ask, claim, podWithClaims, storageClass, volume, volumeFixture, type Objects } from '../../testing/volumes.ts';
import { volumeBinding } from './volume-binding.ts';

const NODES = [makeNode('a').zone('west'), makeNode('b').zone('east')];
const NO_VOLUME = "UnschedulableAndUnresolvable: node(s) didn't find available persistent volumes to bind";
const WRONG_NODE = "UnschedulableAndUnresolvable: node(s) didn't match PersistentVolume's node affinity";
const NO_SPACE = 'UnschedulableAndUnresolvable: node(s) did not have enough free storage';
const classes = [
  storageClass('now'),
  storageClass('later', { delayed: true }),
  storageClass('static', { delayed: true, provisioner: 'kubernetes.io/no-provisioner' }),
];
const capacityOf = (zone: string, capacity: string, maximumVolumeSize?: string) => ({
  metadata: { namespace: 'default', name: `c-${zone}` },
  storageClassName: 'later',
  capacity,
  ...(maximumVolumeSize ? { maximumVolumeSize } : {}),
  nodeTopology: { matchLabels: { 'topology.kubernetes.io/zone': zone } },
});
const driver = { metadata: { name: 'disks.example.com' }, spec: { storageCapacity: true } };

describe('VolumeBinding lets a pod', () => {
  const rows: [name: string, options: { objects?: Objects; preFilter?: string; nodes?: Record<string, string> }][] = [
    ['without claims alone', { preFilter: 'Skip' }],
    [
      'wait for a claim that is not there',
      { objects: {}, preFilter: 'UnschedulableAndUnresolvable: persistentvolumeclaim "data" not found' },
    ],
    [
      'wait for a claim that is being deleted',
      {
        objects: { 'v1/persistentvolumeclaims': [claim('data', { deleted: true })] },
        preFilter: 'UnschedulableAndUnresolvable: persistentvolumeclaim "data" is being deleted',
      },
    ],
    [
      'wait when its volume is lost',
      {
        objects: { 'v1/persistentvolumeclaims': [claim('data', { volumeName: 'pv', phase: 'Lost' })] },
        preFilter:
          'UnschedulableAndUnresolvable: persistentvolumeclaim "data" bound to non-existent persistentvolume "pv"',
      },
    ],
    [
      'wait for an immediate claim',
      {
        objects: { 'v1/persistentvolumeclaims': [claim('data', { className: 'now' })] },
        preFilter: 'UnschedulableAndUnresolvable: pod has unbound immediate PersistentVolumeClaims',
      },
    ],
    [
      'go where its bound volume is',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { volumeName: 'pv' })],
          'v1/persistentvolumes': [volume('pv', { node: 'a' })],
        },
        nodes: { a: 'fits', b: WRONG_NODE },
      },
    ],
    [
      'go nowhere when its bound volume is gone',
      {
        objects: { 'v1/persistentvolumeclaims': [claim('data', { volumeName: 'pv' })] },
        nodes: {
          a: 'UnschedulableAndUnresolvable: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
          b: 'UnschedulableAndUnresolvable: node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
        },
      },
    ],
    [
      'go where a free volume is',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { className: 'static' })],
          'v1/persistentvolumes': [volume('pv', { className: 'static', node: 'b' })],
        },
        nodes: { a: NO_VOLUME, b: 'fits' },
      },
    ],
    [
      'not have a volume that is too small',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { className: 'static', storage: '2Gi' })],
          'v1/persistentvolumes': [volume('pv', { className: 'static' })],
        },
        nodes: { a: NO_VOLUME, b: NO_VOLUME },
      },
    ],
    [
      'not have a volume of another class',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { className: 'static' })],
          'v1/persistentvolumes': [volume('pv', { className: 'later' })],
        },
        nodes: { a: NO_VOLUME, b: NO_VOLUME },
      },
    ],
    [
      'not have a volume with other access modes',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { className: 'static', accessModes: ['ReadWriteMany'] })],
          'v1/persistentvolumes': [volume('pv', { className: 'static' })],
        },
        nodes: { a: NO_VOLUME, b: NO_VOLUME },
      },
    ],
    [
      'not have a volume that is reserved for another claim',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { className: 'static' })],
          'v1/persistentvolumes': [volume('pv', { className: 'static', claimRef: { name: 'other' } })],
        },
        nodes: { a: NO_VOLUME, b: NO_VOLUME },
      },
    ],
    [
      'have the volume that is reserved for its claim',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { className: 'static' })],
          'v1/persistentvolumes': [volume('pv', { className: 'static', claimRef: { name: 'data' } })],
        },
        nodes: { a: 'fits', b: 'fits' },
      },
    ],
    [
      'go anywhere when its volume can be made',
      {
        objects: { 'v1/persistentvolumeclaims': [claim('data', { className: 'later' })] },
        nodes: { a: 'fits', b: 'fits' },
      },
    ],
    [
      'go only to the node for which its volume is being made',
      {
        objects: {
          'v1/persistentvolumeclaims': [
            claim('data', { className: 'later', annotations: { 'volume.kubernetes.io/selected-node': 'b' } }),
          ],
        },
        nodes: { a: NO_VOLUME, b: 'fits' },
      },
    ],
    [
      'go where there is space',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { className: 'later', storage: '5Gi' })],
          'storage.k8s.io/v1/csidrivers': [driver],
          'storage.k8s.io/v1/csistoragecapacities': [capacityOf('west', '10Gi'), capacityOf('east', '1Gi')],
        },
        nodes: { a: 'fits', b: NO_SPACE },
      },
    ],
    [
      'not have more than the largest volume',
      {
        objects: {
          'v1/persistentvolumeclaims': [claim('data', { className: 'later', storage: '5Gi' })],
          'storage.k8s.io/v1/csidrivers': [driver],
          'storage.k8s.io/v1/csistoragecapacities': [
            capacityOf('west', '10Gi', '4Gi'),
            capacityOf('east', '10Gi', '5Gi'),
          ],
        },
        nodes: { a: NO_SPACE, b: 'fits' },
      },
    ],
  ];

  it.each(rows)('%s', (_name, { objects, preFilter, nodes }) => {
    const fixture = volumeFixture({
      nodes: NODES,
      objects: { 'storage.k8s.io/v1/storageclasses': classes, ...objects },
    });
    const answer = ask(
      volumeBinding({}, fixture.handle),
      fixture,
      objects === undefined ? makePod('p') : podWithClaims('p', 'data'),
    );
    expect(answer.preFilter).toBe(preFilter);
    expect(answer.nodes).toEqual(nodes ?? {});
  });

  it('wait for its ephemeral claim, and use only that one', () => {
    const pod = makePod('p')
      .uid('uid-p')
      .spec({ volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } }] });
    const none = volumeFixture();
    expect(ask(volumeBinding({}, none.handle), none, pod).preFilter).toBe(
      'UnschedulableAndUnresolvable: waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"',
    );
    const foreign = volumeFixture({ objects: { 'v1/persistentvolumeclaims': [claim('p-scratch')] } });
    expect(ask(volumeBinding({}, foreign.handle), foreign, pod).preFilter).toBe(
      'UnschedulableAndUnresolvable: PVC default/p-scratch was not created for pod default/p (pod is not owner)',
    );
  });

  it('not use a volume that is assumed for another pod, until that is undone', () => {
    const objects = {
      'storage.k8s.io/v1/storageclasses': classes,
      'v1/persistentvolumeclaims': [claim('first', { className: 'static' }), claim('second', { className: 'static' })],
      'v1/persistentvolumes': [volume('pv', { className: 'static' })],
    };
    const fixture = volumeFixture({ objects });
    const plugin = volumeBinding({}, fixture.handle);
    const first = ask(plugin, fixture, podWithClaims('p', 'first'));
    plugin.reserve!(first.state, first.pod, 'n');
    expect(ask(plugin, fixture, podWithClaims('q', 'second')).nodes).toEqual({ n: NO_VOLUME });
    plugin.unreserve!(first.state, first.pod, 'n');
    expect(ask(plugin, fixture, podWithClaims('q', 'second')).nodes).toEqual({ n: 'fits' });
  });
});

describe('VolumeBinding scores storage capacity', () => {
  const space = {
    'storage.k8s.io/v1/storageclasses': classes,
    'storage.k8s.io/v1/csidrivers': [driver],
    'storage.k8s.io/v1/csistoragecapacities': [capacityOf('west', '100Gi'), capacityOf('east', '20Gi')],
  };
  const rows: [
    name: string,
    options: { args?: object; objects: Objects; claims: string[]; scores: Record<string, number> | 'none' },
  ][] = [
    [
      'by what is left where volumes are made',
      {
        objects: { ...space, 'v1/persistentvolumeclaims': [claim('data', { className: 'later', storage: '10Gi' })] },
        claims: ['data'],
        scores: { a: 90, b: 50 },
      },
    ],
    [
      'by the sum of claims of one class',
      {
        objects: {
          ...space,
          'v1/persistentvolumeclaims': [
            claim('x', { className: 'later', storage: '5Gi' }),
            claim('y', { className: 'later', storage: '5Gi' }),
          ],
        },
        claims: ['x', 'y'],
        scores: { a: 90, b: 50 },
      },
    ],
    [
      'by the shape of the configuration',
      {
        args: {
          shape: [
            { utilization: 0, score: 0 },
            { utilization: 100, score: 10 },
          ],
        },
        objects: { ...space, 'v1/persistentvolumeclaims': [claim('data', { className: 'later', storage: '10Gi' })] },
        claims: ['data'],
        scores: { a: 10, b: 50 },
      },
    ],
    [
      'by how well volumes are filled that are there',
      {
        objects: {
          'storage.k8s.io/v1/storageclasses': classes,
          'v1/persistentvolumeclaims': [claim('data', { className: 'static', storage: '10Gi' })],
          'v1/persistentvolumes': [
            volume('pa', { className: 'static', storage: '40Gi', node: 'a' }),
            volume('pb', { className: 'static', storage: '10Gi', node: 'b' }),
          ],
        },
        claims: ['data'],
        scores: { a: 75, b: 0 },
      },
    ],
    [
      'not of drivers that do not tell',
      {
        objects: {
          'storage.k8s.io/v1/storageclasses': classes,
          'v1/persistentvolumeclaims': [claim('data', { className: 'later' })],
        },
        claims: ['data'],
        scores: { a: 0, b: 0 },
      },
    ],
  ];

  const scoresOf = (
    featureGates: Record<string, boolean>,
    { args = {}, objects, claims }: { args?: object; objects: Objects; claims: string[] },
  ): Record<string, number> | 'none' => {
    const fixture = volumeFixture({ nodes: NODES, objects, featureGates });
    const plugin = volumeBinding(args, fixture.handle);
    const { state, pod } = ask(plugin, fixture, podWithClaims('p', ...claims));
    if (plugin.preScore!(state, pod, { slots: new Int32Array(0), count: 0 })?.code === 'Skip') return 'none';
    return Object.fromEntries(
      [...fixture.cache.table.existing()].map((node) => [node.name, plugin.score!(state, pod, node)]),
    );
  };

  it.each(rows)('%s', (_name, options) => {
    expect(scoresOf({ StorageCapacityScoring: true }, options)).toEqual(options.scores);
  });

  it('only where the feature is on', () => {
    expect(scoresOf({}, rows[0]![1])).toBe('none');
  });
});
