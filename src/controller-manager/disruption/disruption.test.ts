import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PodDisruptionBudgetSpec } from '../../api/generated/policy-v1.ts';
import { formatTime } from '../../base/index.ts';
import { startFixture, type ControllerFixture } from '../testing/index.ts';
import { TestKubelet } from '../testing/pods.ts';

let fixture: ControllerFixture;
let kubelet: TestKubelet;
const namespace = 'default';

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['disruption-controller', 'replicaset-controller'] });
  kubelet = new TestKubelet(fixture.client, namespace);
  await fixture.start();
  const template = {
    metadata: { labels: { app: 'a' } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
  };
  await fixture.client.resource('apps/v1/replicasets').create({
    metadata: { name: 'a', namespace },
    spec: { replicas: 4, selector: { matchLabels: { app: 'a' } }, template },
  });
  await fixture.until('pods', async () => (await kubelet.list('app=a')).length === 4);
  for (const pod of (await kubelet.list('app=a')).slice(0, 3)) await kubelet.setReady(pod.metadata.name!);
});
afterAll(() => fixture.stop());

const budgets = () => fixture.client.resource('policy/v1/poddisruptionbudgets');
const statusOf = async (name: string) => (await budgets().get({ namespace, name })).status;

describe('disruption-controller', () => {
  for (const { name, spec, allowed, desired, expected } of [
    { name: 'min-number', spec: { minAvailable: 2 }, allowed: 1, desired: 2, expected: 4 },
    { name: 'min-percent', spec: { minAvailable: '70%' }, allowed: 0, desired: 3, expected: 4 },
    { name: 'max-number', spec: { maxUnavailable: 2 }, allowed: 1, desired: 2, expected: 4 },
    { name: 'max-percent', spec: { maxUnavailable: '100%' }, allowed: 3, desired: 0, expected: 4 },
  ] satisfies { name: string; spec: PodDisruptionBudgetSpec; allowed: number; desired: number; expected: number }[]) {
    it(`counts ${name}`, async () => {
      await budgets().create({
        metadata: { name, namespace },
        spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
      });
      await fixture.until('status', async () => (await statusOf(name))?.observedGeneration === 1);
      expect(await statusOf(name)).toMatchObject({
        disruptionsAllowed: allowed,
        desiredHealthy: desired,
        expectedPods: expected,
        currentHealthy: 3,
      });
      expect((await statusOf(name))?.conditions).toMatchObject([
        {
          type: 'DisruptionAllowed',
          status: allowed > 0 ? 'True' : 'False',
          reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
        },
      ]);
    });
  }

  it('allows no disruptions without pods, and then writes nothing', async () => {
    await budgets().create({
      metadata: { name: 'none', namespace },
      spec: { selector: { matchLabels: { app: 'none' } }, minAvailable: 0 },
    });
    await fixture.until('status', async () => (await statusOf('none'))?.observedGeneration === 1);
    expect(await statusOf('none')).toMatchObject({ disruptionsAllowed: 0, expectedPods: 0 });
    const before = fixture.writes.length;
    await fixture.advance(600_000);
    expect(fixture.writes.slice(before)).toEqual([]);
  });

  it('does not count a pod whose eviction was granted until it is overdue', async () => {
    const [pod] = (await kubelet.list('app=a')).filter((p) => p.status?.phase === 'Running');
    await budgets().create({
      metadata: { name: 'granted', namespace },
      spec: { selector: { matchLabels: { app: 'a' } }, minAvailable: 1 },
    });
    await fixture.until('status', async () => (await statusOf('granted'))?.currentHealthy === 3);
    const since = { [pod!.metadata.name!]: formatTime(fixture.clock.now()) };
    await budgets().patch(
      { namespace, name: 'granted' },
      { status: { disruptedPods: since } },
      { type: 'merge', subresource: 'status' },
    );
    await fixture.until('not counted', async () => (await statusOf('granted'))?.currentHealthy === 2);
    await fixture.advance(125_000);
    await fixture.until('counted again', async () => (await statusOf('granted'))?.currentHealthy === 3);
  });
});
