import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from '../testing/index.ts';
import { Explanations, type Attempt } from './explanations.ts';

describe('explanations', () => {
  let fixture: SchedulerFixture;

  beforeEach(async () => {
    fixture = await startSchedulerFixture();
    await fixture.start();
  });
  afterEach(() => fixture.stop());

  it('explains for every node which plugin rejected it, and what would help', async () => {
    await fixture.createNode(makeNode('small').allocatable({ cpu: '1' }));
    await fixture.createNode(
      makeNode('tainted').allocatable({ cpu: '8' }).taint({ key: 'gpu', value: 'yes', effect: 'NoSchedule' }),
    );
    await fixture.createNode(makeNode('cordoned').allocatable({ cpu: '8' }).unschedulable());
    await fixture.createPod(makePod('p').requests({ cpu: '2' }));
    await fixture.turnedDown('p');
    const explanation = fixture.explanations.explanationOf('default/p')!;
    expect(explanation).toMatchObject({ outcome: 'unschedulable', feasibleNodes: 0, totalNodes: 3, node: '' });
    const failing = explanation.nodes.map(({ node, filters }) => [
      node,
      ...filters.filter((f) => f.result === 'fail').map((f) => `${f.plugin}: ${f.reasons?.join()}`),
    ]);
    expect(failing).toEqual([
      ['cordoned', 'NodeUnschedulable: node(s) were unschedulable'],
      ['small', 'NodeResourcesFit: Insufficient cpu'],
      ['tainted', 'TaintToleration: node(s) had untolerated taint(s)'],
    ]);
    const small = explanation.nodes.find((n) => n.node === 'small')!.filters.map((f) => f.result);
    expect(small.slice(0, small.indexOf('fail')).every((r) => r === 'pass')).toBe(true);
    expect([...explanation.whatWouldHelp].sort()).toEqual([
      'a toleration of the taint gpu=yes:NoSchedule, or its removal from node tainted',
      'request at most 1000m cpu (2000m is requested; the whole node has 1000m) on node small, which needs the least',
      'uncordon node cordoned',
    ]);
  });

  it('explains the chosen node by weighted scores', async () => {
    await fixture.createNode(makeNode('busy'));
    await fixture.createNode(makeNode('free').label('disk', 'ssd'));
    await fixture.createPod(
      makePod('p')
        .requests({ cpu: '100m', memory: '100Mi' })
        .spec({
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                { weight: 5, preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] } },
              ],
            },
          },
        }),
    );
    expect(await fixture.placed('p')).toBe('free');
    const explanation = fixture.explanations.explanationOf((await fixture.pod('p')).metadata.uid!)!;
    const [won, lost] = explanation.nodes;
    expect(won).toMatchObject({ node: 'free', fits: true, scores: { NodeAffinity: 200 } });
    expect(lost).toMatchObject({ node: 'busy', fits: true, scores: { NodeAffinity: 0 } });
    expect(won!.total! - lost!.total!).toBe(200);
    expect(explanation.whatWouldHelp).toEqual([]);
  });
});

describe('the ring', () => {
  const attempt = (i: number, nodes = 4): Attempt => ({
    uid: `uid-${i}`,
    namespace: 'default',
    name: `p${i}`,
    schedulerName: 's',
    attempt: 1,
    at: 0,
    durationMs: 0,
    outcome: 'unschedulable',
    nodeName: '',
    message: '',
    nodeNames: [],
    codes: new Uint16Array(nodes),
    statuses: [],
    filters: [],
    scored: [],
    preFilter: undefined,
  });

  it('drops the oldest when there are too many', () => {
    const explanations = new Explanations({ maxAttempts: 10 });
    for (let i = 0; i < 1000; i++) explanations.record(attempt(i));
    expect(explanations.size).toBe(10);
    expect(explanations.explanationOf('default/p989')).toBeUndefined();
    expect(explanations.explanationOf('default/p999')).toBeDefined();
    expect(explanations.recent(3).map((e) => e.pod.name)).toEqual(['p999', 'p998', 'p997']);
  });

  it('drops the oldest when they use too much memory', () => {
    const explanations = new Explanations({ maxBytes: 100_000 });
    for (let i = 0; i < 100; i++) explanations.record(attempt(i, 5_000));
    expect(explanations.size).toBeLessThanOrEqual(10);
    expect(explanations.explanationOf('uid-99')).toBeDefined();
  });
});
