import { expect, it } from 'vitest';
import { makeNode, makePod } from '../../testing/index.ts';
import { ask, claim, podWithClaims, storageClass, volume, volumeFixture, type Objects } from '../../testing/volumes.ts';
import { volumeZone } from './volume-zone.ts';

const OLD_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const NO_ZONE = 'UnschedulableAndUnresolvable: node(s) had no available volume zone';
const NODES = [
  makeNode('west').zone('w').label(REGION, 'r'),
  makeNode('east').zone('e').label(REGION, 'r'),
  makeNode('old').label(OLD_ZONE, 'w'),
  makeNode('nowhere'),
];
const zoned = (labels: Record<string, string>): Objects => ({
  'v1/persistentvolumeclaims': [claim('data', { volumeName: 'pv' })],
  'v1/persistentvolumes': [volume('pv', { labels })],
});

const rows: [name: string, options: { objects?: Objects; preFilter?: string; nodes?: Record<string, string> }][] = [
  ['a pod without claims goes anywhere', { preFilter: 'Skip' }],
  ['a volume without a zone goes anywhere', { objects: zoned({}), preFilter: 'Skip' }],
  [
    'a volume goes to nodes of its zone, and to those without any',
    { objects: zoned({ [ZONE]: 'w' }), nodes: { west: 'fits', east: NO_ZONE, old: 'fits', nowhere: 'fits' } },
  ],
  [
    'the older label means the same',
    { objects: zoned({ [OLD_ZONE]: 'e' }), nodes: { west: NO_ZONE, east: 'fits', old: NO_ZONE, nowhere: 'fits' } },
  ],
  [
    'a volume may be of several zones',
    { objects: zoned({ [ZONE]: 'w__e' }), nodes: { west: 'fits', east: 'fits', old: 'fits', nowhere: 'fits' } },
  ],
  [
    'zone and region must both be right',
    {
      objects: zoned({ [ZONE]: 'w', [REGION]: 'other' }),
      nodes: { west: NO_ZONE, east: NO_ZONE, old: NO_ZONE, nowhere: 'fits' },
    },
  ],
  [
    'a claim that is not there',
    { objects: {}, preFilter: 'UnschedulableAndUnresolvable: persistentvolumeclaim "data" not found' },
  ],
  [
    'a volume that is not there',
    {
      objects: { 'v1/persistentvolumeclaims': [claim('data', { volumeName: 'pv' })] },
      preFilter: 'UnschedulableAndUnresolvable: persistentvolume "pv" not found',
    },
  ],
  [
    'a claim with neither volume nor class',
    {
      objects: { 'v1/persistentvolumeclaims': [claim('data')] },
      preFilter: 'UnschedulableAndUnresolvable: PersistentVolumeClaim had no pv name and storageClass name',
    },
  ],
  [
    'a claim that waits for its first consumer',
    {
      objects: {
        'v1/persistentvolumeclaims': [claim('data', { className: 'later' })],
        'storage.k8s.io/v1/storageclasses': [storageClass('later', { delayed: true })],
      },
      preFilter: 'Skip',
    },
  ],
  [
    'a claim that waits for its volume',
    {
      objects: {
        'v1/persistentvolumeclaims': [claim('data', { className: 'now' })],
        'storage.k8s.io/v1/storageclasses': [storageClass('now')],
      },
      preFilter: 'UnschedulableAndUnresolvable: PersistentVolume had no name',
    },
  ],
];

it.each(rows)('%s', (_name, { objects, preFilter, nodes }) => {
  const fixture = volumeFixture({ nodes: NODES, objects: objects ?? {} });
  const answer = ask(
    volumeZone(fixture.handle),
    fixture,
    objects === undefined ? makePod('p') : podWithClaims('p', 'data'),
  );
  expect(answer.preFilter).toBe(preFilter);
  expect(answer.nodes).toEqual(nodes ?? {});
});
