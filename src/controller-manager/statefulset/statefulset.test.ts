import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StatefulSet } from '../../api/generated/apps-v1.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';
import { TestKubelet } from '../testing/pods.ts';

let fixture: ControllerFixture;
let kubelet: TestKubelet;
const namespace = 'default';

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['statefulset-controller'] });
  kubelet = new TestKubelet(fixture.client, namespace);
});
afterAll(() => fixture.stop());

const sets = () => fixture.client.resource('apps/v1/statefulsets');
const claims = () => fixture.client.resource('v1/persistentvolumeclaims');
const statusOf = async (name: string) => (await sets().get({ namespace, name })).status;
const names = async (app: string, more = ''): Promise<string[]> =>
  (await kubelet.list(`app=${app}${more}`)).map((pod) => pod.metadata.name ?? '').sort();
const change = (name: string, spec: object) => sets().patch({ namespace, name }, { spec }, { type: 'merge' });
const setVersion = (name: string, v: string) => change(name, { template: { metadata: { labels: { v } } } });

const make = (name: string, spec: Partial<StatefulSet['spec']> = {}) =>
  sets().create({
    metadata: { name, namespace },
    spec: {
      replicas: 3,
      serviceName: 'svc',
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name, v: '1' } },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
      },
      ...spec,
    },
  });

async function ready(name: string, replicas: number): Promise<boolean> {
  await kubelet.startAll(`app=${name}`);
  const status = await statusOf(name);
  return (
    status?.readyReplicas === replicas &&
    status.updatedReplicas === replicas &&
    status.currentReplicas === replicas &&
    status.currentRevision === status.updateRevision
  );
}

describe('statefulset-controller', () => {
  it('creates pods in order, each after the one before is ready, and then writes nothing', async () => {
    await fixture.start();
    await make('web');
    await fixture.until('first', async () => (await names('web')).length === 1);
    await fixture.advance(5_000);
    expect(await names('web')).toEqual(['web-0']);
    await fixture.until('all', () => ready('web', 3));
    const pod = (await kubelet.list('app=web'))[1];
    expect(pod?.spec).toMatchObject({ hostname: 'web-1', subdomain: 'svc' });
    expect(pod?.metadata.labels).toMatchObject({
      'statefulset.kubernetes.io/pod-name': 'web-1',
      'apps.kubernetes.io/pod-index': '1',
    });
    const before = fixture.writes.length;
    await fixture.advance(600_000);
    expect(fixture.writes.slice(before)).toEqual([]);
  });

  it('updates from the highest ordinal down to the partition', async () => {
    await fixture.start();
    await make('part', { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } });
    await fixture.until('all', () => ready('part', 3));
    await setVersion('part', '2');
    await fixture.until('two updated', async () => {
      await kubelet.startAll('app=part');
      return (await statusOf('part'))?.updatedReplicas === 2 && (await statusOf('part'))?.readyReplicas === 3;
    });
    await fixture.advance(5_000);
    expect(await names('part', ',v=2')).toEqual(['part-1', 'part-2']);
    await change('part', { updateStrategy: { rollingUpdate: { partition: 0 } } });
    await fixture.until('all updated', () => ready('part', 3));
  });

  it('removes the highest first, and starts at the first ordinal', async () => {
    await fixture.start();
    await make('ord', { ordinals: { start: 5 } });
    await fixture.until('all', () => ready('ord', 3));
    expect(await names('ord')).toEqual(['ord-5', 'ord-6', 'ord-7']);
    await change('ord', { replicas: 1 });
    await fixture.until('one', async () => (await names('ord')).length === 1);
    expect(await names('ord')).toEqual(['ord-5']);
  });

  it('replaces a failed pod', async () => {
    await fixture.start();
    await make('fail', { replicas: 1 });
    await fixture.until('one', () => ready('fail', 1));
    const [{ metadata }] = (await kubelet.list('app=fail')) as [{ metadata: { uid?: string } }];
    await kubelet.setStatus('fail-0', { phase: 'Failed' });
    await fixture.until('again', async () =>
      (await kubelet.list('app=fail')).some(
        (pod) => pod.metadata.uid !== metadata.uid && pod.status?.phase === 'Pending',
      ),
    );
  });

  it('keeps claims by default, and makes the condemned pod their owner when they are to be deleted', async () => {
    await fixture.start();
    const volumeClaimTemplates = [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ];
    await make('keep', { replicas: 2, podManagementPolicy: 'Parallel', volumeClaimTemplates });
    await make('drop', {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      volumeClaimTemplates,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    });
    await fixture.until('both', async () => (await ready('keep', 2)) && (await ready('drop', 2)));
    const owners = async (name: string) =>
      (await claims().get({ namespace, name })).metadata.ownerReferences?.map(({ kind }) => kind);
    expect(await owners('data-keep-1')).toBeUndefined();
    expect(await owners('data-drop-1')).toEqual(['StatefulSet']);
    for (const name of ['keep', 'drop']) await change(name, { replicas: 1 });
    await fixture.until('scaled', async () => (await names('keep')).length === 1 && (await names('drop')).length === 1);
    expect(await owners('data-keep-1')).toBeUndefined();
    expect(await owners('data-drop-1')).toEqual(['Pod']);
  });

  it('scales down though another controller owns a claim', async () => {
    await fixture.start();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other-uid', controller: true };
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const metadata = { name: 'data-owned-1', namespace, ownerReferences: [owner] };
    await claims().create({ metadata, spec });
    await make('owned', {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec }],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
    });
    await fixture.until('both', () => ready('owned', 2));
    await change('owned', { replicas: 1 });
    await fixture.until('scaled', async () => (await names('owned')).length === 1);
    const { ownerReferences } = (await claims().get({ namespace, name: 'data-owned-1' })).metadata;
    expect(ownerReferences).toMatchObject([owner]);
  });

  it('reaches the same end when killed at any write of a rollout', async () => {
    const updated = new Set<string>();
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => {
        await sets().deleteCollection({ namespace });
        await fixture.client.resource('v1/pods').deleteCollection({ namespace });
        await make(name, { replicas: 2 });
      },
      converged: async (name) => {
        if (!(await ready(name, 2))) return false;
        if (!updated.has(name)) await setVersion(name, '2');
        updated.add(name);
        return (await names(name, ',v=2')).length === 2;
      },
    });
    expect(kills).toBeGreaterThan(10);
  });
});
