import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PersistentVolumeClaimSpec, PersistentVolumeSpec } from '../../api/generated/core-v1.ts';
import { SeededRandom } from '../../kernel/index.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;

beforeAll(async () => {
  fixture = await startFixture({
    controllers: [
      'persistentvolume-binder-controller',
      'persistentvolumeclaim-protection-controller',
      'persistentvolume-protection-controller',
    ],
  });
});
afterAll(() => fixture.stop());

const volumes = () => fixture.client.resource('v1/persistentvolumes');
const claims = () => fixture.client.resource('v1/persistentvolumeclaims');
const claimOf = (name: string) => claims().get({ namespace: 'default', name });
const events = async (name: string) =>
  (
    await fixture.client
      .resource('v1/events')
      .list({ namespace: 'default', fieldSelector: `involvedObject.name=${name}` })
  ).items.map((e) => [e.reason, e.message]);

const makeVolume = (
  name: string,
  storageClassName: string,
  spec: Partial<PersistentVolumeSpec> = {},
  labels: Record<string, string> = {},
) =>
  volumes().create({
    metadata: { name, labels },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName,
      hostPath: { path: '/x' },
      ...spec,
    },
  });
const makeClaim = (name: string, storageClassName: string | undefined, spec: Partial<PersistentVolumeClaimSpec> = {}) =>
  claims().create({
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } }, ...spec },
  });

async function isBound(claim: string, volume: string): Promise<boolean> {
  const [c, v] = await Promise.all([claimOf(claim), volumes().get({ name: volume })]);
  return (
    c.status?.phase === 'Bound' &&
    c.spec?.volumeName === volume &&
    v.status?.phase === 'Bound' &&
    v.spec?.claimRef?.uid === c.metadata.uid
  );
}

