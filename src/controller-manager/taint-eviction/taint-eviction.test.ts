import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Taint, Toleration } from '../../api/generated/core-v1.ts';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';
import { toleratedSeconds } from './taint-eviction.ts';

const taint = (key: string, value?: string): Taint => ({ key, value, effect: 'NoExecute' });

describe('toleratedSeconds', () => {
  it.each<[string, Taint[], Toleration[], number]>([
    ['no taint', [], [], Infinity],
    ['no toleration', [taint('a')], [], 0],
    ['another key', [taint('a')], [{ key: 'b', operator: 'Exists' }], 0],
    ['another effect', [taint('a')], [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }], 0],
    ['for ever', [taint('a')], [{ key: 'a', operator: 'Exists' }], Infinity],
    ['everything', [taint('a'), taint('b', 'x')], [{ operator: 'Exists' }], Infinity],
    ['the value', [taint('a', 'x')], [{ key: 'a', value: 'x', tolerationSeconds: 5 }], 5],
    ['another value', [taint('a', 'x')], [{ key: 'a', operator: 'Equal', value: 'y' }], 0],
    ['one of two', [taint('a'), taint('b')], [{ key: 'a', operator: 'Exists' }], 0],
    [
      'the shortest',
      [taint('a'), taint('b')],
      [
        { key: 'a', operator: 'Exists', tolerationSeconds: 9 },
        { key: 'b', operator: 'Exists', tolerationSeconds: 3 },
      ],
      3,
    ],
    ['a negative time', [taint('a')], [{ key: 'a', operator: 'Exists', tolerationSeconds: -4 }], 0],
  ])('%s', (_, taints, tolerations, seconds) => expect(toleratedSeconds(taints, tolerations)).toBe(seconds));
});

describe('taint-eviction-controller', () => {
  let fixture: ControllerFixture;
  beforeAll(async () => {
    fixture = await startFixture({ controllers: ['taint-eviction-controller'] });
    await fixture.start();
  });
  afterAll(() => fixture.stop());

  const pods = () => fixture.client.resource('v1/pods');
  const makeNode = (name: string) => fixture.client.resource('v1/nodes').create({ metadata: { name } });
  const setTaints = (name: string, ...taints: Taint[]) =>
    fixture.client.resource('v1/nodes').patch({ name }, { spec: { taints } }, { type: 'merge' });
  const makePod = (name: string, nodeName: string, ...tolerations: Toleration[]) =>
    pods().create({
      metadata: { name, namespace: 'default' },
      spec: { nodeName, terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }], tolerations },
    });
  const isGone = async (name: string) =>
    !(await pods().list({ namespace: 'default' })).items.some((pod) => pod.metadata.name === name);

  it('evicts pods without a toleration at once, others after tolerationSeconds or never', async () => {
    await makeNode('n');
    await makePod('now', 'n');
    await makePod('later', 'n', { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 });
    await makePod('never', 'n', { key: 'k', operator: 'Exists' });
    await setTaints('n', taint('k'));
    await fixture.advance(1_000);
    expect(await isGone('now')).toBe(true);
    await fixture.advance(58_000);
    expect(await isGone('later')).toBe(false);
    await fixture.advance(2_000);
    expect(await isGone('later')).toBe(true);
    await fixture.advance(600_000);
    expect(await isGone('never')).toBe(false);
  });

  it('keeps a pod when the taint is removed in time', async () => {
    await makeNode('back');
    await makePod('spared', 'back', { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 });
    await setTaints('back', taint('k'));
    await fixture.advance(30_000);
    await setTaints('back');
    await fixture.advance(600_000);
    expect(await isGone('spared')).toBe(false);
    const { items } = await fixture.client
      .resource('v1/events')
      .list({ namespace: 'default', fieldSelector: 'involvedObject.name=spared' });
    expect(items.map(({ reason, message }) => [reason, message])).toEqual([
      ['TaintManagerEviction', 'Cancelling deletion of Pod default/spared'],
    ]);
  });

  it('sets a condition with the reason before the pod is deleted', async () => {
    await makeNode('held');
    await pods().create({
      metadata: { name: 'held', namespace: 'default', finalizers: ['example.com/hold'] },
      spec: { nodeName: 'held', containers: [{ name: 'c', image: 'i' }] },
    });
    await setTaints('held', taint('k'));
    await fixture.advance(1_000);
    const pod = await pods().get({ namespace: 'default', name: 'held' });
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    expect(pod.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      }),
    );
  });

  it('ends the same wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      async arrange(name) {
        await makeNode(name);
        await makePod(name, name);
        await setTaints(name, taint('k'));
      },
      converged: isGone,
    });
    expect(kills).toBe(4);
  });
});
