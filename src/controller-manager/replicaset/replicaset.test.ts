import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReplicaSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { formatTime } from '../../base/index.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['replicaset-controller', 'replicationcontroller-controller'] });
});
afterAll(() => fixture.stop());

const sets = () => fixture.client.resource('apps/v1/replicasets');
const pods = () => fixture.client.resource('v1/pods');
const namespace = 'default';

const podsOf = async (app: string): Promise<Pod[]> =>
  (await pods().list({ namespace, labelSelector: `app=${app}` })).items;
const statusOf = async (name: string) => (await sets().get({ namespace, name })).status;

const makeSet = (name: string, replicas: number, more: Partial<ReplicaSet['spec']> = {}) =>
  sets().create({
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
      },
      ...more,
    },
  });

const makePod = (name: string, app: string) =>
  pods().create({
    metadata: { name, namespace, labels: { app } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
  });

const setReady = (name: string, since: string) =>
  pods().patch(
    { namespace, name },
    { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] } },
    { type: 'merge', subresource: 'status' },
  );

describe('replicaset-controller', () => {
  it('creates the pods, counts them, and then writes nothing', async () => {
    await fixture.start();
    await makeSet('three', 3);
    await fixture.until('three pods', async () => (await statusOf('three'))?.replicas === 3);
    const [pod] = await podsOf('three');
    expect(pod?.metadata.generateName).toBe('three-');
    expect(pod?.metadata.ownerReferences).toMatchObject([
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'three', controller: true, blockOwnerDeletion: true },
    ]);
    expect(await statusOf('three')).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      observedGeneration: 1,
      terminatingReplicas: 0,
    });
    const before = fixture.writes.length;
    await fixture.advance(600_000);
    expect(fixture.writes.slice(before)).toEqual([]);
  });

  it('replaces deleted and failed pods', async () => {
    await fixture.start();
    await makeSet('replace', 2);
    await fixture.until('two', async () => (await podsOf('replace')).length === 2);
    const [first, second] = await podsOf('replace');
    await pods().delete({ namespace, name: first!.metadata.name! });
    await pods().patch(
      { namespace, name: second!.metadata.name! },
      { status: { phase: 'Failed' } },
      { type: 'merge', subresource: 'status' },
    );
    await fixture.until(
      'three with the failed one',
      async () => (await podsOf('replace')).length === 3 && (await statusOf('replace'))?.replicas === 2,
    );
  });

  it('adopts pods, deletes ready pods last, and releases pods that no longer match', async () => {
    await fixture.start();
    await makePod('ready', 'adopt');
    await makePod('pending', 'adopt');
    await setReady('ready', '2025-01-01T00:00:00Z');
    await makeSet('adopt', 1);
    await fixture.until('one', async () => (await podsOf('adopt')).length === 1);
    expect((await podsOf('adopt'))[0]?.metadata.name).toBe('ready');
    await pods().patch({ namespace, name: 'ready' }, { metadata: { labels: { app: 'free' } } }, { type: 'merge' });
    await fixture.until(
      'released',
      async () => (await pods().get({ namespace, name: 'ready' })).metadata.ownerReferences === undefined,
    );
    await fixture.until('replaced', async () => (await podsOf('adopt')).length === 1);
  });

  it('counts a ready pod as available after minReadySeconds, to the second', async () => {
    await fixture.start();
    await makeSet('slow', 1, { minReadySeconds: 30 });
    await fixture.until('one', async () => (await podsOf('slow')).length === 1);
    await setReady((await podsOf('slow'))[0]!.metadata.name!, formatTime(fixture.clock.now()));
    await fixture.until('ready', async () => (await statusOf('slow'))?.readyReplicas === 1);
    expect((await statusOf('slow'))?.availableReplicas).toBeUndefined();
    await fixture.until('available', async () => (await statusOf('slow'))?.availableReplicas === 1, 31_000);
  });

  it('reports why pods cannot be created, until they can', async () => {
    await fixture.start();
    await makeSet('refused', 2, {
      template: {
        metadata: { labels: { app: 'refused' } },
        spec: { serviceAccountName: 'missing', containers: [{ name: 'c', image: 'i' }] },
      },
    });
    await fixture.until('condition', async () => (await statusOf('refused'))?.conditions?.length === 1);
    const condition = (await statusOf('refused'))?.conditions?.[0];
    expect(condition).toMatchObject({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' });
    expect(condition?.message).toContain('serviceaccount "missing" not found');
    await fixture.client.resource('v1/serviceaccounts').create({ metadata: { name: 'missing', namespace } });
    await fixture.until('healed', async () => {
      const status = await statusOf('refused');
      return status?.replicas === 2 && status.conditions === undefined;
    });
  });

  it('does the same for a ReplicationController', async () => {
    await fixture.start();
    const controllers = fixture.client.resource('v1/replicationcontrollers');
    await controllers.create({
      metadata: { name: 'rc', namespace },
      spec: {
        replicas: 2,
        selector: { app: 'rc' },
        template: { metadata: { labels: { app: 'rc' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await fixture.until('two', async () => (await controllers.get({ namespace, name: 'rc' })).status?.replicas === 2);
    expect((await controllers.get({ namespace, name: 'rc' })).status).toEqual({
      replicas: 2,
      fullyLabeledReplicas: 2,
      observedGeneration: 1,
    });
  });

  it('reaches the same end when killed at any write', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => {
        for (const other of (await sets().list({ namespace })).items)
          await sets().delete({ namespace, name: other.metadata.name! });
        for (const other of (await pods().list({ namespace })).items)
          await pods().delete({ namespace, name: other.metadata.name! }, { gracePeriodSeconds: 0 });
        await makePod(`${name}-orphan`, name);
        await makeSet(name, 3);
      },
      converged: async (name) => (await podsOf(name)).length === 3 && (await statusOf(name))?.replicas === 3,
    });
    expect(kills).toBeGreaterThan(6);
  });
});
