import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCoreEventRecorder, InformerFactory } from '../../client/index.ts';
import { childContext, RunGroup } from '../../kernel/index.ts';
import { DEFAULT_CONFIG } from '../config.ts';
import { DiscoveredResources } from '../discovered-resources.ts';
import { startFixture, type ControllerFixture } from '../testing/index.ts';
import type { MetricsClient } from './metrics-client.ts';
import { autoscalerLoop } from './podautoscaler.ts';

let fixture: ControllerFixture;
let running: Promise<void>;
const stop = new AbortController();
const namespace = 'default';
/** In percent of a CPU. */
let load = 100;

const metrics: MetricsClient = {
  async resource({ selector }) {
    const { items } = await fixture.client.resource('v1/pods').list({ namespace, labelSelector: selector });
    return { milliByPod: new Map(items.map((pod) => [pod.metadata.name ?? '', (load * 10) / items.length])) };
  },
  pods: () => Promise.reject(new Error('no pods metrics')),
  object: () => Promise.reject(new Error('no object metrics')),
  external: () => Promise.reject(new Error('no external metrics')),
};

beforeAll(async () => {
  fixture = await startFixture({ controllers: ['replicaset-controller'] });
  await fixture.start();
  const ctx = childContext(fixture.server.ctx, 'autoscaler', AbortSignal.any([fixture.server.ctx.signal, stop.signal]));
  const { client } = fixture;
  const informers = new InformerFactory(ctx, { client });
  const loop = autoscalerLoop(
    {
      ...ctx,
      client,
      informers,
      discovered: new DiscoveredResources(ctx, { client, informers }),
      recorder: createCoreEventRecorder(ctx, client, { component: 'test' }),
      config: DEFAULT_CONFIG,
    },
    metrics,
  );
  const group = new RunGroup(ctx);
  group.start('informers', () => informers.run());
  group.start('autoscaler', async () => {
    await informers.waitForSync();
    await loop();
  });
  running = group.wait().catch(() => {});
});
afterAll(async () => {
  stop.abort(new Error('stopped'));
  await running;
  await fixture.stop();
});

const sets = () => fixture.client.resource('apps/v1/replicasets');
const autoscalers = () => fixture.client.resource('autoscaling/v2/horizontalpodautoscalers');
const sizeOf = async (name: string) => (await sets().get({ namespace, name })).spec?.replicas;

async function startPods(): Promise<void> {
  for (const { metadata, status } of (await fixture.client.resource('v1/pods').list({ namespace })).items) {
    if (status?.phase !== 'Pending') continue;
    await fixture.client.resource('v1/pods').patch(
      { namespace, name: metadata.name! },
      {
        status: {
          phase: 'Running',
          startTime: '2025-01-01T00:00:00Z',
          conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:01:00Z' }],
        },
      },
      { type: 'merge', subresource: 'status' },
    );
  }
}

describe('horizontal-pod-autoscaler-controller', () => {
  it('follows the load up at once and down after the window', async () => {
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m' } } }],
      },
    };
    await sets().create({
      metadata: { name: 'a', namespace },
      spec: { replicas: 2, selector: { matchLabels: { app: 'a' } }, template },
    });
    await fixture.advance(1000);
    await startPods();
    await autoscalers().create({
      metadata: { name: 'a', namespace },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a' },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    });
    await fixture.advance(20_000);
    expect(await sizeOf('a')).toBe(4);
    await startPods();
    load = 25;
    await fixture.advance(60_000);
    expect(await sizeOf('a')).toBe(4);
    await fixture.advance(300_000);
    expect(await sizeOf('a')).toBe(1);
    const { status } = await autoscalers().get({ namespace, name: 'a' });
    expect(status).toMatchObject({
      currentReplicas: 1,
      desiredReplicas: 1,
      currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50 } } }],
    });
    expect(status?.conditions?.map(({ type, status: value, reason }) => [type, value, reason])).toEqual([
      ['AbleToScale', 'True', 'ReadyForNewScale'],
      ['ScalingActive', 'True', 'ValidMetricFound'],
      ['ScalingLimited', 'False', 'DesiredWithinRange'],
    ]);
  });

  it('does not scale down at once after a start, and writes nothing while it waits', async () => {
    const template = {
      metadata: { labels: { app: 'b' } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m' } } }],
      },
    };
    await sets().create({
      metadata: { name: 'b', namespace },
      spec: { replicas: 3, selector: { matchLabels: { app: 'b' } }, template },
    });
    await fixture.advance(1000);
    await startPods();
    load = 25;
    await autoscalers().create({
      metadata: { name: 'b', namespace },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'b' },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
      },
    });
    await fixture.advance(30_000);
    const { metadata, status } = await autoscalers().get({ namespace, name: 'b' });
    expect(status?.conditions?.[0]).toMatchObject({ type: 'AbleToScale', reason: 'ScaleDownStabilized' });
    await fixture.advance(240_000);
    expect([await sizeOf('b'), (await autoscalers().get({ namespace, name: 'b' })).metadata.resourceVersion]).toEqual([
      3,
      metadata.resourceVersion,
    ]);
    await fixture.advance(60_000);
    expect(await sizeOf('b')).toBe(1);
  });

  it('reports that the target or its metrics are missing', async () => {
    const metric = { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } };
    await autoscalers().create({
      metadata: { name: 'lost', namespace },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'lost' },
        maxReplicas: 2,
        metrics: [metric],
      },
    });
    await autoscalers().create({
      metadata: { name: 'blind', namespace },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a' },
        maxReplicas: 2,
        metrics: [metric],
      },
    });
    await fixture.advance(20_000);
    const conditions = async (name: string) =>
      (await autoscalers().get({ namespace, name })).status?.conditions?.map(({ type, status, reason }) => [
        type,
        status,
        reason,
      ]);
    expect(await conditions('lost')).toEqual([['AbleToScale', 'False', 'FailedGetScale']]);
    expect(await conditions('blind')).toEqual([
      ['AbleToScale', 'True', 'SucceededGetScale'],
      ['ScalingActive', 'False', 'FailedGetExternalMetric'],
    ]);
  });
});
