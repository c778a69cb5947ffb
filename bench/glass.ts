/**
 * What recording costs: one cluster in this process does the same work in many short turns, and records in a third of them. Two
 * clusters would differ by more than recording can cost, by the places of their objects in the heap alone. First requests come from a
 * client in the process: no transport and no disk hides what recording takes of each, some tenths of a microsecond of a read and two
 * of a write. Then as users send them, over HTTPS to a durable store, from another process: that may take three percent. A turn takes some milliseconds of processor time, of all threads. What the machine does beside it makes turns dearer: so
 * turns are compared within their round, in a drawn order. A third of the turns is the control: it does not record either. What a turn
 * allocates shows what garbage collection has to do besides.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '../src/api/generated/core-v1.ts';
import type { Client } from '../src/client/index.ts';
import { startCluster, type Cluster } from '../src/cluster/index.ts';
import { createContext, RealClock, SpanRing, SystemRandom } from '../src/kernel/index.ts';
import { measureInTurns, roundsFor, type TurnedWork } from './glass/turns.ts';
import type { BenchOptions, Row } from './harness.ts';
import type { Target } from './load/load.ts';
import type { RequestLanesOptions } from './load/request-lanes.ts';
import { targetOf } from './load/targets.ts';
import { TurnClient } from './load/turn-client.ts';

export const name = 'glass';

const PODS_TO_SCHEDULE = 8;
const MAX_MEGABYTES = 32;
const MOST_LOST = 3;
/** Pods that turns have left are removed together, between two rounds. */
const MANY_PODS = 600;

const COLLECTION = '/api/v1/namespaces/default/pods';

const pod = (generateName: string, schedulerName?: string) => ({
  metadata: { generateName, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...(schedulerName ? { schedulerName } : {}) },
});

/** A number of calls, of a few workers: beside other work on the machine, a number of milliseconds would be little work. */
async function calls(count: number, call: () => Promise<unknown>): Promise<number> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return count;
}

/** Creates Pods by `create`, and waits until all are Running. */
async function untilRunning(client: Client, create: () => Promise<unknown>): Promise<number> {
  const pods = client.resource('v1/pods');
  const { metadata } = await pods.list({ namespace: 'default', limit: 1 });
  const watching = new AbortController();
  const events = pods.watch({
    namespace: 'default',
    resourceVersion: metadata?.resourceVersion,
    signal: watching.signal,
  });
  const creating = create();
  const running = new Set<string>();
  for await (const { object } of events) {
    const { metadata: of, status } = object as Pod;
    if (status?.phase === 'Running') running.add(of.uid ?? '');
    if (running.size === PODS_TO_SCHEDULE) break;
  }
  watching.abort();
  await creating;
  return PODS_TO_SCHEDULE;
}

async function removePods(client: Client): Promise<void> {
  const pods = client.resource('v1/pods');
  const left = async (): Promise<number> => (await pods.list({ namespace: 'default' })).items.length;
  if ((await left()) < MANY_PODS) return;
  await client.request({ method: 'DELETE', path: COLLECTION, query: { gracePeriodSeconds: '0' } });
  while ((await left()) > 0) await new Promise(setImmediate);
}

const RUN = 'create, schedule and run Pods';

function worksInProcess(client: Client): TurnedWork[] {
  const [pods, nodes] = [client.resource('v1/pods'), client.resource('v1/nodes')];
  const tidy = (): Promise<void> => removePods(client);
  const created = (): Promise<unknown> =>
    Promise.all(Array.from({ length: PODS_TO_SCHEDULE }, () => pods.create(pod('scheduled-'))));
  return [
    { name: 'GET Node', turn: () => calls(1000, () => nodes.get({ name: 'sim-0' })), tidy },
    { name: 'POST Pod', turn: () => calls(150, () => pods.create(pod('made-', 'nobody'))), tidy },
    { name: RUN, mostLost: MOST_LOST, turn: () => untilRunning(client, created), tidy },
  ];
}