describe('persistentvolume-binder-controller', () => {
  it('binds both sides, with their annotations, and then rests', async () => {
    await fixture.start();
    await makeVolume('a', 'a');
    await makeClaim('a', 'a');
    await fixture.until('bound', () => isBound('a', 'a'), 1_000);
    const [claim, volume] = [await claimOf('a'), await volumes().get({ name: 'a' })];
    expect(claim.metadata.annotations).toEqual({
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    expect(claim.status).toEqual({ phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } });
    expect(volume.metadata.annotations).toEqual({ 'pv.kubernetes.io/bound-by-controller': 'yes' });
    await fixture.advance(1_000);
    const { length } = fixture.writes;
    await fixture.advance(600_000);
    expect(fixture.writes).toHaveLength(length);
  });

  it('binds the smallest volume that is large enough', async () => {
    await fixture.start();
    await makeVolume('size-3', 'size', { capacity: { storage: '3Gi' } });
    await makeVolume('size-2', 'size', { capacity: { storage: '2Gi' } });
    await makeVolume('size-1', 'size', { capacity: { storage: '1Gi' } });
    await fixture.advance(100);
    await makeClaim('size', 'size', { resources: { requests: { storage: '1500Mi' } } });
    await fixture.until('bound', () => isBound('size', 'size-2'), 1_000);
  });

  it.each([
    ['a mode', { volumeMode: 'Block' }],
    ['access', { accessModes: ['ReadWriteMany'] }],
    ['labels', { selector: { matchLabels: { a: 'b' } } }],
    ['a size', { resources: { requests: { storage: '2Gi' } } }],
  ])(
    'waits for a volume with %s, and binds it when it is created',
    async (what, spec: Partial<PersistentVolumeClaimSpec>) => {
      const name = what.replace(' ', '-');
      await fixture.start();
      await makeVolume(`${name}-wrong`, name);
      await makeClaim(name, name, spec);
      await fixture.advance(1_000);
      expect((await claimOf(name)).status?.phase).toBe('Pending');
      await makeVolume(
        `${name}-right`,
        name,
        {
          volumeMode: spec.volumeMode,
          accessModes: spec.accessModes ?? ['ReadWriteOnce'],
          capacity: spec.resources?.requests ?? { storage: '1Gi' },
        },
        { a: 'b' },
      );
      await fixture.until('bound', () => isBound(name, `${name}-right`), 1_000);
    },
  );

  it('keeps a volume for the claim that its claimRef names', async () => {
    await fixture.start();
    await makeVolume('res', 'res', { claimRef: { namespace: 'default', name: 'res' } });
    await makeClaim('other', 'res');
    await fixture.advance(1_000);
    expect((await claimOf('other')).status?.phase).toBe('Pending');
    await makeClaim('res', 'res');
    await fixture.until('bound', () => isBound('res', 'res'), 1_000);
    expect((await volumes().get({ name: 'res' })).metadata.annotations).toBeUndefined();
  });

  it('releases a volume whose claim is deleted, and makes it available only when its claimRef is removed', async () => {
    await fixture.start();
    await makeVolume('keep', 'keep');
    await makeClaim('keep', 'keep');
    await fixture.until('bound', () => isBound('keep', 'keep'), 1_000);
    await claims().delete({ namespace: 'default', name: 'keep' });
    await fixture.until(
      'released',
      async () => (await volumes().get({ name: 'keep' })).status?.phase === 'Released',
      1_000,
    );
    await makeClaim('next', 'keep');
    await fixture.advance(1_000);
    expect((await claimOf('next')).status?.phase).toBe('Pending');
    await volumes().patch({ name: 'keep' }, { spec: { claimRef: null } }, { type: 'merge' });
    await fixture.until('bound', () => isBound('next', 'keep'), 1_000);
  });

  it('fails a volume without a deleter', async () => {
    await fixture.start();
    await makeVolume('del', 'del', {
      persistentVolumeReclaimPolicy: 'Delete',
      hostPath: undefined,
      nfs: { server: 's', path: '/p' },
    });
    await makeClaim('del', 'del');
    await fixture.until('bound', () => isBound('del', 'del'), 1_000);
    await claims().delete({ namespace: 'default', name: 'del' });
    await fixture.until('failed', async () => (await volumes().get({ name: 'del' })).status?.phase === 'Failed', 1_000);
    expect((await volumes().get({ name: 'del' })).status?.message).toBe(
      'error getting deleter volume plugin for volume "del": no deletable volume plugin matched',
    );
  });

  it('reports that a claim has lost its volume', async () => {
    await fixture.start();
    await makeVolume('lost', 'lost');
    await makeClaim('lost', 'lost');
    await fixture.until('bound', () => isBound('lost', 'lost'), 1_000);
    await volumes().delete({ name: 'lost' });
    await volumes().patch({ name: 'lost' }, { metadata: { finalizers: null } }, { type: 'merge' });
    await fixture.until('lost', async () => (await claimOf('lost')).status?.phase === 'Lost', 1_000);
    await fixture.advance(100);
    expect(await events('lost')).toContainEqual([
      'ClaimLost',
      'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ]);
  });

  it('reports the pod that a claim waits for', async () => {
    await fixture.start();
    await fixture.client
      .resource('storage.k8s.io/v1/storageclasses')
      .create({ metadata: { name: 'first' }, provisioner: 'example.com/p', volumeBindingMode: 'WaitForFirstConsumer' });
    await makeClaim('w-consumer', 'first');
    await makeClaim('w-class', 'nowhere');
    await makeClaim('w-none', '');
    await fixture.advance(1_000);
    expect(await events('w-consumer')).toEqual([
      ['WaitForFirstConsumer', 'waiting for first consumer to be created before binding'],
    ]);
    expect(await events('w-class')).toEqual([
      ['ProvisioningFailed', 'storageclass.storage.k8s.io "nowhere" not found'],
    ]);
    expect(await events('w-none')).toEqual([
      ['FailedBinding', 'no persistent volumes available for this claim and no storage class is set'],
    ]);
    await claims().patch(
      { namespace: 'default', name: 'w-consumer' },
      { metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'n' } } },
      { type: 'merge' },
    );
    await fixture.advance(1_000);
    expect((await claimOf('w-consumer')).metadata.annotations?.['volume.kubernetes.io/storage-provisioner']).toBe(
      'example.com/p',
    );
  });

  it('sets the default class of a claim without one when a default class is created', async () => {
    await fixture.start();
    await makeClaim('classless', undefined);
    await fixture.advance(1_000);
    await fixture.client.resource('storage.k8s.io/v1/storageclasses').create({
      metadata: { name: 'def', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'example.com/p',
    });
    await fixture.until('classified', async () => (await claimOf('classless')).spec?.storageClassName === 'def', 1_000);
  });

  it('binds a different volume to each of many claims', async () => {
    await fixture.stopControllers();
    const random = new SeededRandom(7);
    for (let i = 0; i < 20; i++)
      await makeVolume(`many-${i}`, 'many', { capacity: { storage: `${1 + random.integer(5)}Gi` } });
    for (let i = 0; i < 20; i++) await makeClaim(`many-${i}`, 'many');
    await fixture.start();
    const many = async () =>
      (await claims().list({ namespace: 'default' })).items.filter((claim) => claim.metadata.name?.startsWith('many-'));
    // Two claims may want the same volume; who comes second looks again after the period of the binder.
    await fixture.until(
      'all are bound',
      async () => (await many()).every((claim) => claim.status?.phase === 'Bound'),
      60_000,
    );
    const bound = await many();
    expect(bound).toHaveLength(20);
    expect(new Set(bound.map((claim) => claim.spec?.volumeName)).size).toBe(20);
  });

  it('ends the same wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      async arrange(name) {
        await makeVolume(name, name);
        await makeClaim(name, name);
      },
      converged: (name) => isBound(name, name),
    });
    expect(kills).toBeGreaterThanOrEqual(8);
  });
});

describe('protection', () => {
  it('keeps a claim while a pod uses it, and a volume while a claim is bound to it', async () => {
    await fixture.start();
    await makeVolume('p', 'p');
    await makeClaim('p', 'p');
    await fixture.until('bound', () => isBound('p', 'p'), 1_000);
    await fixture.client.resource('v1/pods').create({
      metadata: { name: 'user', namespace: 'default' },
      spec: {
        nodeName: 'n',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'p' } }],
      },
    });
    await volumes().delete({ name: 'p' });
    await claims().delete({ namespace: 'default', name: 'p' });
    await fixture.advance(10_000);
    expect(await isBound('p', 'p')).toBe(true);
    await fixture.client.resource('v1/pods').delete({ namespace: 'default', name: 'user' }, { gracePeriodSeconds: 0 });
    await fixture.until(
      'claim gone',
      async () => !(await claims().list({ namespace: 'default' })).items.some((c) => c.metadata.name === 'p'),
      1_000,
    );
    await fixture.until(
      'volume gone',
      async () => !(await volumes().list()).items.some((v) => v.metadata.name === 'p'),
      1_000,
    );
  });
});
