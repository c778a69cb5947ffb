import { expect, it } from 'vitest';
import type { Volume } from '../../../api/generated/core-v1.ts';
import { makeNode, makePod, type PodBuilder } from '../../testing/index.ts';
import { ask, claim, podWithClaims, volumeFixture } from '../../testing/volumes.ts';
import { volumeRestrictions } from './volume-restrictions.ts';

const DISK = 'Unschedulable: node(s) had no available disk';
const ONE_POD =
  'Unschedulable: node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode';
const claims = { 'v1/persistentvolumeclaims': [claim('mine', { accessModes: ['ReadWriteOncePod'] }), claim('shared')] };
const withVolume = (name: string, volume: Omit<Volume, 'name'>): PodBuilder =>
  makePod(name)
    .uid(`uid-${name}`)
    .spec({ volumes: [{ name: 'v', ...volume }] });
const gce = (pdName: string, readOnly = false) => ({ gcePersistentDisk: { pdName, readOnly } });
const ebs = (volumeID: string, readOnly = false) => ({ awsElasticBlockStore: { volumeID, readOnly } });
const iscsi = (iqn: string, readOnly = false) => ({ iscsi: { targetPortal: 't', lun: 0, iqn, readOnly } });
const rbd = (monitors: string[], image: string, readOnly = false, pool = 'rbd') => ({
  rbd: { monitors, image, pool, readOnly },
});

const disks: [name: string, there: Omit<Volume, 'name'>, wanted: Omit<Volume, 'name'>, answer: string][] = [
  ['a GCE disk that is written to', gce('d'), gce('d'), DISK],
  ['another GCE disk', gce('d'), gce('e'), 'fits'],
  ['a GCE disk that both only read', gce('d', true), gce('d', true), 'fits'],
  ['a GCE disk that one of them writes to', gce('d', true), gce('d'), DISK],
  ['an EBS volume', ebs('v'), ebs('v'), DISK],
  ['an EBS volume, even if both only read', ebs('v', true), ebs('v', true), DISK],
  ['another EBS volume', ebs('v'), ebs('w'), 'fits'],
  ['an iSCSI target', iscsi('q'), iscsi('q'), DISK],
  ['an iSCSI target that both only read', iscsi('q', true), iscsi('q', true), 'fits'],
  ['an RBD image with a monitor in common', rbd(['a', 'b'], 'i'), rbd(['b', 'c'], 'i'), DISK],
  ['an RBD image of another cluster', rbd(['a'], 'i'), rbd(['c'], 'i'), 'fits'],
  ['another RBD image', rbd(['a'], 'i'), rbd(['a'], 'j'), 'fits'],
  ['an RBD image of another pool', rbd(['a'], 'i'), rbd(['a'], 'i', false, 'p'), 'fits'],
  ['an RBD image that both only read', rbd(['a'], 'i', true), rbd(['a'], 'i', true), 'fits'],
];

it.each(disks)('%s', (_name, there, wanted, answer) => {
  const fixture = volumeFixture({ nodes: [makeNode('n'), makeNode('m')], pods: [withVolume('x', there).node('n')] });
  expect(ask(volumeRestrictions(fixture.handle), fixture, withVolume('p', wanted)).nodes).toEqual({
    n: answer,
    m: 'fits',
  });
});

const rows: [name: string, there: PodBuilder[], pod: PodBuilder, answer: string][] = [
  ['a pod without volumes is not asked about', [], makePod('p'), 'Skip'],
  ['claims that may be shared', [podWithClaims('x', 'shared').node('n')], podWithClaims('p', 'shared'), 'Skip'],
  ['a claim for one pod that nobody uses', [], podWithClaims('p', 'mine'), 'fits'],
  [
    'a claim for one pod that another uses, wherever that is',
    [podWithClaims('x', 'mine').node('m')],
    podWithClaims('p', 'mine'),
    ONE_POD,
  ],
  [
    'a claim that is not there',
    [],
    podWithClaims('p', 'nothing'),
    'UnschedulableAndUnresolvable: persistentvolumeclaim "nothing" not found',
  ],
];

it.each(rows)('%s', (_name, there, pod, answer) => {
  const fixture = volumeFixture({ nodes: [makeNode('n'), makeNode('m')], pods: there, objects: claims });
  const given = ask(volumeRestrictions(fixture.handle), fixture, pod);
  expect(given.preFilter ?? given.nodes['n']).toBe(answer);
});

it('the claim is free again for a try without the pod that uses it', () => {
  const user = podWithClaims('x', 'mine').node('n');
  const fixture = volumeFixture({ pods: [user], objects: claims });
  const plugin = volumeRestrictions(fixture.handle);
  const { state, pod, nodes } = ask(plugin, fixture, podWithClaims('p', 'mine'));
  expect(nodes).toEqual({ n: ONE_POD });
  const node = fixture.cache.table.get('n')!;
  plugin.podRemoved!(state, pod, {
    other: fixture.cache.pod('uid-x')!,
    node,
    touched: { add: () => {}, all: () => {}, scores: () => {} },
  });
  expect(plugin.filter!(state, pod, node)).toBeUndefined();
});