/** From another process, as users do it. Servers end connections that are idle: each client begins with its work. */
function worksOverHttps(
  client: Client,
  target: Target,
): ((use: (work: TurnedWork) => Promise<Row[]>) => Promise<Row[]>)[] {
  const sent = { target, connections: 4, concurrency: 32 };
  const posted = (object: object): RequestLanesOptions => ({
    ...{ ...sent, method: 'POST', path: COLLECTION },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...object }),
  });
  const work =
    (title: string, options: RequestLanesOptions, turn: (sender: TurnClient) => Promise<number>) =>
    async (use: (of: TurnedWork) => Promise<Row[]>): Promise<Row[]> => {
      const sender = new TurnClient(options);
      const measured = { name: `${title} over HTTPS`, mostLost: MOST_LOST, turn: () => turn(sender) };
      const rows = await use({ ...measured, tidy: () => removePods(client) });
      await sender.end();
      return rows;
    };
  return [
    work('GET Node', { ...sent, method: 'GET', path: '/api/v1/nodes/sim-0' }, (sender) => sender.turn(600)),
    work('POST Pod', posted(pod('made-', 'nobody')), (sender) => sender.turn(150)),
    work(RUN, posted(pod('scheduled-')), (sender) => untilRunning(client, () => sender.turn(PODS_TO_SCHEDULE))),
  ];
}

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const rounds = roundsFor(durationMs);
  const rows = await withCluster({}, async (_cluster, ring, client) => {
    const measured: Row[] = [];
    for (const work of worksInProcess(client))
      measured.push(...(await measureInTurns(work, { rounds, hasRates: false, setRecording: recordingOf(ring) })));
    return measured;
  });
  const dataDirectory = mkdtempSync(join(tmpdir(), 'k8ts-bench-glass-'));
  try {
    const options = { dataDirectory, ownThread: true };
    const overHttps = await withCluster(options, async ({ kubeconfig }, ring, client) => {
      const file = join(dataDirectory, 'bench.kubeconfig');
      writeFileSync(file, kubeconfig, { mode: 0o600 });
      const measurement = { rounds, hasRates: true, setRecording: recordingOf(ring) };
      const measured: Row[] = [];
      for (const begin of worksOverHttps(client, targetOf(file)))
        measured.push(...(await begin((work) => measureInTurns(work, measurement))));
      return measured;
    });
    return [...rows, ...overHttps, ...ringRows()];
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

const recordingOf =
  (ring: SpanRing) =>
  (isOn: boolean): void => {
    ring.enabled = isOn;
  };

async function withCluster(
  options: { dataDirectory?: string; ownThread?: boolean },
  use: (cluster: Cluster, ring: SpanRing, client: Client) => Promise<Row[]>,
): Promise<Row[]> {
  const stop = new AbortController();
  const [clock, random] = [new RealClock(), new SystemRandom()];
  const ring = new SpanRing({ clock, random });
  const ctx = createContext({ signal: stop.signal, writeLog: () => {}, clock, random, tracer: ring });
  const cluster = await startCluster(ctx, {
    bindAddress: '127.0.0.1',
    port: 0,
    serviceClusterIpRange: '10.96.0.0/16',
    clusterCidr: '10.244.0.0/16',
    controllers: ['*'],
    signingKey: 'ec',
    addons: [],
    simulatedNodes: 1,
    nodeTemplate: { capacity: { cpu: '100000', memory: '100Ti', pods: '1000000' } },
    ...options,
  });
  try {
    fill(ring);
    const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
    return await use(cluster, ring, cluster.clientAs(admin, 'bench'));
  } finally {
    stop.abort(new Error('measured'));
    await cluster.finished.catch(() => undefined);
  }
}

/** A cluster that has run for some time: each new span displaces an old one, and most are of writes. */
function fill(ring: SpanRing): void {
  const first = ring.nextId;
  for (let i = 1; i === 1 || ring.span(first) !== undefined; i++) write(ring, i);
}

/** A request and its commit, as the API server records them. */
function write(ring: SpanRing, revision: number): void {
  const name = `pod-${revision}`;
  const request = ring.startRequest(`/api/v1/namespaces/default/pods/${name}`, performance.now(), 0);
  const of = { group: '', resource: 'pods', namespace: 'default', name, operation: 'put', deliveries: 1 } as const;
  ring.committed({ revision, parent: request.id, startedAt: request.startedAt, ...of });
  ring.end(request);
}

/** As many spans as a cluster of 150,000 pods writes at its start: the ring keeps the newest. */
function ringRows(): Row[] {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  const before = process.memoryUsage().heapUsed;
  const ring = new SpanRing({ clock: new RealClock(), random: new SystemRandom() });
  for (let i = 1; i <= 150_000 * 6; i++) write(ring, i);
  collect?.();
  const heap = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  return [
    { work: 'ring after 1,800,000 spans, as counted', value: ring.bytes / 2 ** 20, unit: 'MB', atMost: MAX_MEGABYTES },
    ...(collect ? [{ work: 'ring after 1,800,000 spans, heap', value: heap, unit: 'MB' }] : []),
  ];
}
