import { afterEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../apiserver/testing/index.ts';
import { Client } from '../client/index.ts';
import { inProcessTransport } from '../cluster/in-process-transport.ts';
import { childContext } from '../kernel/index.ts';
import { parseResourceMetrics } from './parse-resource-metrics.ts';
import { run, type MetricsServerOptions } from './run.ts';
import { Samples } from './samples.ts';

const labels = '{container="c",namespace="default",pod="p"}';

describe('parseResourceMetrics', () => {
  it('reads nodes and containers, with or without times', () => {
    const text = `# TYPE node_cpu_usage_seconds_total counter
node_cpu_usage_seconds_total 12.5 1000
node_memory_working_set_bytes 2.048e+03 1000
container_cpu_usage_seconds_total{container="c",namespace="default",pod="p"} 1.5 900
container_memory_working_set_bytes{container="c",namespace="default",pod="p"} 1024
container_cpu_usage_seconds_total{container="",namespace="default",pod="p"} 9
container_cpu_usage_seconds_total{container="half",namespace="default",pod="p"} 9
nonsense
pod_cpu_usage_seconds_total{namespace="default",pod="p"} 3`;
    expect(parseResourceMetrics(text, 5000)).toEqual({
      node: { cpuSeconds: 12.5, memoryBytes: 2048, at: 1000 },
      containers: [{ namespace: 'default', pod: 'p', container: 'c', cpuSeconds: 1.5, memoryBytes: 1024, at: 900 }],
    });
  });
});

describe('Samples', () => {
  const reading = (cpuSeconds: number, at: number) => ({ node: { cpuSeconds, memoryBytes: 100, at }, containers: [] });

  it.each([
    ['one reading', [[1, 0]], undefined],
    [
      'two readings',
      [
        [1, 0],
        [2, 10_000],
      ],
      100_000_000,
    ],
    [
      'the same reading again',
      [
        [1, 0],
        [2, 10_000],
        [2, 10_000],
      ],
      100_000_000,
    ],
    [
      'a counter that started over',
      [
        [50, 0],
        [2, 10_000],
      ],
      200_000_000,
    ],
    [
      'the last two of three',
      [
        [0, 0],
        [100, 10_000],
        [101, 20_000],
      ],
      100_000_000,
    ],
  ] as [string, [number, number][], number | undefined][])('%s', (_, readings, nanocores) => {
    const samples = new Samples();
    for (const [cpu, at] of readings) samples.add('n', reading(cpu, at));
    expect(samples.node('n')?.cpuNanocores).toBe(nanocores);
  });

  it('drops deleted nodes', () => {
    const samples = new Samples();
    samples.add('n', reading(1, 0));
    samples.add('n', reading(2, 10_000));
    samples.keepOnly(new Set(['other']));
    expect(samples.node('n')).toBeUndefined();
  });
});

describe('metrics.k8s.io', () => {
  let server: TestServer;
  let stop: AbortController;
  let running: Promise<void>;
  afterEach(async () => {
    stop.abort(new Error('the test is over'));
    await server.ctx.clock.drive(running);
    await server.stop();
  });

  async function start(): Promise<void> {
    server = await startTestServer();
    const { ctx, pipeline } = server;
    stop = new AbortController();
    const transport = inProcessTransport({
      handle: pipeline.handle,
      user: { name: 'metrics', groups: ['system:masters'] },
      signal: ctx.signal,
    });
    const client = new Client({ transport, clock: ctx.clock });
    const readNode: MetricsServerOptions['readNode'] = ({ metadata }, path) => {
      if (metadata.name !== 'n' || path !== '/metrics/resource')
        return Promise.reject(new Error('the kubelet does not answer'));
      const seconds = ctx.clock.monotonic() / 1000;
      return Promise.resolve(
        `node_cpu_usage_seconds_total ${seconds * 0.5}\nnode_memory_working_set_bytes 2097152\ncontainer_cpu_usage_seconds_total${labels} ${seconds * 0.25}\ncontainer_memory_working_set_bytes${labels} 1000\n`,
      );
    };
    await server.call('POST', '/api/v1/nodes', {
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', labels: { role: 'x' } } },
    });
    await server.call('POST', '/api/v1/nodes', {
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'silent' } },
    });
    await server.call('POST', '/api/v1/namespaces/default/pods', {
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', labels: { app: 'a' } },
        spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
      },
    });
    await server.call('PATCH', '/api/v1/namespaces/default/pods/p/status', {
      body: { status: { phase: 'Running' } },
      contentType: 'application/merge-patch+json',
    });
    running = run(childContext(ctx, 'metrics-server', AbortSignal.any([ctx.signal, stop.signal])), {
      client,
      readNode,
      register: pipeline.registerApi,
    });
  }

  it('reports usage of nodes and pods, by names and selectors, after two readings', async () => {
    await start();
    const root = '/apis/metrics.k8s.io/v1beta1';
    await server.ctx.clock.advance(5_000);
    expect((await server.call('GET', `${root}/nodes`)).body['items']).toEqual([]);
    expect((await server.call('GET', `${root}/nodes/n`)).body).toMatchObject({
      code: 404,
      message: 'nodes.metrics.k8s.io "n" not found',
    });
    await server.ctx.clock.advance(30_000);
    const { body } = await server.call('GET', `${root}/nodes`);
    expect(body).toMatchObject({
      kind: 'NodeMetricsList',
      apiVersion: 'metrics.k8s.io/v1beta1',
      items: [
        {
          metadata: { name: 'n', labels: { role: 'x' } },
          window: '15s',
          usage: { cpu: '500000000n', memory: '2048Ki' },
        },
      ],
    });
    expect((await server.call('GET', `${root}/nodes/n`)).body).toMatchObject({
      kind: 'NodeMetrics',
      usage: { cpu: '500000000n' },
    });
    expect((await server.call('GET', `${root}/namespaces/default/pods/p`)).body).toMatchObject({
      kind: 'PodMetrics',
      metadata: { name: 'p', namespace: 'default', labels: { app: 'a' } },
      containers: [{ name: 'c', usage: { cpu: '250000000n', memory: '1k' } }],
    });
    const names = async (query: string) =>
      ((await server.call('GET', `${root}/pods${query}`)).body['items'] as unknown[]).length;
    expect([
      await names(''),
      await names('?labelSelector=app%3Da'),
      await names('?labelSelector=app%3Db'),
      await names('?fieldSelector=metadata.name%3Dq'),
    ]).toEqual([1, 1, 0, 0]);
    expect((await server.call('DELETE', `${root}/nodes/n`)).status).toBe(405);
    expect((await server.call('GET', `${root}/nothing`)).status).toBe(404);
  });

  it('is aggregated: discovered, available, authorized, and replaceable by another server', async () => {
    await start();
    await server.ctx.clock.advance(1_000);
    const { body } = await server.call('GET', '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io');
    expect(body).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { groupPriorityMinimum: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    const groups = (await server.call('GET', '/apis')).body['groups'] as { name: string }[];
    expect(groups.map(({ name }) => name)).toContain('metrics.k8s.io');
    const list = (await server.call('GET', '/apis/metrics.k8s.io/v1beta1')).body;
    expect(list['resources']).toEqual([
      { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
      { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
    ]);
    expect(
      (
        await server.call('GET', '/apis/metrics.k8s.io/v1beta1/nodes', {
          user: { name: 'low', groups: ['system:authenticated'] },
        })
      ).status,
    ).toBe(403);
    await server.call('PATCH', '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io', {
      body: { spec: { service: { namespace: 'kube-system', name: 'metrics-server' }, insecureSkipTLSVerify: true } },
      contentType: 'application/merge-patch+json',
    });
    await server.ctx.clock.advance(1_000);
    expect((await server.call('GET', '/apis/metrics.k8s.io/v1beta1/nodes')).status).toBe(503);
  });
});
