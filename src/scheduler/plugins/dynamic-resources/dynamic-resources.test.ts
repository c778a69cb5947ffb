import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Device, ResourceSlice } from '../../../api/generated/resource-v1.ts';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from '../../testing/index.ts';

const DRIVER = 'gpu.example.com';
let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await startSchedulerFixture();
});
afterEach(() => fixture.stop());

const slice = (nodeName: string, device: Device): ResourceSlice => ({
  metadata: { name: nodeName },
  spec: {
    driver: DRIVER,
    nodeName,
    pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
    devices: [device],
  },
});

it('schedules a pod nowhere when its selector fails on one of the nodes', async () => {
  const { client } = fixture;
  await client.resource('resource.k8s.io/v1/deviceclasses').create({ metadata: { name: 'gpu' }, spec: {} });
  const devices: [string, Device][] = [
    ['whole', { name: 'a', attributes: { exists: { bool: true } } }],
    ['lacking', { name: 'b' }],
  ];
  for (const [name, device] of devices) {
    await client.resource('resource.k8s.io/v1/resourceslices').create(slice(name, device));
    await fixture.createNode(makeNode(name));
  }
  const expression = `device.attributes["${DRIVER}"].exists`;
  await client.resource('resource.k8s.io/v1/resourceclaims').create({
    metadata: { namespace: 'default', name: 'c' },
    spec: {
      devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', selectors: [{ cel: { expression } }] } }] },
    },
  });
  await fixture.start();
  const pod = makePod('p').requests({ cpu: '100m' }).obj();
  await fixture.createPod({
    ...pod,
    spec: { ...pod.spec!, resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }] },
  });
  const condition = async () =>
    (await fixture.pod('p')).status?.conditions?.find(({ type }) => type === 'PodScheduled');
  await fixture.until('the attempt has failed', async () => (await condition()) !== undefined);
  expect(await condition()).toMatchObject({
    status: 'False',
    reason: 'SchedulerError',
    message:
      'running "DynamicResources" filter plugin: claim default/c: selector #0: CEL runtime error: no such key: exists',
  });
});
