import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DaemonSet } from '../../api/generated/apps-v1.ts';
import type { Pod } from '../../api/generated/core-v1.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';
import { TestKubelet } from '../testing/pods.ts';
import { nodeOf } from './daemon-pod.ts';

let fixture: ControllerFixture;
let kubelet: TestKubelet;
const namespace = 'default';

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['daemonset-controller'] });
  kubelet = new TestKubelet(fixture.client, namespace);
  for (const name of ['n1', 'n2', 'n3']) await nodes().create({ metadata: { name, labels: { pool: 'a' } } });
  /** What the node controller would take away once a node is ready. */
  for (const name of ['n1', 'n2', 'n3']) await nodes().patch({ name }, { spec: { taints: null } }, { type: 'merge' });
});
afterAll(() => fixture.stop());

const nodes = () => fixture.client.resource('v1/nodes');
const sets = () => fixture.client.resource('apps/v1/daemonsets');
const statusOf = async (name: string) => (await sets().get({ namespace, name })).status;
const podsOf = (name: string, more = '') => kubelet.list(`app=${name}${more}`);
const placed = (pods: Pod[]): string[] => pods.map((pod) => nodeOf(pod) ?? '').sort();
const revisionsOf = async (app: string) =>
  (await fixture.client.resource('apps/v1/controllerrevisions').list({ namespace, labelSelector: `app=${app}` })).items;

const make = (name: string, spec: Partial<DaemonSet['spec']> = {}) =>
  sets().create({
    metadata: { name, namespace },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name, v: '1' } },
        spec: {
          terminationGracePeriodSeconds: 0,
          nodeSelector: { pool: 'a' },
          containers: [{ name: 'c', image: 'i' }],
        },
      },
      ...spec,
    },
  });
const setVersion = (name: string, v: string) =>
  sets().patch({ namespace, name }, { spec: { template: { metadata: { labels: { v } } } } }, { type: 'merge' });

async function rolledOut(name: string, v: string, count = 3): Promise<boolean> {
  await kubelet.startAll(`app=${name}`);
  const status = await statusOf(name);
  return (
    status?.numberAvailable === count &&
    status.updatedNumberScheduled === count &&
    (await podsOf(name, `,v=${v}`)).length === count
  );
}

describe('daemonset-controller', () => {
  it('puts one pod on each node, counts them and is then at rest', async () => {
    await fixture.start();
    await make('d');
    await fixture.until('rolled out', () => rolledOut('d', '1'));
    expect(placed(await podsOf('d'))).toEqual(['n1', 'n2', 'n3']);
    expect(await statusOf('d')).toEqual({
      currentNumberScheduled: 3,
      desiredNumberScheduled: 3,
      numberMisscheduled: 0,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
      observedGeneration: 1,
    });
    const before = fixture.writes.length;
    await fixture.advance(600_000);
    expect(fixture.writes.slice(before)).toEqual([]);
  });

  it('follows labels and taints of nodes', async () => {
    await fixture.start();
    await make('follow');
    await fixture.until('three', async () => (await podsOf('follow')).length === 3);
    await nodes().patch({ name: 'n2' }, { metadata: { labels: { pool: 'b' } } }, { type: 'merge' });
    await fixture.until('two', async () => (await podsOf('follow')).length === 2);
    await nodes().patch(
      { name: 'n2' },
      { metadata: { labels: { pool: 'a' } }, spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } },
      { type: 'merge' },
    );
    await fixture.advance(1000);
    expect(placed(await podsOf('follow'))).toEqual(['n1', 'n3']);
    await nodes().patch({ name: 'n2' }, { spec: { taints: null } }, { type: 'merge' });
    await fixture.until('three again', async () => (await podsOf('follow')).length === 3);
    await fixture.until('both are whole again', () => rolledOut('d', '1'));
  });

  it('replaces one pod at a time, and rolls back without replacing current pods', async () => {
    await fixture.start();
    await make('roll');
    await fixture.until('first', () => rolledOut('roll', '1'));
    await setVersion('roll', '2');
    await fixture.until('one replaced', async () => (await podsOf('roll', ',v=2')).length === 1);
    await fixture.advance(5000);
    expect(await podsOf('roll', ',v=1')).toHaveLength(2);
    const good = (await podsOf('roll', ',v=1')).map((pod) => pod.metadata.uid ?? '').sort((a, b) => a.localeCompare(b));
    await setVersion('roll', '1');
    await fixture.until('back', () => rolledOut('roll', '1'));
    expect((await podsOf('roll')).map((pod) => pod.metadata.uid)).toEqual(expect.arrayContaining(good));
    expect((await revisionsOf('roll')).map(({ revision }) => revision).sort((a, b) => a - b)).toEqual([2, 3]);
  });

  it('surges: the old pod stays until the new one is available', async () => {
    await fixture.start();
    await make('surge', {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    await fixture.until('first', () => rolledOut('surge', '1'));
    /** Which of two pods is the older is told by the second. */
    await fixture.advance(2000);
    await setVersion('surge', '2');
    await fixture.until('beside', async () => (await podsOf('surge')).length === 4);
    await fixture.until('second', async () => {
      expect((await statusOf('surge'))?.numberAvailable).toBe(3);
      return rolledOut('surge', '2');
    });
  });

  it('replaces a failed pod, and waits longer each time', async () => {
    await fixture.start();
    await make('fails', {
      template: {
        metadata: { labels: { app: 'fails' } },
        spec: { terminationGracePeriodSeconds: 0, nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
      },
    });
    const fail = async (): Promise<void> => {
      await fixture.until('pod', async () =>
        (await podsOf('fails')).some((pod) => pod.status?.phase === 'Pending' && !pod.metadata.deletionTimestamp),
      );
      await kubelet.setStatus((await podsOf('fails'))[0]!.metadata.name!, { phase: 'Failed' });
      await fixture.until('gone', async () => (await podsOf('fails')).every((pod) => pod.status?.phase !== 'Failed'));
    };
    await fail();
    const before = fixture.clock.monotonic();
    await fail();
    expect(fixture.clock.monotonic() - before).toBeGreaterThan(900);
  });

  it('reaches the same end when killed at any write', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => {
        await sets().deleteCollection({ namespace });
        await fixture.client.resource('v1/pods').deleteCollection({ namespace });
        await make(name);
      },
      converged: (name) => rolledOut(name, '1'),
    });
    expect(kills).toBeGreaterThan(8);
  });
});
