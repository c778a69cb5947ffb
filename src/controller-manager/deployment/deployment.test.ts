import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Deployment, ReplicaSet } from '../../api/generated/apps-v1.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';
import { TestKubelet } from '../testing/pods.ts';

let fixture: ControllerFixture;
let kubelet: TestKubelet;
const namespace = 'default';

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['replicaset-controller', 'deployment-controller'] });
  kubelet = new TestKubelet(fixture.client, namespace);
});
afterAll(() => fixture.stop());

const deployments = () => fixture.client.resource('apps/v1/deployments');
const get = (name: string) => deployments().get({ namespace, name });
const setsOf = async (app: string): Promise<ReplicaSet[]> =>
  (await fixture.client.resource('apps/v1/replicasets').list({ namespace, labelSelector: `app=${app}` })).items.sort(
    (a, b) => revision(a) - revision(b),
  );
const revision = (object: ReplicaSet | Deployment): number =>
  Number(object.metadata.annotations?.['deployment.kubernetes.io/revision']);

const make = (name: string, spec: Partial<Deployment['spec']> = {}, version = '1') =>
  deployments().create({
    metadata: { name, namespace },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name, version } },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
      },
      ...spec,
    },
  });

const change = (name: string, spec: object) => deployments().patch({ namespace, name }, { spec }, { type: 'merge' });
const setVersion = (name: string, version: string) => change(name, { template: { metadata: { labels: { version } } } });

async function rolledOut(name: string, replicas: number): Promise<boolean> {
  await kubelet.startAll(`app=${name}`);
  const { status, metadata } = await get(name);
  return (
    status?.observedGeneration === metadata.generation &&
    status?.updatedReplicas === replicas &&
    status.availableReplicas === replicas &&
    status.replicas === replicas
  );
}

const reasons = async (name: string): Promise<string[]> =>
  ((await get(name)).status?.conditions ?? []).map((c) => `${c.type}=${c.status} ${c.reason}`);

