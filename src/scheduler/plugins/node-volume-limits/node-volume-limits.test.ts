import { expect, it } from 'vitest';
import { makePod, type PodBuilder } from '../../testing/index.ts';
import { ask, claim, podWithClaims, storageClass, volume, volumeFixture, type Objects } from '../../testing/volumes.ts';
import { nodeVolumeLimits } from './node-volume-limits.ts';

const DRIVER = 'disks.example.com';
const TOO_MANY = 'Unschedulable: node(s) exceed max volume count';
const NAMES = ['one', 'two', 'three'];
const limit = (count: number | undefined): Objects => ({
  'storage.k8s.io/v1/csinodes': [
    {
      metadata: { name: 'n' },
      spec: { drivers: [{ name: DRIVER, nodeID: 'n', ...(count === undefined ? {} : { allocatable: { count } }) }] },
    } as never,
  ],
});
const disks: Objects = {
  'v1/persistentvolumeclaims': [
    ...NAMES.map((name) => claim(name, { volumeName: `pv-${name}` })),
    claim('new', { className: 'later' }),
    claim('foreign', { volumeName: 'pv-foreign' }),
  ],
  'v1/persistentvolumes': [
    ...NAMES.map((name) => volume(`pv-${name}`, { csi: { driver: DRIVER, volumeHandle: name } })),
    volume('pv-foreign', { csi: { driver: 'other.example.com', volumeHandle: 'f' } }),
  ],
  'storage.k8s.io/v1/storageclasses': [storageClass('later', { delayed: true })],
};
const attachment = (name: string): Objects => ({
  'storage.k8s.io/v1/volumeattachments': [
    {
      metadata: { name: `at-${name}` },
      spec: { attacher: DRIVER, nodeName: 'n', source: { persistentVolumeName: `pv-${name}` } },
    } as never,
  ],
});
const on = (name: string, ...claims: string[]): PodBuilder => podWithClaims(name, ...claims).node('n');

const rows: [name: string, options: { objects: Objects; there?: PodBuilder[]; pod: PodBuilder; answer: string }][] = [
  ['a pod without claims is not asked about', { objects: limit(0), pod: makePod('p'), answer: 'Skip' }],
  [
    'a driver without a limit takes all',
    { objects: limit(undefined), there: [on('x', 'one')], pod: podWithClaims('p', 'two'), answer: 'fits' },
  ],
  [
    'a node that says nothing takes all',
    { objects: {}, there: [on('x', 'one')], pod: podWithClaims('p', 'two'), answer: 'fits' },
  ],
  [
    'one below the limit',
    { objects: limit(2), there: [on('x', 'one')], pod: podWithClaims('p', 'two'), answer: 'fits' },
  ],
  ['at the limit', { objects: limit(1), there: [on('x', 'one')], pod: podWithClaims('p', 'two'), answer: TOO_MANY }],
  [
    'two more than one place',
    { objects: limit(2), there: [on('x', 'one')], pod: podWithClaims('p', 'two', 'three'), answer: TOO_MANY },
  ],
  [
    'a volume that is there already counts once',
    { objects: limit(1), there: [on('x', 'one')], pod: podWithClaims('p', 'one'), answer: 'fits' },
  ],
  [
    'a volume that two pods share counts once',
    { objects: limit(2), there: [on('x', 'one'), on('y', 'one')], pod: podWithClaims('p', 'two'), answer: 'fits' },
  ],
  [
    'a claim without a volume counts for the driver of its class',
    { objects: limit(1), there: [on('x', 'one')], pod: podWithClaims('p', 'new'), answer: TOO_MANY },
  ],
  [
    'volumes of other drivers do not count',
    { objects: limit(1), there: [on('x', 'foreign')], pod: podWithClaims('p', 'one'), answer: 'fits' },
  ],
  [
    'a volume of another driver has no limit here',
    { objects: limit(0), pod: podWithClaims('p', 'foreign'), answer: 'fits' },
  ],
  [
    'a volume that is still attached counts',
    { objects: { ...limit(1), ...attachment('three') }, pod: podWithClaims('p', 'two'), answer: TOO_MANY },
  ],
  [
    'a volume that is attached and in use counts once',
    {
      objects: { ...limit(2), ...attachment('one') },
      there: [on('x', 'one')],
      pod: podWithClaims('p', 'two'),
      answer: 'fits',
    },
  ],
];

it.each(rows)('%s', (_name, { objects, there = [], pod, answer }) => {
  const fixture = volumeFixture({ objects: { ...disks, ...objects }, pods: there });
  const given = ask(nodeVolumeLimits(fixture.handle), fixture, pod);
  expect(given.preFilter ?? given.nodes['n']).toBe(answer);
});
