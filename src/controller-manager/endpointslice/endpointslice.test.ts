import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../api/generated/core-v1.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
const namespace = 'default';

beforeAll(async () => {
  fixture = await startFixture({
    controllers: ['endpointslice-controller', 'endpoints-controller', 'endpointslice-mirroring-controller'],
  });
  await fixture.client
    .resource('v1/nodes')
    .create({ metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } } });
});
afterAll(() => fixture.stop());

const slicesOf = async (service: string) =>
  (
    await fixture.client
      .resource('discovery.k8s.io/v1/endpointslices')
      .list({ namespace, labelSelector: `kubernetes.io/service-name=${service}` })
  ).items;
const endpointsOf = (name: string) => fixture.client.resource('v1/endpoints').get({ namespace, name });
const services = () => fixture.client.resource('v1/services');

const makeService = (name: string, spec: Partial<NonNullable<Service['spec']>> = {}) =>
  services().create({
    metadata: { name, namespace },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  });

async function makePod(name: string, app: string, ip: string, ready = true): Promise<void> {
  const pods = fixture.client.resource('v1/pods');
  await pods.create({
    metadata: { name, namespace, labels: { app } },
    spec: { nodeName: 'n', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
  });
  await pods.patch(
    { namespace, name },
    {
      status: {
        phase: 'Running',
        podIP: ip,
        podIPs: [{ ip }],
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    },
    { type: 'merge', subresource: 'status' },
  );
}

describe('the endpoint controllers', () => {
  it('list ready and unready pods, and are then at rest', async () => {
    await fixture.start();
    await makePod('a-1', 'a', '10.1.0.1');
    await makePod('a-2', 'a', '10.1.0.2', false);
    await makeService('a');
    await fixture.until('slice', async () => (await slicesOf('a'))[0]?.endpoints?.length === 2);
    const [slice] = await slicesOf('a');
    expect(slice?.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }]);
    expect(
      slice?.endpoints?.map(({ addresses, conditions, zone, nodeName }) => [
        addresses,
        conditions?.ready,
        zone,
        nodeName,
      ]),
    ).toEqual([
      [['10.1.0.1'], true, 'z', 'n'],
      [['10.1.0.2'], false, 'z', 'n'],
    ]);
    expect(slice?.metadata.labels).toEqual({
      'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      'kubernetes.io/service-name': 'a',
    });
    await fixture.until('endpoints', async () => (await endpointsOf('a')).subsets?.length === 1);
    expect((await endpointsOf('a')).subsets).toMatchObject([
      {
        addresses: [{ ip: '10.1.0.1', nodeName: 'n' }],
        notReadyAddresses: [{ ip: '10.1.0.2' }],
        ports: [{ port: 8080, protocol: 'TCP' }],
      },
    ]);
    const before = fixture.writes.length;
    await fixture.advance(600_000);
    expect(fixture.writes.slice(before)).toEqual([]);
  });

  it('follow the ports and the selector in the same slice, and go with the Service', async () => {
    await fixture.start();
    await makePod('b-1', 'b', '10.1.0.3');
    await makeService('b');
    await fixture.until('slice', async () => (await slicesOf('b'))[0]?.endpoints?.length === 1);
    const [first] = await slicesOf('b');
    await services().patch(
      { namespace, name: 'b' },
      { spec: { ports: [{ port: 80, targetPort: 9090 }] } },
      { type: 'merge' },
    );
    await fixture.until('port', async () => (await slicesOf('b'))[0]?.ports?.[0]?.port === 9090);
    await services().patch({ namespace, name: 'b' }, { spec: { selector: { app: 'none' } } }, { type: 'merge' });
    await fixture.until('empty', async () => ((await slicesOf('b'))[0]?.endpoints ?? []).length === 0);
    const [last] = await slicesOf('b');
    expect(last?.metadata.name).toBe(first?.metadata.name);
    expect(last?.ports ?? null).toBeNull();
    await services().delete({ namespace, name: 'b' });
    await fixture.until('gone', async () => (await slicesOf('b')).length === 0);
  });

  it.each([
    ['one label', { app: 'l-0' }, 2],
    ['several labels', { 'pod-template-hash': 'h', app: 'l-1' }, 1],
    ['labels that are in no index', { 'pod-template-hash': 'h-2' }, 1],
  ])('find pods by %s, also when pods are added or removed later', async (what, selector, wanted) => {
    const app = `l-${wanted === 2 ? 0 : 'app' in selector ? 1 : 2}`;
    await fixture.start();
    const found = async () => (await slicesOf(app)).flatMap(({ endpoints }) => endpoints ?? []).length;
    await makePod(`${app}-1`, app, '10.3.0.1');
    await makeService(app, { selector });
    await fixture.until('slice', async () => (await slicesOf(app)).length > 0);
    await makePod(`${app}-2`, app, '10.3.0.2');
    await fixture.client
      .resource('v1/pods')
      .patch(
        { namespace, name: `${app}-2` },
        { metadata: { labels: { 'pod-template-hash': what.includes('no index') ? 'h-2' : 'h' } } },
        { type: 'merge' },
      );
    await fixture.until('found', async () => (await found()) === wanted);
    await fixture.client
      .resource('v1/pods')
      .patch(
        { namespace, name: `${app}-2` },
        { metadata: { labels: { app: 'other', 'pod-template-hash': null } } },
        { type: 'merge' },
      );
    await fixture.until('left', async () => (await found()) === wanted - 1);
  });

  it('put at most a hundred endpoints in a slice', async () => {
    await fixture.start();
    for (let i = 0; i < 105; i++) await makePod(`many-${i}`, 'many', `10.2.0.${i}`);
    await makeService('many');
    await fixture.until(
      'two slices',
      async () => (await slicesOf('many')).reduce((sum, slice) => sum + (slice.endpoints?.length ?? 0), 0) === 105,
    );
    expect((await slicesOf('many')).map((slice) => slice.endpoints?.length ?? 0).sort((a, b) => a - b)).toEqual([
      5, 100,
    ]);
  });

  it('mirror manual Endpoints of a Service without a selector', async () => {
    await fixture.start();
    await makeService('m', { selector: undefined });
    await fixture.client.resource('v1/endpoints').create({
      metadata: { name: 'm', namespace, labels: { own: 'l' } },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }], ports: [{ name: 'x', port: 80 }] }],
    });
    await fixture.until('two slices', async () => (await slicesOf('m')).length === 2);
    expect(
      (await slicesOf('m'))
        .map((slice) => `${slice.addressType} ${slice.metadata.labels?.['own']}`)
        .sort((a, b) => a.localeCompare(b)),
    ).toEqual(['IPv4 l', 'IPv6 l']);
    await fixture.client.resource('v1/endpoints').delete({ namespace, name: 'm' });
    await fixture.until('gone', async () => (await slicesOf('m')).length === 0);
  });

  it('reach the same end when killed at any write', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => {
        await makePod(name, name, '10.9.0.1');
        await makeService(name);
      },
      converged: async (name) => {
        const slices = await slicesOf(name);
        return (
          slices.length === 1 &&
          slices[0]?.endpoints?.length === 1 &&
          (await fixture.client.resource('v1/endpoints').list({ namespace })).items.some(
            (e) => e.metadata.name === name && e.subsets?.length === 1,
          )
        );
      },
    });
    expect(kills).toBeGreaterThanOrEqual(4);
  });
});