describe('deployment-controller', () => {
  it('creates a ReplicaSet, completes the rollout, and then writes nothing', async () => {
    await fixture.start();
    await make('web');
    await fixture.until('rolled out', () => rolledOut('web', 3));
    await fixture.until('complete', async () =>
      (await reasons('web')).includes('Progressing=True NewReplicaSetAvailable'),
    );
    const [set] = await setsOf('web');
    const hash = set?.metadata.labels?.['pod-template-hash'];
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(set?.metadata.annotations).toEqual({
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
    });
    expect((await get('web')).status).toMatchObject({
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
    });
    const before = fixture.writes.length;
    await fixture.advance(1_200_000);
    expect(fixture.writes.slice(before)).toEqual([]);
  });

  it('stays between replicas - maxUnavailable and replicas + maxSurge', async () => {
    await fixture.start();
    await make('window', {
      replicas: 4,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    });
    await fixture.until('first', () => rolledOut('window', 4));
    await setVersion('window', '2');
    await fixture.until('second', async () => {
      const sets = await setsOf('window');
      const total = sets.reduce((sum, set) => sum + (set.spec?.replicas ?? 0), 0);
      expect(total).toBeLessThanOrEqual(5);
      expect((await get('window')).status?.availableReplicas ?? 0).toBeGreaterThanOrEqual(3);
      const [pending] = (await kubelet.list('app=window')).filter((pod) => pod.status?.phase === 'Pending');
      if (pending) await kubelet.setReady(pending.metadata.name!);
      return sets[0]?.spec?.replicas === 0 && (await get('window')).status?.updatedReplicas === 4;
    });
    expect((await setsOf('window')).map(revision)).toEqual([1, 2]);
  });

  it('recreates only when the last old pod is gone', async () => {
    await fixture.start();
    await make('again', {
      replicas: 2,
      strategy: { type: 'Recreate' },
      template: {
        metadata: { labels: { app: 'again', version: '1' }, finalizers: ['example.com/hold'] },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    });
    await fixture.until('first', () => rolledOut('again', 2));
    await setVersion('again', '2');
    await fixture.until('old ones leave', async () => (await setsOf('again'))[0]?.status?.terminatingReplicas === 2);
    await fixture.advance(5_000);
    expect(await setsOf('again')).toHaveLength(1);
    for (const pod of await kubelet.list('app=again'))
      await fixture.client
        .resource('v1/pods')
        .patch({ namespace, name: pod.metadata.name! }, { metadata: { finalizers: null } }, { type: 'merge' });
    await kubelet.finishDeletions();
    await fixture.until('second', () => rolledOut('again', 2));
  });

  it('spreads new replicas over old and new in the middle of a rollout', async () => {
    await fixture.start();
    await make('spread', {
      replicas: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
    });
    await fixture.until('first', () => rolledOut('spread', 10));
    await setVersion('spread', '2');
    const sizes = async (): Promise<unknown> => (await setsOf('spread')).map((set) => set.spec?.replicas);
    await fixture.until('window', async () => JSON.stringify(await sizes()) === '[8,5]');
    await change('spread', { replicas: 15 });
    await fixture.until('spread', async () => JSON.stringify(await sizes()) === '[11,7]');
  });

  it('rolls back to an earlier revision by its template and limits the history', async () => {
    await fixture.start();
    await make('history', { replicas: 1, revisionHistoryLimit: 1 });
    await fixture.until('1', () => rolledOut('history', 1));
    for (const version of ['2', '3']) {
      await setVersion('history', version);
      await fixture.until(version, () => rolledOut('history', 1));
    }
    await fixture.until('one old set', async () => (await setsOf('history')).length === 2);
    await deployments().patch(
      { namespace, name: 'history' },
      { metadata: { annotations: { 'deprecated.deployment.rollback.to': '0' } } },
      { type: 'merge' },
    );
    await fixture.until(
      'rolled back',
      async () =>
        (await get('history')).spec?.template.metadata?.labels?.['version'] === '2' && (await rolledOut('history', 1)),
    );
    const sets = await setsOf('history');
    expect(sets.map((set) => [revision(set), set.spec?.template?.metadata?.labels?.['version']])).toEqual([
      [3, '3'],
      [4, '2'],
    ]);
    expect(sets[1]?.metadata.annotations?.['deployment.kubernetes.io/revision-history']).toBe('2');
  });

  it('does not roll out while paused, has the condition, and continues when resumed', async () => {
    await fixture.start();
    await make('paused', { replicas: 1 });
    await fixture.until('first', () => rolledOut('paused', 1));
    await change('paused', { paused: true });
    await fixture.until('noted', async () =>
      (await reasons('paused')).includes('Progressing=Unknown DeploymentPaused'),
    );
    await setVersion('paused', '2');
    await fixture.advance(60_000);
    expect(await setsOf('paused')).toHaveLength(1);
    await change('paused', { paused: false });
    await fixture.until('second', () => rolledOut('paused', 1));
  });

  it('fails after the progress deadline', async () => {
    await fixture.start();
    await make('stuck', { replicas: 1, progressDeadlineSeconds: 20 });
    await fixture.until(
      'timed out',
      async () => (await reasons('stuck')).includes('Progressing=False ProgressDeadlineExceeded'),
      25_000,
    );
    const writes = () => fixture.writes.filter(({ path }) => path.includes('stuck'));
    const before = writes();
    await fixture.advance(600_000);
    expect(writes()).toEqual(before);
  });

  it('chooses another name when a foreign ReplicaSet has its name', async () => {
    await fixture.start();
    await make('taken', { replicas: 1 });
    await fixture.until('set', async () => (await setsOf('taken')).length === 1);
    const [{ metadata }] = (await setsOf('taken')) as [ReplicaSet];
    await fixture.stopControllers();
    await deployments().delete({ namespace, name: 'taken' });
    const sets = fixture.client.resource('apps/v1/replicasets');
    await sets.delete({ namespace, name: metadata.name! });
    await sets.create({
      metadata: { name: metadata.name, namespace, labels: { app: 'foreign' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'foreign' } },
        template: { metadata: { labels: { app: 'foreign' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await make('taken', { replicas: 1 });
    await fixture.start();
    await fixture.until('other name', async () => (await setsOf('taken')).length === 1);
    expect((await get('taken')).status?.collisionCount).toBe(1);
  });

  it.each([
    ['its status', /deployments\/bare-0\/status$/],
    ['the size of a set', /replicasets\/bare-1-/],
    ['the status of a set', /replicasets\/bare-2-[^/]+\/status$/],
  ])('tries %s again after conflicts that no event follows', async (_, path) => {
    const name = /bare-\d/.exec(path.source)![0];
    let refused = 0;
    await fixture.start({ refuses: (write) => write.method === 'PUT' && path.test(write.path) && refused++ < 3 });
    await make(name);
    await fixture.until('available', () => rolledOut(name, 3));
    await setVersion(name, '2');
    await fixture.until('rolled over', () => rolledOut(name, 3));
    expect(refused).toBeGreaterThan(3);
  });

  it('reaches the same end when killed at any write of a rollout', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => {
        for (const other of (await deployments().list({ namespace })).items)
          await deployments().delete({ namespace, name: other.metadata.name! });
        await fixture.client.resource('apps/v1/replicasets').deleteCollection({ namespace });
        await fixture.client.resource('v1/pods').deleteCollection({ namespace });
        await make(name, { replicas: 2 });
      },
      converged: (name) => rolledOut(name, 2),
    });
    expect(kills).toBeGreaterThan(10);
  });
});
