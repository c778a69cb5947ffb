import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PodInfo } from '../../cache/pod-info.ts';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from '../../testing/index.ts';
import { splitByBudgets } from './pod-disruption-budgets.ts';
import { harmOf, pickNode, type Victims } from './victims.ts';

describe('pickNode', () => {
  const victims = (name: string, pods: { priority: number; startTime?: string }[], numPdbViolations = 0): Victims => {
    const infos = pods.map(
      ({ priority, startTime }, i) =>
        new PodInfo({
          ...makePod(`${name}-${i}`).priority(priority).obj(),
          status: { ...(startTime ? { startTime } : {}) },
        }),
    );
    return { node: { name } as Victims['node'], pods: infos, numPdbViolations, harm: harmOf(infos, numPdbViolations) };
  };

  it.each([
    ['fewer broken budgets', [victims('a', [{ priority: 1 }], 1), victims('b', [{ priority: 9 }])], 'b'],
    [
      'a lower highest priority',
      [victims('a', [{ priority: 5 }]), victims('b', [{ priority: 4 }, { priority: 4 }])],
      'b',
    ],
    [
      'a smaller sum of priorities',
      [victims('a', [{ priority: 5 }, { priority: 3 }]), victims('b', [{ priority: 5 }, { priority: 2 }])],
      'b',
    ],
    [
      'fewer victims',
      [victims('a', [{ priority: 5 }, { priority: -(2 ** 31) }]), victims('b', [{ priority: 5 }])],
      'b',
    ],
    [
      'the most important started last',
      [
        victims('a', [{ priority: 5, startTime: '2026-01-01T00:00:00Z' }]),
        victims('b', [{ priority: 5, startTime: '2026-01-02T00:00:00Z' }]),
      ],
      'b',
    ],
    ['the first of equals', [victims('a', [{ priority: 5 }]), victims('b', [{ priority: 5 }])], 'a'],
  ])('%s', (_name, candidates, chosen) => {
    expect(pickNode(candidates)?.node.name).toBe(chosen);
  });
});

describe('splitByBudgets', () => {
  it('allows as many victims as the budget, and pods whose eviction is granted', () => {
    const pods = ['a', 'b', 'c', 'd'].map((name) => new PodInfo(makePod(name).label('app', 'x').uid(name).obj()));
    const budget = {
      metadata: { namespace: 'default', name: 'x' },
      spec: { selector: { matchLabels: { app: 'x' } } },
      status: {
        disruptionsAllowed: 1,
        currentHealthy: 3,
        desiredHealthy: 2,
        expectedPods: 3,
        disruptedPods: { b: '2026-01-01T00:00:00Z' },
      },
    };
    const { violating, others } = splitByBudgets(pods, [budget]);
    expect(others.map((p) => p.name)).toEqual(['a', 'b']);
    expect(violating.map((p) => p.name)).toEqual(['c', 'd']);
  });
});

describe('preemption', () => {
  let fixture: SchedulerFixture;

  beforeEach(async () => {
    fixture = await startSchedulerFixture();
    await fixture.client
      .resource('scheduling.k8s.io/v1/priorityclasses')
      .create({ metadata: { name: 'high' }, value: 1000 });
    await fixture.client
      .resource('scheduling.k8s.io/v1/priorityclasses')
      .create({ metadata: { name: 'polite' }, value: 1000, preemptionPolicy: 'Never' });
    await fixture.start();
  });
  afterEach(() => fixture.stop());

  const filler = (name: string, cpu: string) =>
    makePod(name).requests({ cpu }).spec({ terminationGracePeriodSeconds: 0 });

  it('keeps the node for the pod while victims go one after the other', async () => {
    await fixture.createNode(makeNode('n').allocatable({ cpu: '4' }));
    const slow = (name: string) => makePod(name).requests({ cpu: '2' }).spec({ terminationGracePeriodSeconds: 600 });
    for (const name of ['a', 'b']) await fixture.createPod(slow(name));
    await fixture.placed('a');
    await fixture.placed('b');
    await fixture.createPod(makePod('vip').requests({ cpu: '4' }).spec({ priorityClassName: 'high' }));
    const pods = fixture.client.resource('v1/pods');
    const get = (name: string) => pods.get({ namespace: 'default', name });
    await fixture.until('both are victims', async () =>
      (await Promise.all([get('a'), get('b')])).every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    );
    await pods.delete({ namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 });
    await fixture.createPod(filler('late', '2'));
    await fixture.until('both were tried', async () =>
      (await Promise.all([get('vip'), get('late')])).every(
        ({ status }) => status?.conditions?.find(({ type }) => type === 'PodScheduled')?.status === 'False',
      ),
    );
    await fixture.advance(5000);
    expect([(await get('vip')).status?.nominatedNodeName, (await get('late')).spec?.nodeName]).toEqual([
      'n',
      undefined,
    ]);
    await pods.delete({ namespace: 'default', name: 'b' }, { gracePeriodSeconds: 0 });
    expect(await fixture.placed('vip')).toBe('n');
  });

  it('deletes no more than needed, nominates the node, and records events for the victims', async () => {
    await fixture.createNode(makeNode('n').allocatable({ cpu: '4' }));
    for (const name of ['a', 'b']) await fixture.createPod(filler(name, '2'));
    await fixture.placed('a');
    await fixture.placed('b');
    await fixture.createPod(makePod('vip').requests({ cpu: '2' }).spec({ priorityClassName: 'high' }));
    expect(await fixture.placed('vip')).toBe('n');
    const left = (await fixture.client.resource('v1/pods').list({ namespace: 'default' })).items.map(
      (p) => p.metadata.name,
    );
    expect(left).toHaveLength(2);
    expect(left).toContain('vip');
    await fixture.until('there is an event', async () =>
      (await fixture.client.resource('events.k8s.io/v1/events').list({ namespace: 'default' })).items.some(
        (e) => e.reason === 'Preempted',
      ),
    );
  });

  it('does not happen for the polite', async () => {
    await fixture.createNode(makeNode('n').allocatable({ cpu: '1' }));
    await fixture.createPod(filler('a', '1'));
    await fixture.placed('a');
    await fixture.createPod(makePod('polite').requests({ cpu: '1' }).spec({ priorityClassName: 'polite' }));
    expect(await fixture.turnedDown('polite')).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
    );
  });
});
