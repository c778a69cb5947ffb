/** The controllers of APIs that are off by default. */
import { generateKeyPairSync, createSign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from './testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({
    controllers: [
      'podgroup-protection-controller',
      'podcertificaterequest-cleaner-controller',
      'storage-version-migrator-controller',
      'resourcepoolstatusrequest-controller',
    ],
    server: {
      servesVersion: () => true,
      featureGates: {
        GenericWorkload: true,
        PodCertificateRequest: true,
        StorageVersionMigrator: true,
        DRAResourcePoolStatus: true,
      },
    },
  });
  await fixture.start();
});
afterAll(() => fixture.stop());

describe('podgroup-protection-controller', () => {
  const groups = () => fixture.client.resource('scheduling.k8s.io/v1alpha2/podgroups');
  const pods = () => fixture.client.resource('v1/pods');
  const isGone = async () => (await groups().list({ namespace: 'default' })).items.length === 0;

  it('keeps a group while a pod that has not ended is in it', async () => {
    await groups().create({
      metadata: { name: 'g', namespace: 'default' },
      spec: { schedulingPolicy: { gang: { minCount: 1 } } },
    });
    await pods().create({
      metadata: { name: 'p', namespace: 'default' },
      spec: { schedulingGroup: { podGroupName: 'g' }, containers: [{ name: 'c', image: 'i' }] },
    });
    await fixture.advance(1_000);
    await groups().delete({ namespace: 'default', name: 'g' });
    await fixture.advance(60_000);
    expect(await isGone()).toBe(false);
    await pods().delete({ namespace: 'default', name: 'p' }, { gracePeriodSeconds: 0 });
    await fixture.until('gone', isGone, 10_000);
  });
});

describe('podcertificaterequest-cleaner-controller', () => {
  // The properties of all controllers have it, too.
  it.runIf(process.env['K8TS_EVERYTHING'] === '1')(
    'deletes a request after a quarter of an hour (long form)',
    async () => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const requests = fixture.client.resource('certificates.k8s.io/v1beta1/podcertificaterequests');
      await requests.create({
        metadata: { name: 'r', namespace: 'default' },
        spec: {
          ...{
            signerName: 'example.com/s',
            podName: 'p',
            podUID: 'u',
            serviceAccountName: 'a',
            serviceAccountUID: 'v',
          },
          ...{ nodeName: 'n', nodeUID: 'w', stubPKCS10Request: '' },
          pkixPublicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
          proofOfPossession: createSign('sha256').update('u').sign(privateKey).toString('base64'),
        },
      });
      const isGone = async () => (await requests.list({ namespace: 'default' })).items.length === 0;
      await fixture.advance(10 * 60_000);
      expect(await isGone()).toBe(false);
      await fixture.until('gone', isGone, 15 * 60_000);
    },
  );
});

describe('storage-version-migrator-controller', () => {
  const migrations = () => fixture.client.resource('storagemigration.k8s.io/v1beta1/storageversionmigrations');
  const conditions = async (name: string): Promise<string[]> =>
    ((await migrations().get({ name })).status?.conditions ?? []).map(({ type, status }) => `${type}=${status}`);
  const migrate = (name: string, resource: string) =>
    migrations().create({ metadata: { name }, spec: { resource: { group: '', resource } } });

  it('writes every object of the resource', async () => {
    const maps = fixture.client.resource('v1/configmaps');
    await maps.create({ metadata: { name: 'm', namespace: 'default' }, data: { a: 'b' } });
    await migrate('first', 'configmaps');
    await migrate('second', 'configmaps');
    const bothDone = async () =>
      (await Promise.all(['first', 'second'].map(conditions))).every(
        (found) => found.includes('Succeeded=True') && found.includes('Running=False'),
      );
    await fixture.until('migrated', bothDone, 60_000);
    const { metadata, data } = await maps.get({ namespace: 'default', name: 'm' });
    expect(data).toEqual({ a: 'b' });
    // An empty configuration owns nothing.
    expect(metadata.managedFields?.map(({ manager }) => manager)).not.toContain('storage-version-migrator-controller');
  });

  it('fails for a resource that nobody serves', async () => {
    await migrate('none', 'nothings');
    await fixture.until('failed', async () => (await conditions('none')).includes('Failed=True'), 300_000);
  });
});

describe('resourcepoolstatusrequest-controller', () => {
  const requests = () => fixture.client.resource('resource.k8s.io/v1alpha3/resourcepoolstatusrequests');
  const slices = () => fixture.client.resource('resource.k8s.io/v1/resourceslices');
  const slice = (name: string, pool: string, generation: number, devices: string[], resourceSliceCount = 1) =>
    slices().create({
      metadata: { name },
      spec: {
        driver: 'd.example.com',
        nodeName: 'n',
        pool: { name: pool, generation, resourceSliceCount },
        devices: devices.map((device) => ({ name: device })),
      },
    });

  it('counts the devices of complete pools once, and deletes the request after an hour', async () => {
    await slice('old', 'b', 1, ['x', 'y', 'z']);
    await slice('new', 'b', 2, ['x', 'y']);
    await slice('half', 'a', 1, ['x'], 2);
    await requests().create({ metadata: { name: 'r' }, spec: { driver: 'd.example.com' } });
    await fixture.advance(30_000);
    expect((await requests().get({ name: 'r' })).status).toBeUndefined();
    await slice('other-half', 'a', 1, ['y'], 2);
    await fixture.until('answered', async () => (await requests().get({ name: 'r' })).status !== undefined, 60_000);
    const { status } = await requests().get({ name: 'r' });
    expect(status).toMatchObject({
      poolCount: 2,
      pools: [
        { driver: 'd.example.com', poolName: 'a', generation: 1, resourceSliceCount: 2, totalDevices: 2 },
        { poolName: 'b', generation: 2, nodeName: 'n', totalDevices: 2, allocatedDevices: 0, availableDevices: 2 },
      ],
      conditions: [{ type: 'Complete', message: 'Calculated status for 2 pools' }],
    });
    await fixture.advance(3_700_000);
    await fixture.until('gone', async () => (await requests().list()).items.length === 0, 60_000);
  });
});
