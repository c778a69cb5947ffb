/**
 * What one pod of a Deployment takes through its life, from its creation to Running and from there to its end: writes, watch events that are
 * delivered, memory that is allocated and kept. At 150,000 pods each of these decides how the whole cluster does. They hardly depend on
 * the machine, so each row has a budget, a tenth above what was measured.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../src/client/index.ts';
import { startCluster } from '../src/cluster/index.ts';
import { createContext, RealClock, SpanRing, SystemRandom, type Span } from '../src/kernel/index.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'pod-budget';

const NODES = 50;
const DEPLOYMENTS = 20;
const REPLICAS = 100;
const PODS = DEPLOYMENTS * REPLICAS;
const SAMPLING_BYTES = 16_384;
/** Statuses of Deployments and events follow the last pod. */
const SETTLE_MS = 3_000;

/** What is owed of a pod; a tenth above what was measured. */
const BUDGET = {
  starts: { writes: 4.6, deliveries: 10.1, allocated: 380, kept: 16.5 },
  ends: { writes: 3.4, deliveries: 10, allocated: 205, kept: 1 },
};

interface Spent {
  readonly writes: number;
  readonly deliveries: number;
  /** In KB. */
  readonly allocated: number;
  readonly kept: number;
  readonly processorMs: number;
}

export async function run(_: BenchOptions): Promise<Row[]> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'k8ts-bench-budget-'));
  const stop = new AbortController();
  const [clock, random] = [new RealClock(), new SystemRandom()];
  const ring = new SpanRing({ clock, random });
  const ctx = createContext({ signal: stop.signal, writeLog: () => {}, clock, random, tracer: ring });
  const cluster = await startCluster(ctx, {
    ...{ bindAddress: '127.0.0.1', port: 0, dataDirectory, signingKey: 'ec', addons: [], controllers: ['*'] },
    ...{ serviceClusterIpRange: '10.96.0.0/16', clusterCidr: '10.0.0.0/8', simulatedNodes: NODES },
  });
  try {
    const client = cluster.clientAs({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'bench');
    // What is bounded, such as windows of events, is full afterwards.
    for (let i = 0; i < 3; i++) {
      await startPods(client);
      await endPods(client);
    }
    const starts = await spent(client, ring, startPods);
    const ends = await spent(client, ring, endPods);
    return [...rowsOf('starts', starts, BUDGET.starts), ...rowsOf('ends', ends, BUDGET.ends)];
  } finally {
    stop.abort(new Error('measured'));
    await cluster.finished.catch(() => undefined);
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function rowsOf(what: string, { processorMs, ...counts }: Spent, owed: Omit<Spent, 'processorMs'>): Row[] {
  const row = (work: string, key: keyof typeof counts, unit: string): Row => ({
    ...{ work: `a pod ${what}: ${work}`, value: counts[key], unit, atMost: owed[key] },
  });
  return [
    row('writes', 'writes', ''),
    row('watch events delivered', 'deliveries', ''),
    row('memory allocated', 'allocated', 'KB'),
    row('memory kept', 'kept', 'KB'),
    { work: `a pod ${what}: processor time`, value: processorMs, unit: 'ms' },
  ];
}

async function spent(client: Client, ring: SpanRing, work: (client: Client) => Promise<void>): Promise<Spent> {
  const [firstSpan, keptBefore] = [ring.nextId, await keptBytes()];
  const session = new Session();
  session.connect();
  const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post('HeapProfiler.startSampling', { samplingInterval: SAMPLING_BYTES, ...collected });
  const cpu = process.cpuUsage();
  await work(client);
  const { user, system } = process.cpuUsage(cpu);
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  const commits = ring.since(firstSpan).filter((span) => span.name === 'commit');
  printWrites(commits);
  return {
    writes: commits.length / PODS,
    deliveries: commits.reduce((sum, { attributes }) => sum + Number(attributes['k8s.watch.deliveries']), 0) / PODS,
    allocated: sizeOf(profile.head) / PODS / 1024,
    kept: ((await keptBytes()) - keptBefore) / PODS / 1024,
    processorMs: (user + system) / 1000 / PODS,
  };
}

/** Which resources were written, for whoever looks for a row that has grown. */
function printWrites(commits: readonly Span[]): void {
  const counts = new Map<string, number>();
  for (const { attributes } of commits) {
    const resource = String(attributes['k8s.resource']);
    counts.set(resource, (counts.get(resource) ?? 0) + 1);
  }
  const texts = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${(count / PODS).toFixed(2)}`);
  console.error(`  writes for a pod: ${texts.join(', ')}`);
}

interface SampledNode {
  readonly selfSize: number;
  readonly children: readonly SampledNode[];
}

const sizeOf = ({ selfSize, children }: SampledNode): number =>
  children.reduce((sum, child) => sum + sizeOf(child), selfSize);

async function keptBytes(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await pause(100);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function startPods(client: Client): Promise<void> {
  const deployments = client.resource('apps/v1/deployments');
  for (let i = 0; i < DEPLOYMENTS; i++) await deployments.create(deployment(`d-${i}`));
  await untilAll(
    async () => (await deployments.list({ namespace: 'default' })).items,
    ({ status }) => status?.availableReplicas === REPLICAS && status.observedGeneration !== undefined,
  );
  await pause(SETTLE_MS);
}

async function endPods(client: Client): Promise<void> {
  await client.request({ method: 'DELETE', path: '/apis/apps/v1/namespaces/default/deployments' });
  await untilAll(
    async () => (await client.resource('v1/pods').list({ namespace: 'default' })).items,
    () => false,
  );
  await pause(SETTLE_MS);
}

async function untilAll<T>(list: () => Promise<readonly T[]>, isDone: (item: T) => boolean): Promise<void> {
  while (!(await list()).every(isDone)) await pause(100);
}

const deployment = (app: string) => ({
  metadata: { namespace: 'default', name: app },
  spec: {
    replicas: REPLICAS,
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '10m', memory: '10Mi' } } }] },
    },
  },
});
