import { describe, expect, it } from 'vitest';
import { createTestContext } from '../kernel/index.ts';
import { Client } from './client.ts';
import { createCoreEventRecorder } from './core-event-recorder.ts';
import { createEventsV1Recorder } from './events-v1-recorder.ts';
import type { ApiObject } from './resource.ts';
import { FakeApiServer } from './testing/fake-api-server.ts';

const pod: ApiObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'u1', resourceVersion: '7' },
};

function setUp() {
  const ctx = createTestContext({ startTime: Date.UTC(2026, 0, 1) });
  const server = new FakeApiServer({ clock: ctx.clock, random: ctx.random.fork('server') });
  return { ctx, server, client: new Client({ transport: server, clock: ctx.clock }) };
}

describe('core event recorder', () => {
  function start() {
    const all = setUp();
    const recorder = createCoreEventRecorder(all.ctx, all.client, { component: 'kubelet', host: 'n1' });
    const running = recorder.run(all.ctx.signal);
    const events = () => [...all.server.objects('/api/v1/events').values()];
    return { ...all, recorder, running, events };
  }

  it('writes an event as upstream does', async () => {
    const { ctx, recorder, running, events } = start();
    recorder.event(pod, 'Normal', 'Pulled', 'Image is there');
    await ctx.clock.settle();
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatchObject({
      metadata: { name: `web.${(BigInt(ctx.clock.now()) * 1_000_000n).toString(16)}`, namespace: 'default' },
      involvedObject: {
        kind: 'Pod',
        apiVersion: 'v1',
        namespace: 'default',
        name: 'web',
        uid: 'u1',
        resourceVersion: '7',
      },
      source: { component: 'kubelet', host: 'n1' },
      reportingComponent: 'kubelet',
      reportingInstance: 'n1',
      firstTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
      type: 'Normal',
      reason: 'Pulled',
    });
    ctx.stop();
    await running;
  });

  it('counts repeated events, also when the event has expired meanwhile', async () => {
    const { ctx, client, recorder, running, events } = start();
    for (let i = 0; i < 3; i++) {
      recorder.event(pod, 'Warning', 'BackOff', 'Back-off restarting');
      await ctx.clock.advance(10_000);
    }
    expect(events()).toHaveLength(1);
    expect(events()[0]).toMatchObject({
      count: 3,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:20Z',
    });
    await client.resource('v1/events').delete({ namespace: 'default', name: events()[0]?.metadata.name ?? '' });
    recorder.event(pod, 'Warning', 'BackOff', 'Back-off restarting');
    await ctx.clock.settle();
    expect(events()[0]).toMatchObject({ count: 4 });
    ctx.stop();
    await running;
  });

  it('combines events that differ only in their message', async () => {
    const { ctx, recorder, running, events } = start();
    for (let i = 1; i <= 12; i++) {
      recorder.event(pod, 'Warning', 'Failed', `attempt ${i}`);
      await ctx.clock.advance(1_000);
    }
    expect(events()).toHaveLength(10);
    expect(events().at(-1)).toMatchObject({ message: '(combined from similar events): attempt 12', count: 3 });
    ctx.stop();
    await running;
  });

  it('limits a flood to an event now and then', async () => {
    const { ctx, server, recorder, running } = start();
    for (let i = 0; i < 100; i++) recorder.event(pod, 'Warning', `Reason${i}`, 'x');
    await ctx.clock.settle();
    expect(server.requests).toHaveLength(25);
    recorder.event({ ...pod, metadata: { ...pod.metadata, name: 'other', uid: 'u2' } }, 'Warning', 'R', 'x');
    await ctx.clock.advance(300_000);
    expect(server.requests).toHaveLength(26);
    recorder.event(pod, 'Warning', 'Later', 'x');
    await ctx.clock.settle();
    expect(server.requests).toHaveLength(27);
    ctx.stop();
    await running;
  });

  it('keeps events while the server is unavailable, without counting them twice, and drops refused ones', async () => {
    const { ctx, server, recorder, running, events } = start();
    server.fault = () => 'refuse';
    recorder.event(pod, 'Normal', 'A', 'x');
    recorder.event(pod, 'Normal', 'A', 'x');
    await ctx.clock.advance(25_000);
    server.fault = () => 'unavailable';
    await ctx.clock.advance(10_000);
    server.fault = () => undefined;
    recorder.event({ metadata: { name: 'nameless kind' } }, 'Normal', 'A', 'x');
    recorder.event(pod, 'Normal', 'B', 'x');
    await ctx.clock.advance(15_000);
    expect(events().map((event) => [event['reason'], event['count']])).toEqual([['B', 1]]);
    expect(ctx.logLines.join('\n')).toContain('Server rejected event');
    expect(ctx.logLines.join('\n')).toContain('Could not construct reference');
    ctx.stop();
    await running;
    expect(ctx.clock.pendingTimers).toBe(0);
  });
});

describe('events.k8s.io recorder', () => {
  it('creates a series for repeated events, writes it rarely, and ends it', async () => {
    const { ctx, server, client } = setUp();
    const recorder = createEventsV1Recorder(ctx, client, {
      controller: 'default-scheduler',
      instance: 'default-scheduler-n1',
    });
    const running = recorder.run(ctx.signal);
    const event = () => [...server.objects('/apis/events.k8s.io/v1/events').values()][0];
    recorder.event(pod, 'Warning', 'FailedScheduling', '0/1 nodes are available', { action: 'Scheduling' });
    await ctx.clock.settle();
    expect(event()).toMatchObject({
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'default-scheduler',
      action: 'Scheduling',
      regarding: { name: 'web' },
      note: '0/1 nodes are available',
    });
    expect(event()).not.toHaveProperty('series');
    for (let i = 0; i < 5; i++) {
      await ctx.clock.advance(1_000);
      recorder.event(pod, 'Warning', 'FailedScheduling', '0/1 nodes are available', { action: 'Scheduling' });
    }
    await ctx.clock.settle();
    expect(event()?.['series']).toEqual({ count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' });
    await ctx.clock.advance(13 * 60_000);
    expect(event()?.['series']).toEqual({ count: 6, lastObservedTime: '2026-01-01T00:00:05.000000Z' });
    expect(server.requests).toHaveLength(3);
    ctx.stop();
    await running;
    expect(ctx.clock.pendingTimers).toBe(0);
  });
});
