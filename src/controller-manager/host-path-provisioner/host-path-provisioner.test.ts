import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';
import { STANDARD_CLASS } from './host-path-provisioner.ts';

let fixture: ControllerFixture;
let directory: string;
beforeAll(async () => {
  directory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-volumes-'));
  const controllers = [
    'host-path-provisioner',
    'persistentvolume-binder-controller',
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
    'ephemeral-volume-controller',
  ];
  fixture = await startFixture({ controllers, config: { hostPathProvisionerDirectory: directory } });
  const classes = fixture.client.resource('storage.k8s.io/v1/storageclasses');
  // There is no scheduler here to choose a node.
  await classes.create({ ...STANDARD_CLASS, volumeBindingMode: 'Immediate' });
  await classes.create({ ...STANDARD_CLASS, metadata: { name: 'waiting' } });
});
afterAll(async () => {
  await fixture.stop();
  await fs.rm(directory, { recursive: true });
});

const claims = () => fixture.client.resource('v1/persistentvolumeclaims');
const volumes = () => fixture.client.resource('v1/persistentvolumes');
const makeClaim = (name: string) =>
  claims().create({
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
const isBound = async (name: string) => (await claims().get({ namespace: 'default', name })).status?.phase === 'Bound';

describe('host-path-provisioner', () => {
  it('binds a claim of the default class, and removes the directory after it', async () => {
    await fixture.start();
    await fixture.advance(100);
    await makeClaim('c');
    await fixture.until('bound', () => isBound('c'), 1_000);
    const [volume] = (await volumes().list()).items;
    const place = volume?.spec?.hostPath?.path ?? '';
    expect(path.dirname(place)).toBe(directory);
    await fs.mkdir(place);
    await fs.writeFile(path.join(place, 'data'), 'x');
    await claims().delete({ namespace: 'default', name: 'c' });
    await fixture.until('volume gone', async () => (await volumes().list()).items.length === 0);
    expect(await fs.readdir(directory)).toEqual([]);
  });

  it('creates one volume for each claim wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => void (await makeClaim(name)),
      converged: isBound,
    });
    expect(kills).toBeGreaterThanOrEqual(10);
    expect((await volumes().list()).items).toHaveLength((await claims().list({ namespace: 'default' })).items.length);
  });
});

it('the standard class waits until the scheduler has chosen a node for the first pod', async () => {
  await fixture.start();
  const name = 'patient';
  await claims().create({
    metadata: { name, namespace: 'default' },
    spec: {
      storageClassName: 'waiting',
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
    },
  });
  await fixture.advance(5_000);
  expect(await isBound(name)).toBe(false);
  const annotations = { 'volume.kubernetes.io/selected-node': 'n' };
  await claims().patch({ namespace: 'default', name }, { metadata: { annotations } }, { type: 'merge' });
  await fixture.until('bound', () => isBound(name), 1_000);
  await claims().delete({ namespace: 'default', name });
});

describe('ephemeral-volume-controller', () => {
  it('creates the claim of a pod, and refuses one that is not its own', async () => {
    await fixture.start();
    const pod = (name: string) => ({
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName: 'n',
        containers: [{ name: 'c', image: 'i' }],
        volumes: [
          {
            name: 'scratch',
            ephemeral: {
              volumeClaimTemplate: {
                metadata: { labels: { k: 'v' } },
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
      },
    });
    await fixture.client.resource('v1/pods').create(pod('p'));
    await fixture.until('bound', () => isBound('p-scratch').catch(() => false), 1_000);
    expect((await claims().get({ namespace: 'default', name: 'p-scratch' })).metadata).toMatchObject({
      labels: { k: 'v' },
      ownerReferences: [{ kind: 'Pod', name: 'p', controller: true, blockOwnerDeletion: true }],
    });
    await makeClaim('q-scratch');
    await fixture.advance(100);
    await fixture.client.resource('v1/pods').create(pod('q'));
    await fixture.advance(100);
    const { items } = await fixture.client
      .resource('v1/events')
      .list({ namespace: 'default', fieldSelector: 'involvedObject.name=q' });
    expect(items.map(({ reason, message }) => [reason, message])).toEqual([
      [
        'FailedBinding',
        'ephemeral volume scratch: PVC default/q-scratch was not created for pod default/q (pod is not owner)',
      ],
    ]);
  });
});
