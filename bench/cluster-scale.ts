/**
 * Clusters of simulated nodes at scale, over minutes: only with K8TS_EVERYTHING=1. The store is on disk, as in `k8ts up`; the
 * clients are in the process. K8TS_SCALE=NODES,DEPLOYMENTS,REPLICAS chooses another size.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster } from '../src/index.ts';
import { enableSingleIdleGc } from '../src/kernel/single-idle-gc.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'cluster-scale';

interface Size {
  readonly nodes: number;
  readonly deployments: number;
  readonly replicas: number;
}

const SIZES: readonly Size[] = [
  { nodes: 200, deployments: 1000, replicas: 10 },
  { nodes: 5000, deployments: 1000, replicas: 150 },
];
const AT_ONCE = 32;
/** Until the events of the last burst are written. */
const UNTIL_REST_MS = 20_000;
/** Long enough that V8's collecting what the burst has left, a second or two of processor time in the first two minutes, is part of it and not all of it. */
const AT_REST_MS = 300_000;
const PROBES_EVERY_MS = 50;

export async function run(_: BenchOptions): Promise<Row[]> {
  /** As the program does. */
  enableSingleIdleGc();
  const [nodes, deployments, replicas] = (process.env['K8TS_SCALE'] ?? '').split(',').map(Number);
  const sizes =
    nodes && deployments && replicas
      ? [{ nodes, deployments, replicas }]
      : process.env['K8TS_EVERYTHING'] === '1'
        ? SIZES
        : [];
  const rows: Row[] = [];
  for (const size of sizes) rows.push(...(await scaleRows(size)));
  return rows;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function scaleRows({ nodes, deployments, replicas }: Size): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-scale-'));
  const pods = deployments * replicas;
  const rows: Row[] = [];
  const size = `${nodes} nodes, ${pods.toLocaleString('en-US')} pods`;
  const note = (work: string, value: number, unit: string, owed: Partial<Row> = {}): void => {
    rows.push({ work: `${size}: ${work}`, value, unit, ...owed });
    console.error(`  ${size}: ${work} ${value.toFixed(1)} ${unit}`);
  };
  const started = performance.now();
  const cluster = await Cluster.start({
    nodes,
    dataDirectory: directory,
    clusterCidr: '10.0.0.0/8',
    serviceClusterIpRange: '172.30.0.0/16',
    addons: [],
  });
  try {
    note('nodes registered and Ready', (performance.now() - started) / 1000, 's');
    await cluster.client.resource('v1/configmaps').create({ metadata: { namespace: 'default', name: 'probe' } });
    const latencies: number[] = [];
    let at = performance.now();
    let cpu = process.cpuUsage();
    const processorSeconds = (): number => {
      const { user, system } = process.cpuUsage(cpu);
      return (user + system) / 1e6;
    };
    await probed(cluster, latencies, async () => {
      await inTurns(deployments, (i) =>
        cluster.client.resource('apps/v1/deployments').create(deployment(i, replicas, 'v1') as never),
      );
      note('Deployments created', (performance.now() - at) / 1000, 's');
      await allAvailable(cluster, { deployments, replicas, image: 'v1' });
    });
    const elapsed = (performance.now() - at) / 1000;
    const creating = processorSeconds();
    note('all pods available', elapsed, 's', pods === 10_000 ? { atMost: 60 } : {});
    note('processor time for it', creating, 's');
    note('processor time for it, a pod', (creating / pods) * 1000, 'ms');
    note('pods per second', pods / elapsed, '/s');

    await pause(UNTIL_REST_MS);
    note('at rest: of a core', await percentOfACore(AT_REST_MS), '%', nodes <= 200 ? { atMost: 2 } : {});

    at = performance.now();
    const listed = await countPods(cluster);
    note(`LIST of ${listed} pods`, performance.now() - at, 'ms');

    at = performance.now();
    cpu = process.cpuUsage();
    await probed(cluster, latencies, async () => {
      await inTurns(deployments, (i) =>
        cluster.client
          .resource('apps/v1/deployments')
          .patch({ namespace: 'default', name: `d-${i}` }, deployment(i, replicas, 'v2'), { type: 'merge' }),
      );
      await allAvailable(cluster, { deployments, replicas, image: 'v2' });
    });
    note('rolling update of all Deployments', (performance.now() - at) / 1000, 's');
    note('processor time of the rolling update, a pod', (processorSeconds() / pods) * 1000, 'ms');

    latencies.sort((a, b) => a - b);
    note('GET of one pod meanwhile, 99th percentile', latencies[Math.floor(latencies.length * 0.99)] ?? 0, 'ms', {
      atMost: 1000,
    });
    const metrics = await metricsOf(cluster);
    const recorded = metrics('k8ts_glass_span_bytes') + metrics('k8ts_glass_request_bytes');
    note('recorded spans and requests', recorded / 2 ** 20, 'MB', { atMost: 32 });
    note('spans that were dropped for newer ones', metrics('k8ts_glass_dropped_spans'), '');
    const turns = 'k8ts_event_loop_turn_duration_seconds';
    for (const seconds of ['0.02', '0.1'])
      note(
        `turns of the event loop longer than ${Number(seconds) * 1000} ms, of 1,000`,
        1000 * (1 - metrics(`${turns}_bucket{le="${seconds}"}`) / metrics(`${turns}_count`)),
        '',
      );
    const resident = process.memoryUsage.rss() / 2 ** 20;
    note('resident memory', resident, 'MB', { atMost: 8192 });
    note(
      'resident memory without pages of the store file, which the kernel takes back',
      resident - mappedMegabytes(),
      'MB',
    );
  } finally {
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  return rows;
}

/** The objects themselves are not held: they would be in memory as long as the function that counts them runs. */
async function countPods(cluster: Cluster): Promise<number> {
  return (await cluster.client.resource('v1/pods').list({ namespace: 'default' })).items.length;
}

/** Reads a sample of the API server's metrics by its name and labels. */
async function metricsOf(cluster: Cluster): Promise<(sample: string) => number> {
  let text = '';
  for await (const chunk of await cluster.client.stream({ method: 'GET', path: '/metrics' }))
    text += Buffer.from(chunk).toString();
  const samples = new Map(text.split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), line]));
  return (sample) => Number(samples.get(sample)?.slice(sample.length));
}

