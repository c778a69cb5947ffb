import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({
    controllers: ['pod-garbage-collector-controller', 'ttl-controller', 'ttl-after-finished-controller'],
    config: { terminatedPodGcThreshold: 2 },
  });
  await fixture.start();
  await fixture.client
    .resource('v1/nodes')
    .create({ metadata: { name: 'n' }, status: { conditions: [{ type: 'Ready', status: 'False' }] } });
});
afterAll(() => fixture.stop());

const pods = () => fixture.client.resource('v1/pods');
const names = async () =>
  (await pods().list({ namespace: 'default' })).items.map((pod) => pod.metadata.name ?? '').sort();
const make = (name: string, nodeName: string | undefined, finalizers: string[] = []) =>
  pods().create({
    metadata: { name, namespace: 'default', finalizers },
    spec: { nodeName, terminationGracePeriodSeconds: 3000, containers: [{ name: 'c', image: 'i' }] },
  });

describe('pod-garbage-collector-controller', () => {
  it('deletes pods whose node has been missing for a while', async () => {
    await make('on-node', 'n');
    await make('orphan', 'ghost');
    await make('held', 'ghost', ['example.com/hold']);
    await fixture.advance(35_000);
    expect(await names()).toEqual(['held', 'on-node', 'orphan']);
    await fixture.advance(40_000);
    expect(await names()).toEqual(['held', 'on-node']);
    const { status } = await pods().get({ namespace: 'default', name: 'held' });
    expect(status?.phase).toBe('Failed');
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByPodGC',
        message: 'PodGC: node no longer exists',
      }),
    );
    await pods().patch({ namespace: 'default', name: 'held' }, { metadata: { finalizers: null } }, { type: 'merge' });
  });

  it('removes terminating pods of nodes that are out of service', async () => {
    await pods().delete({ namespace: 'default', name: 'on-node' });
    await fixture.advance(60_000);
    expect(await names()).toEqual(['on-node']);
    await fixture.client.resource('v1/nodes').patch(
      { name: 'n' },
      {
        spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }] },
      },
      { type: 'merge' },
    );
    await fixture.advance(25_000);
    expect(await names()).toEqual([]);
  });

  it('keeps only the newest terminated pods', async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      await make(name, 'n');
      await pods().patch(
        { namespace: 'default', name },
        { status: { phase: 'Succeeded' } },
        { type: 'merge', subresource: 'status' },
      );
      await fixture.advance(1_000);
    }
    await fixture.advance(25_000);
    expect(await names()).toEqual(['c', 'd']);
  });
});

describe('ttl-controller', () => {
  it('annotates nodes once', async () => {
    expect((await fixture.client.resource('v1/nodes').get({ name: 'n' })).metadata.annotations).toEqual({
      'node.alpha.kubernetes.io/ttl': '0',
    });
    const { length } = fixture.writes;
    await fixture.client
      .resource('v1/nodes')
      .patch({ name: 'n' }, { metadata: { labels: { a: 'b' } } }, { type: 'merge' });
    await fixture.advance(10_000);
    expect(fixture.writes).toHaveLength(length);
  });
});

describe('ttl-after-finished-controller', () => {
  it('deletes a finished Job after its time', async () => {
    const jobs = fixture.client.resource('batch/v1/jobs');
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    await jobs.create({
      metadata: { name: 'j', namespace: 'default' },
      spec: { ttlSecondsAfterFinished: 100, template },
    });
    await fixture.advance(200_000);
    const startTime = '2026-01-01T00:00:00Z';
    const lastTransitionTime = new Date(Math.floor(fixture.clock.now() / 1000) * 1000)
      .toISOString()
      .replace('.000', '');
    const condition = { status: 'True', lastTransitionTime, lastProbeTime: lastTransitionTime };
    await jobs.patch(
      { namespace: 'default', name: 'j' },
      {
        status: {
          startTime,
          completionTime: lastTransitionTime,
          succeeded: 1,
          conditions: [
            { type: 'SuccessCriteriaMet', ...condition },
            { type: 'Complete', ...condition },
          ],
        },
      },
      { type: 'merge', subresource: 'status' },
    );
    await fixture.advance(95_000);
    expect((await jobs.get({ namespace: 'default', name: 'j' })).metadata.deletionTimestamp).toBeUndefined();
    await fixture.advance(10_000);
    expect((await jobs.get({ namespace: 'default', name: 'j' })).metadata.deletionTimestamp).toBeDefined();
  });
});
