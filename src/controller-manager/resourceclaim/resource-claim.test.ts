import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({ controllers: ['resourceclaim-controller', 'device-taint-eviction-controller'] });
  await fixture.client.resource('resource.k8s.io/v1/resourceclaimtemplates').create({
    metadata: { name: 't', namespace: 'default' },
    spec: {
      metadata: { labels: { from: 't' } },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
    },
  });
});
afterAll(() => fixture.stop());

const claims = () => fixture.client.resource('resource.k8s.io/v1/resourceclaims');
const pods = () => fixture.client.resource('v1/pods');
const of = async (pod: string) =>
  (await claims().list({ namespace: 'default' })).items.filter(
    (claim) => claim.metadata.ownerReferences?.[0]?.name === pod,
  );
const makePod = (name: string, template = 't', nodeName?: string) =>
  pods().create({
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName,
      terminationGracePeriodSeconds: 0,
      resourceClaims: [{ name: 'dev', resourceClaimTemplateName: template }],
      containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'dev' }] } }],
    },
  });

async function allocate(name: string, pod: string): Promise<void> {
  const { metadata } = await pods().get({ namespace: 'default', name: pod });
  const results = [{ request: 'r', driver: 'example.com', pool: 'pool', device: 'd' }];
  const status = {
    allocation: { devices: { results } },
    reservedFor: [{ resource: 'pods', name: pod, uid: metadata.uid }],
  };
  await claims().patch(
    { namespace: 'default', name },
    { metadata: { finalizers: ['resource.kubernetes.io/delete-protection'] } },
    { type: 'merge' },
  );
  await claims().patch({ namespace: 'default', name }, { status }, { type: 'merge', subresource: 'status' });
}

describe('resourceclaim-controller', () => {
  it("creates a claim from the template once, and writes its name to the pod's status", async () => {
    await fixture.start();
    await makePod('p');
    await fixture.until('made', async () => (await of('p')).length === 1, 1_000);
    const [claim] = await of('p');
    expect(claim?.metadata).toMatchObject({
      generateName: 'p-dev-',
      labels: { from: 't' },
      annotations: { 'resource.kubernetes.io/pod-claim-name': 'dev' },
    });
    await fixture.advance(100);
    expect((await pods().get({ namespace: 'default', name: 'p' })).status?.resourceClaimStatuses).toEqual([
      { name: 'dev', resourceClaimName: claim?.metadata.name },
    ]);
    const { length } = fixture.writes;
    await fixture.advance(600_000);
    expect(fixture.writes).toHaveLength(length);
  });

  it('reports that the template is missing, and continues when it is created', async () => {
    await fixture.start();
    await makePod('q', 'late');
    await fixture.advance(100);
    const { items } = await fixture.client
      .resource('v1/events')
      .list({ namespace: 'default', fieldSelector: 'involvedObject.name=q' });
    expect(items.map(({ reason, message }) => [reason, message])).toEqual([
      [
        'FailedResourceClaimCreation',
        'PodResourceClaim dev: resource claim template "late": resourceclaimtemplate.resource.k8s.io "late" not found',
      ],
    ]);
    await fixture.client.resource('resource.k8s.io/v1/resourceclaimtemplates').create({
      metadata: { name: 'late', namespace: 'default' },
      spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } } },
    });
    await fixture.until('made', async () => (await of('q')).length === 1, 1_000);
  });

  it('deallocates devices and deletes the claim when its pod is finished', async () => {
    await fixture.start();
    await makePod('done', 't', 'n');
    await fixture.until('made', async () => (await of('done')).length === 1, 1_000);
    await allocate((await of('done'))[0]?.metadata.name ?? '', 'done');
    await fixture.advance(1_000);
    expect((await of('done'))[0]?.status?.allocation).toBeDefined();
    await pods().patch(
      { namespace: 'default', name: 'done' },
      { status: { phase: 'Succeeded' } },
      { type: 'merge', subresource: 'status' },
    );
    await fixture.until('gone', async () => (await of('done')).length === 0, 5_000);
  });

  it('creates exactly one claim wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => void (await makePod(name)),
      converged: async (name) =>
        (await of(name)).length === 1 &&
        (await pods().get({ namespace: 'default', name })).status?.resourceClaimStatuses?.length === 1,
    });
    expect(kills).toBe(4);
  });
});

describe('device-taint-eviction-controller', () => {
  it('deletes a pod whose device is tainted', async () => {
    await fixture.start();
    await makePod('holder', 't', 'n');
    await fixture.until('made', async () => (await of('holder')).length === 1, 1_000);
    await allocate((await of('holder'))[0]?.metadata.name ?? '', 'holder');
    await fixture.advance(1_000);
    const slice = {
      driver: 'example.com',
      nodeName: 'n',
      pool: { name: 'pool', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd', taints: [{ key: 'broken', effect: 'NoExecute' }] }],
    };
    await fixture.client.resource('resource.k8s.io/v1/resourceslices').create({ metadata: { name: 's' }, spec: slice });
    await fixture.until(
      'deleted',
      async () => !(await pods().list({ namespace: 'default' })).items.some((pod) => pod.metadata.name === 'holder'),
      5_000,
    );
  });
});
