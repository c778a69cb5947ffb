import { beforeEach, describe, expect, it } from 'vitest';
import { createTestContext, type TestContext } from '../../kernel/index.ts';
import { Cache } from '../cache/cache.ts';
import { PodInfo } from '../cache/pod-info.ts';
import { Action, ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE, event } from '../framework/cluster-event.ts';
import type { Profile } from '../framework/profile.ts';
import { schedulerMetrics } from '../metrics.ts';
import { makeNode, makePod, testProfile } from '../testing/index.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

let ctx: TestContext;
let queue: SchedulingQueue;
const profile: Profile = testProfile(new Cache());

beforeEach(() => {
  ctx = createTestContext();
  queue = new SchedulingQueue(
    {
      clock: ctx.clock,
      initialBackoffMs: 1000,
      maxBackoffMs: 10_000,
      maxInUnschedulableMs: 300_000,
      metrics: schedulerMetrics(ctx.metrics),
      profileOf: () => profile,
    },
    (a, b) => a.pod.priority > b.pod.priority || (a.pod.priority === b.pod.priority && a.timestamp < b.timestamp),
  );
  queue.start();
});

const pod = (name: string, cpu = '1', priority = 0): PodInfo =>
  new PodInfo(makePod(name).uid(name).requests({ cpu }).priority(priority).obj());
const popped = (): string | undefined => queue.pop()?.pod.name;
const turnDown = (by: string, failed = false): void => {
  const queued = queue.pop()!;
  queue.addUnschedulable(queued, { rejectors: new Set(by ? [by] : []), pendingRejectors: new Set(), failed });
};
const NODE_ADD = event('Node', Action.Add, 'NodeAdd');

describe('the queue', () => {
  it('orders by priority, then by time', () => {
    for (const [name, priority] of [
      ['a', 0],
      ['b', 5],
      ['c', 0],
      ['d', 5],
    ] as const) {
      queue.add(pod(name, '1', priority));
    }
    expect([popped(), popped(), popped(), popped(), popped()]).toEqual(['b', 'd', 'a', 'c', undefined]);
  });

  it('tries a pod again only for events that can help', () => {
    queue.add(pod('p', '2'));
    turnDown('NodeResourcesFit');
    queue.moveAllToActiveOrBackoff(ASSIGNED_POD_ADD, undefined, pod('other').pod);
    queue.moveAllToActiveOrBackoff(
      event('Node', Action.UpdateNodeLabel, 'NodeUpdate'),
      makeNode('n').obj(),
      makeNode('n').label('a', 'b').obj(),
    );
    queue.moveAllToActiveOrBackoff(NODE_ADD, undefined, makeNode('small').allocatable({ cpu: '1' }).obj());
    expect(queue.counts).toMatchObject({ active: 0, backoff: 0, unschedulable: 1 });
    queue.moveAllToActiveOrBackoff(NODE_ADD, undefined, makeNode('large').allocatable({ cpu: '2' }).obj());
    expect(queue.counts).toMatchObject({ backoff: 1, unschedulable: 0 });
  });

  it('pops pods in backoff when no other pod waits, and others first otherwise', () => {
    queue.add(pod('p'));
    turnDown('NodeResourcesFit');
    queue.moveAllToActiveOrBackoff(ASSIGNED_POD_DELETE, pod('gone').pod, undefined);
    queue.add(pod('fresh'));
    expect([popped(), popped()]).toEqual(['fresh', 'p']);
  });

  it('backs off longer after each failure, up to a limit', async () => {
    queue.add(pod('p'));
    for (const seconds of [1, 2, 4, 8, 10, 10]) {
      turnDown('', true);
      expect(queue.counts.backoff).toBe(1);
      await ctx.clock.advance(seconds * 1000 - 1);
      expect(queue.counts.active).toBe(0);
      await ctx.clock.advance(1);
      expect(queue.counts.active).toBe(1);
    }
  });

  it('does not miss events while a pod is being scheduled', () => {
    queue.add(pod('p'));
    const queued = queue.pop()!;
    queue.moveAllToActiveOrBackoff(ASSIGNED_POD_DELETE, pod('gone').pod, undefined);
    queue.addUnschedulable(queued, {
      rejectors: new Set(['NodeResourcesFit']),
      pendingRejectors: new Set(),
      failed: false,
    });
    expect(queue.counts).toMatchObject({ unschedulable: 0, backoff: 1 });
  });

  it('retries pods after five minutes', async () => {
    queue.add(pod('p'));
    turnDown('NodeResourcesFit');
    await ctx.clock.advance(299_000);
    expect(queue.counts.unschedulable).toBe(1);
    await ctx.clock.advance(40_000);
    expect(queue.counts).toMatchObject({ active: 1, unschedulable: 0 });
  });

  it('forgets deleted pods wherever they are', () => {
    for (const name of ['a', 'b', 'c']) queue.add(pod(name));
    turnDown('NodeResourcesFit');
    const inFlight = queue.pop()!;
    for (const name of ['a', 'b', 'c']) queue.delete(name);
    queue.addUnschedulable(inFlight, {
      rejectors: new Set(['NodeResourcesFit']),
      pendingRejectors: new Set(),
      failed: false,
    });
    expect(queue.counts).toEqual({ active: 0, backoff: 0, unschedulable: 0, inFlight: 0 });
    expect(popped()).toBeUndefined();
  });

  it('keeps gated pods until the last gate is removed', () => {
    const gated = makePod('g')
      .uid('g')
      .spec({ schedulingGates: [{ name: 'x' }] })
      .obj();
    queue.add(new PodInfo(gated));
    queue.moveAllToActiveOrBackoff(NODE_ADD, undefined, makeNode('n').obj());
    expect(popped()).toBeUndefined();
    queue.update(gated, makePod('g').uid('g').obj());
    expect(popped()).toBe('g');
  });

  it('runs the hint once for ten thousand equal pods', () => {
    for (let i = 0; i < 10_000; i++) queue.add(pod(`p${i}`, '400'));
    for (let i = 0; i < 10_000; i++) turnDown('NodeResourcesFit');
    const started = process.cpuUsage();
    const gone = makePod('gone').requests({ memory: '1Gi' }).obj();
    for (let i = 0; i < 2_000; i++) queue.moveAllToActiveOrBackoff(ASSIGNED_POD_DELETE, gone, undefined);
    for (let i = 0; i < 2_000; i++) queue.moveAllToActiveOrBackoff(NODE_ADD, undefined, makeNode('n').obj());
    expect(queue.counts.unschedulable).toBe(10_000);
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(5);
  });
});
