/** From a Deployment and a Service to their first answer on three nodes of this machine, and where the time goes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '../src/api/generated/core-v1.ts';
import type { EndpointSlice } from '../src/api/generated/discovery-v1.ts';
import { InformerFactory } from '../src/client/index.ts';
import { realNodesObstacle, startCluster, type Cluster } from '../src/cluster/index.ts';
import { loadImage } from '../src/cluster/node-fleet/index.ts';
import { childContext, createContext, type Context } from '../src/kernel/index.ts';
import { until as waitUntil } from '../src/kernel/testing/index.ts';
import { connectIn } from '../src/net/netns/index.ts';
import { dockerArchive, webImage } from '../test/test-images.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'cluster-network';

const ROUNDS = 5;
const STAGES = [
  'a Pod is there',
  'it is bound',
  'its container runs',
  'it is ready',
  'its EndpointSlice says so',
  'the first node answers',
  'every node answers',
  'the load balancer answers',
] as const;
type Stage = (typeof STAGES)[number];

export async function run(_options: BenchOptions): Promise<Row[]> {
  if (realNodesObstacle() !== undefined) return [];
  const directory = mkdtempSync(join(tmpdir(), 'bench-network-'));
  const stop = new AbortController();
  const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
  let cluster: Cluster | undefined;
  try {
    cluster = await startCluster(ctx, {
      dataDirectory: join(directory, 'data'),
      bindAddress: '127.0.0.1',
      port: 0,
      serviceClusterIpRange: '10.98.0.0/16',
      clusterCidr: '10.246.0.0/16',
      controllers: ['*'],
      addons: ['dns'],
      nodes: 3,
    });
    const archive = join(directory, 'images.tar');
    writeFileSync(archive, dockerArchive(webImage()));
    await loadImage(cluster.fleet!, archive);
    const rounds: Map<Stage, number>[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await applyAndAsk(ctx, cluster, `web-${round}`));
    return STAGES.map((stage) => {
      const value = rounds.map((times) => times.get(stage)!).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
      return {
        work: `Deployment and Service applied: ${stage}`,
        value,
        unit: 'ms',
        ...(stage === 'the first node answers' ? { atMost: 3000 } : {}),
      };
    });
  } finally {
    stop.abort(new Error('the measurement has ended'));
    await cluster?.finished.catch(() => undefined);
    rmSync(directory, { recursive: true, force: true });
  }
}

async function applyAndAsk(parent: Context, cluster: Cluster, app: string): Promise<Map<Stage, number>> {
  const stop = new AbortController();
  const ctx = childContext(parent, app, stop.signal);
  const client = cluster.clientAs(
    { name: 'admin', groups: ['system:masters', 'system:authenticated'] },
    'bench',
    stop.signal,
  );
  const times = new Map<Stage, number>();
  const informers = new InformerFactory(ctx, { client });
  let start = 0;
  const note = (stage: Stage): void => {
    if (!times.has(stage)) times.set(stage, ctx.clock.monotonic() - start);
  };
  const onPod = (pod: Pod): void => {
    note('a Pod is there');
    if (pod.spec?.nodeName) note('it is bound');
    if (pod.status?.containerStatuses?.some(({ state }) => state?.running)) note('its container runs');
    if (pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) note('it is ready');
  };
  const onSlice = (slice: EndpointSlice): void => {
    if (slice.endpoints?.some(({ conditions }) => conditions?.ready)) note('its EndpointSlice says so');
  };
  informers
    .informer('v1/pods', { labelSelector: `app=${app}` })
    .addHandler({ onAdd: onPod, onUpdate: (_before, pod) => onPod(pod) });
  informers
    .informer('discovery.k8s.io/v1/endpointslices', { labelSelector: `kubernetes.io/service-name=${app}` })
    .addHandler({ onAdd: onSlice, onUpdate: (_before, slice) => onSlice(slice) });
  const following = informers.run();
  await informers.waitForSync(ctx.signal);
  const until = (condition: () => Promise<boolean>): Promise<void> =>
    waitUntil('the cluster network follows', condition, { clock: ctx.clock, limitMs: 300_000, intervalMs: 5 });
  try {
    start = ctx.clock.monotonic();
    await client.resource('apps/v1/deployments').create({
      metadata: { name: app, namespace: 'default' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app } },
        template: {
          metadata: { labels: { app } },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                name: 'www',
                image: 'docker.io/library/www:test',
                imagePullPolicy: 'Never',
                ports: [{ name: 'http', containerPort: 8080 }],
                readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 1 },
              },
            ],
          },
        },
      },
    });
    const { spec } = await client.resource('v1/services').create({
      metadata: { name: app, namespace: 'default' },
      spec: { type: 'LoadBalancer', selector: { app }, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    });
    const fromNode = async (netns: string): Promise<void> => {
      await until(() => answers({ netns, host: spec!.clusterIP! }));
      note('the first node answers');
    };
    await Promise.all(Array.from(cluster.fleet!.fabric.nodes.values(), ({ netnsPath }) => fromNode(netnsPath)));
    note('every node answers');
    await until(async () => {
      const { status } = await client.resource('v1/services').get({ name: app, namespace: 'default' });
      const ip = status?.loadBalancer?.ingress?.[0]?.ip;
      return ip !== undefined && answers({ netns: undefined, host: ip });
    });
    note('the load balancer answers');
    await client.resource('apps/v1/deployments').delete({ name: app, namespace: 'default' });
    await client.resource('v1/services').delete({ name: app, namespace: 'default' });
    await until(async () => (await client.resource('v1/pods').list({ namespace: 'default' })).items.length === 0);
    return times;
  } finally {
    stop.abort(new Error('the round has ended'));
    await following.catch(() => undefined);
  }
}

/** Whether one HTTP request is answered. */
function answers({ netns, host }: { netns: string | undefined; host: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectIn({ netns, host, port: 80, signal: AbortSignal.timeout(1000) });
    socket.on('error', () => resolve(false));
    socket.on('close', () => resolve(false));
    socket.on('connect', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.on('data', () => {
      resolve(true);
      socket.destroy();
    });
  });
}
