import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({
    controllers: [
      'volumeattributesclass-protection-controller',
      'persistentvolume-expander-controller',
      'persistentvolume-binder-controller',
    ],
  });
  await fixture.start();
});
afterAll(() => fixture.stop());

const classes = () => fixture.client.resource('storage.k8s.io/v1/volumeattributesclasses');
const claims = () => fixture.client.resource('v1/persistentvolumeclaims');
const isGone = async (name: string) => !(await classes().list()).items.some(({ metadata }) => metadata.name === name);

describe('volumeattributesclass-protection-controller', () => {
  it('keeps a class while a claim uses it', async () => {
    await classes().create({ metadata: { name: 'fast' }, driverName: 'example.com', parameters: { a: 'b' } });
    await claims().create({
      metadata: { name: 'c', namespace: 'default' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'x',
        volumeAttributesClassName: 'fast',
        resources: { requests: { storage: '1Gi' } },
      },
    });
    await fixture.advance(100);
    expect((await classes().get({ name: 'fast' })).metadata.finalizers).toEqual(['kubernetes.io/vac-protection']);
    await classes().delete({ name: 'fast' });
    await fixture.advance(60_000);
    expect(await isGone('fast')).toBe(false);
    await claims().patch({ namespace: 'default', name: 'c' }, { metadata: { finalizers: null } }, { type: 'merge' });
    await claims().delete({ namespace: 'default', name: 'c' });
    await fixture.until('gone', () => isGone('fast'), 1_000);
  });
});

describe('persistentvolume-expander-controller', () => {
  it('reports that an external resizer expands the volume', async () => {
    await fixture.client
      .resource('storage.k8s.io/v1/storageclasses')
      .create({ metadata: { name: 'big' }, provisioner: 'example.com/p', allowVolumeExpansion: true });
    await fixture.client.resource('v1/persistentvolumes').create({
      metadata: { name: 'v' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'big',
        csi: { driver: 'example.com', volumeHandle: 'h' },
      },
    });
    await claims().create({
      metadata: { name: 'grows', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'big', resources: { requests: { storage: '1Gi' } } },
    });
    await fixture.until(
      'bound',
      async () => (await claims().get({ namespace: 'default', name: 'grows' })).status?.phase === 'Bound',
      1_000,
    );
    await claims().patch(
      { namespace: 'default', name: 'grows' },
      { spec: { resources: { requests: { storage: '2Gi' } } } },
      { type: 'merge' },
    );
    await fixture.advance(100);
    const { items } = await fixture.client
      .resource('v1/events')
      .list({ namespace: 'default', fieldSelector: 'involvedObject.name=grows,reason=ExternalExpanding' });
    expect(items.map(({ message, source }) => [message, source?.component])).toEqual([
      ['waiting for an external controller to expand this PVC', 'volume_expand'],
    ]);
  });
});
