import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({
    controllers: ['persistentvolume-attach-detach-controller', 'persistentvolume-binder-controller'],
  });
});
afterAll(() => fixture.stop());

const attachments = () => fixture.client.resource('storage.k8s.io/v1/volumeattachments');
const nodes = () => fixture.client.resource('v1/nodes');
const pods = () => fixture.client.resource('v1/pods');
const of = async (volume: string) =>
  (await attachments().list()).items.filter((a) => a.spec.source.persistentVolumeName === volume);

const makeNode = (name: string) =>
  nodes().create({
    metadata: { name, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
  });
async function makeVolume(name: string, driver = 'example.com'): Promise<void> {
  await fixture.client.resource('v1/persistentvolumes').create({
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: name,
      csi: { driver, volumeHandle: `h-${name}` },
    },
  });
  await fixture.client.resource('v1/persistentvolumeclaims').create({
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: name, resources: { requests: { storage: '1Gi' } } },
  });
}
const makePod = (name: string, nodeName: string, claimName: string) =>
  pods().create({
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
    },
  });
const removePod = (name: string) => pods().delete({ namespace: 'default', name }, { gracePeriodSeconds: 0 });
const setAttached = async (volume: string) => {
  for (const { metadata } of await of(volume))
    await attachments().patch(
      { name: metadata.name ?? '' },
      { status: { attached: true } },
      { type: 'merge', subresource: 'status' },
    );
};

describe('persistentvolume-attach-detach-controller', () => {
  it('attaches for a pod, updates node and pod, and detaches afterwards', async () => {
    await fixture.start();
    await makeNode('n');
    await makeVolume('v');
    await makePod('p', 'n', 'v');
    await fixture.until('asked for', async () => (await of('v')).length === 1, 1_000);
    expect((await of('v'))[0]?.spec).toEqual({
      attacher: 'example.com',
      nodeName: 'n',
      source: { persistentVolumeName: 'v' },
    });
    await setAttached('v');
    await fixture.advance(100);
    expect((await nodes().get({ name: 'n' })).status?.volumesAttached).toEqual([
      { name: 'kubernetes.io/csi/example.com^h-v', devicePath: '' },
    ]);
    const { items } = await fixture.client
      .resource('v1/events')
      .list({ namespace: 'default', fieldSelector: 'involvedObject.name=p' });
    expect(items.map(({ reason, message }) => [reason, message])).toEqual([
      ['SuccessfulAttachVolume', 'AttachVolume.Attach succeeded for volume "v" '],
    ]);
    const { length } = fixture.writes;
    await fixture.advance(600_000);
    expect(fixture.writes).toHaveLength(length);
    await removePod('p');
    await fixture.until('detached', async () => (await of('v')).length === 0, 1_000);
    expect((await nodes().get({ name: 'n' })).status?.volumesAttached).toBeUndefined();
  });

  it('waits until the node has unmounted the volume, six minutes at most', async () => {
    await fixture.start();
    await makeNode('slow');
    await makeVolume('used');
    await makePod('u', 'slow', 'used');
    await fixture.advance(100);
    await setAttached('used');
    await nodes().patch(
      { name: 'slow' },
      { status: { volumesInUse: ['kubernetes.io/csi/example.com^h-used'] } },
      { type: 'merge', subresource: 'status' },
    );
    await fixture.advance(100);
    await removePod('u');
    await fixture.advance(5 * 60_000);
    expect(await of('used')).toHaveLength(1);
    await fixture.advance(2 * 60_000);
    expect(await of('used')).toHaveLength(0);
  });

  it('moves an exclusive volume only after it has left the other node', async () => {
    await fixture.start();
    await makeNode('from');
    await makeNode('to');
    await makeVolume('moves');
    await makePod('m1', 'from', 'moves');
    await fixture.advance(100);
    await makePod('m2', 'to', 'moves');
    await fixture.advance(100);
    expect((await of('moves')).map((a) => a.spec.nodeName)).toEqual(['from']);
    await removePod('m1');
    await fixture.until('moved', async () => (await of('moves'))[0]?.spec.nodeName === 'to', 1_000);
  });

  it('ignores volumes that need no attaching, and attachments of others', async () => {
    await fixture.start();
    await fixture.client
      .resource('storage.k8s.io/v1/csidrivers')
      .create({ metadata: { name: 'loose.example.com' }, spec: { attachRequired: false } });
    await makeVolume('loose', 'loose.example.com');
    await makePod('l', 'n', 'loose');
    await attachments().create({
      metadata: { name: 'by-hand' },
      spec: { attacher: 'x.example.com', nodeName: 'nowhere', source: { persistentVolumeName: 'nothing' } },
    });
    await fixture.advance(10_000);
    expect(await of('loose')).toEqual([]);
    expect(await of('nothing')).toHaveLength(1);
  });

  it('ends the same wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      async arrange(name) {
        await makeVolume(name);
        await makePod(name, 'n', name);
      },
      converged: async (name) => (await of(name)).length === 1,
    });
    expect(kills).toBeGreaterThanOrEqual(8);
  });
});
