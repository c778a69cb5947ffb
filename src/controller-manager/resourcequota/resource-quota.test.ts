import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['resourcequota-controller'] });
  await fixture.start();
});
afterAll(() => fixture.stop());

const pods = () => fixture.client.resource('v1/pods');
const quotas = () => fixture.client.resource('v1/resourcequotas');
const used = async (namespace: string) => (await quotas().get({ namespace, name: 'q' })).status?.used;

async function makeNamespace(name: string): Promise<void> {
  await fixture.client.resource('v1/namespaces').create({ metadata: { name } });
  await fixture.advance(10);
}

const makePod = (namespace: string, name: string, requests: Record<string, string> = {}) =>
  pods().create({
    metadata: { name, namespace },
    spec: {
      nodeName: 'n',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'c', image: 'i', resources: { requests } }],
    },
  });

const CONTAINER_STATUS = { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0 };

describe('resourcequota-controller', () => {
  it('counts existing objects, and deletions', async () => {
    await makeNamespace('a');
    await makePod('a', 'one', { cpu: '500m', memory: '128Mi' });
    await makePod('a', 'two', { cpu: '1', memory: '1Gi' });
    await fixture.client.resource('v1/services').create({
      metadata: { name: 's', namespace: 'a' },
      spec: {
        type: 'NodePort',
        ports: [
          { name: 'x', port: 1 },
          { name: 'y', port: 2 },
        ],
      },
    });
    const hard = {
      pods: '10',
      'requests.cpu': '4',
      memory: '4Gi',
      'limits.cpu': '1',
      'services.nodeports': '5',
      'count/pods': '9',
      'count/deployments.apps': '3',
      secrets: '2',
    };
    await quotas().create({ metadata: { name: 'q', namespace: 'a' }, spec: { hard } });
    await fixture.advance(1_000);
    expect(await used('a')).toEqual({
      pods: '2',
      'requests.cpu': '1500m',
      memory: '1152Mi',
      'limits.cpu': '0',
      'services.nodeports': '2',
      'count/pods': '2',
      'count/deployments.apps': '0',
      secrets: '0',
    });

    await pods().patch(
      { namespace: 'a', name: 'one' },
      { status: { phase: 'Succeeded' } },
      { type: 'merge', subresource: 'status' },
    );
    await fixture.advance(1_000);
    expect(await used('a')).toMatchObject({ pods: '1', 'count/pods': '2', 'requests.cpu': '1', memory: '1Gi' });

    await pods().delete({ namespace: 'a', name: 'two' }, { gracePeriodSeconds: 0 });
    await fixture.client.resource('v1/services').delete({ namespace: 'a', name: 's' });
    await fixture.advance(1_000);
    expect(await used('a')).toMatchObject({
      pods: '0',
      'count/pods': '1',
      'requests.cpu': '0',
      memory: '0',
      'services.nodeports': '0',
    });
  });

  it.each([
    ['BestEffort', '1'],
    ['NotBestEffort', '1'],
    ['Terminating', '0'],
    ['NotTerminating', '2'],
  ])('counts the pods of the scope %s', async (scope, count) => {
    const namespace = scope.toLowerCase();
    await makeNamespace(namespace);
    await makePod(namespace, 'one');
    await makePod(namespace, 'two', { cpu: '1' });
    await quotas().create({ metadata: { name: 'q', namespace }, spec: { hard: { pods: '10' }, scopes: [scope] } });
    await fixture.advance(1_000);
    expect(await used(namespace)).toEqual({ pods: count });
  });

  it('counts a pod again that moves to another scope', async () => {
    await makeNamespace('moving');
    await makePod('moving', 'one');
    const spec = { hard: { pods: '10' }, scopes: ['Terminating'] };
    await quotas().create({ metadata: { name: 'q', namespace: 'moving' }, spec });
    await fixture.advance(1_000);
    expect(await used('moving')).toEqual({ pods: '0' });
    await pods().patch(
      { namespace: 'moving', name: 'one' },
      { spec: { activeDeadlineSeconds: 60 } },
      { type: 'merge' },
    );
    await fixture.advance(1_000);
    expect(await used('moving')).toEqual({ pods: '1' });
  });

  it('counts a claim again whose VolumeAttributesClass has changed', async () => {
    await makeNamespace('classes');
    const name = { namespace: 'classes', name: 'data' };
    const claims = fixture.client.resource('v1/persistentvolumeclaims');
    const present = (currentVolumeAttributesClassName: string) =>
      claims.patch(name, { status: { currentVolumeAttributesClassName } }, { type: 'merge', subresource: 'status' });
    await claims.create({
      metadata: name,
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeAttributesClassName: 'silver',
      },
    });
    await present('gold');
    const inGold = { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['gold'] };
    await quotas().create({
      metadata: { name: 'q', namespace: 'classes' },
      spec: { hard: { persistentvolumeclaims: '5' }, scopeSelector: { matchExpressions: [inGold] } },
    });
    await fixture.advance(1_000);
    expect(await used('classes')).toEqual({ persistentvolumeclaims: '1' });
    await present('silver');
    await fixture.advance(1_000);
    expect(await used('classes')).toEqual({ persistentvolumeclaims: '0' });
  });

  it('counts a pod again whose containers have been resized', async () => {
    await makeNamespace('resized');
    const pod = { namespace: 'resized', name: 'one' };
    await makePod('resized', 'one', { cpu: '1' });
    const running = (cpu: string) =>
      pods().patch(
        pod,
        { status: { containerStatuses: [{ ...CONTAINER_STATUS, resources: { requests: { cpu } } }] } },
        { type: 'merge', subresource: 'status' },
      );
    await running('3');
    await quotas().create({ metadata: { name: 'q', namespace: 'resized' }, spec: { hard: { cpu: '10' } } });
    await fixture.advance(1_000);
    expect(await used('resized')).toEqual({ cpu: '3' });
    await running('1');
    await fixture.advance(1_000);
    expect(await used('resized')).toEqual({ cpu: '1' });
  });

  it('updates a changed quota and writes nothing when nothing changes', async () => {
    await makeNamespace('b');
    await quotas().create({ metadata: { name: 'q', namespace: 'b' }, spec: { hard: { pods: '10' } } });
    await fixture.advance(1_000);
    await quotas().patch({ namespace: 'b', name: 'q' }, { spec: { hard: { secrets: '3' } } }, { type: 'merge' });
    await fixture.advance(1_000);
    expect(await used('b')).toEqual({ pods: '0', secrets: '0' });
    const { length } = fixture.writes;
    await fixture.advance(1_200_000);
    expect(fixture.writes).toHaveLength(length);
  });
});