/** What of the resident memory is pages of files. */
function mappedMegabytes(): number {
  const pages = /^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return Number(pages ?? 0) / 1024;
}

async function percentOfACore(ms: number): Promise<number> {
  const before = process.cpuUsage();
  const at = performance.now();
  await pause(ms);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 10 / (performance.now() - at);
}

async function probed(cluster: Cluster, latencies: number[], work: () => Promise<void>): Promise<void> {
  const probing = new AbortController();
  const probes = probe(cluster, latencies, probing.signal);
  await work();
  probing.abort();
  await probes;
}

/** What a user would feel: one object, again and again. */
async function probe(cluster: Cluster, latencies: number[], signal: AbortSignal): Promise<void> {
  const configMaps = cluster.client.resource('v1/configmaps');
  while (!signal.aborted) {
    const at = performance.now();
    await configMaps.get({ namespace: 'default', name: 'probe' });
    await configMaps.patch({ namespace: 'default', name: 'probe' }, { data: { at: String(at) } }, { type: 'merge' });
    latencies.push(performance.now() - at);
    await pause(PROBES_EVERY_MS);
  }
}

async function inTurns(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => work(from + i)));
}

async function allAvailable(
  cluster: Cluster,
  { deployments, replicas, image }: { deployments: number; replicas: number; image: string },
): Promise<void> {
  for (let last = performance.now(); ;) {
    const { items } = await cluster.client
      .resource('apps/v1/deployments')
      .list({ namespace: 'default', resourceVersion: '0' });
    const done = items.filter(({ metadata, spec, status }) => {
      const current =
        spec?.template?.spec?.containers[0]?.image === image && status?.observedGeneration === metadata.generation;
      return (
        current &&
        status?.updatedReplicas === replicas &&
        status?.availableReplicas === replicas &&
        status?.replicas === replicas
      );
    });
    if (done.length === deployments) return;
    if (performance.now() - last > 10_000) {
      last = performance.now();
      /** Queues are fair: all Deployments move a little, and then all are done at once. */
      const updated = items.reduce(
        (sum, { spec, status }) =>
          sum + (spec?.template?.spec?.containers[0]?.image === image ? (status?.updatedReplicas ?? 0) : 0),
        0,
      );
      console.error(
        `    ${done.length} of ${deployments} Deployments are done, ${updated} of ${deployments * replicas} pods, ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB`,
      );
    }
    await pause(200);
  }
}

function deployment(index: number, replicas: number, image: string): object {
  const app = `d-${index}`;
  return {
    metadata: { namespace: 'default', name: app },
    spec: {
      replicas,
      selector: { matchLabels: { app } },
      template: {
        metadata: { labels: { app } },
        spec: { containers: [{ name: 'main', image, resources: { requests: { cpu: '10m', memory: '10Mi' } } }] },
      },
    },
  };
}
