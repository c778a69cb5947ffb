/**
 * What recording costs: one cluster in this process does the same work in many short turns, and records in half of them. Two clusters
 * would differ by more than recording can cost, by the places of their objects in the heap alone. Requests come from a client in
 * the process, so that no transport hides the cost. A turn takes some milliseconds of processor time, of all threads. What the machine
 * does beside it makes turns dearer, by cold caches, and never cheaper: so the cheaper turns of both kinds are compared. The same
 * turns without recording in any of them are the control. What a turn allocates shows what garbage collection has to do besides.
 */
import type { Pod } from '../src/api/generated/core-v1.ts';
import type { Client } from '../src/client/index.ts';
import { startCluster } from '../src/cluster/index.ts';
import { createContext, RealClock, SeededRandom, SpanRing, SystemRandom } from '../src/kernel/index.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'glass';

/** Of four turns each: on, off, off, on, or the other way round. */
const ROUNDS = 150;
const WARM_UP_ROUNDS = 15;
/** A round without any recording, the control, follows each second one. */
const CONTROL_EVERY = 2;
const PODS_TO_SCHEDULE = 8;
/** Of the turns, the share that is taken for undisturbed. */
const CHEAPEST = 0.25;
const RESAMPLES = 1000;
/** What is lost may be at most three percent, at the upper end of the confidence interval. */
const MOST_LOST = 3;
const MAX_MEGABYTES = 32;
/** Pods that turns have left are removed together, between two rounds. */
const MANY_PODS = 400;

/** Does some work, and gives how many things it did. */
type Work = (client: Client) => Promise<number>;

const pod = (generateName: string, schedulerName?: string) => ({
  metadata: { generateName, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...(schedulerName ? { schedulerName } : {}) },
});

/** A number of calls, of a few workers: beside other work on the machine, a number of milliseconds would be little work. */
const calls =
  (count: number, call: (client: Client) => Promise<unknown>): Work =>
  async (client) => {
    let left = count;
    const worker = async (): Promise<void> => {
      while (left-- > 0) await call(client);
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    return count;
  };

async function schedule(client: Client): Promise<number> {
  const pods = client.resource('v1/pods');
  const { metadata } = await pods.list({ namespace: 'default', limit: 1 });
  const watching = new AbortController();
  const events = pods.watch({
    namespace: 'default',
    resourceVersion: metadata?.resourceVersion,
    signal: watching.signal,
  });
  const creating = Promise.all(Array.from({ length: PODS_TO_SCHEDULE }, () => pods.create(pod('scheduled-'))));
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
  await client.request({
    method: 'DELETE',
    path: '/api/v1/namespaces/default/pods',
    query: { gracePeriodSeconds: '0' },
  });
  while ((await left()) > 0) await new Promise(setImmediate);
}

const WORKS: Readonly<Record<string, Work>> = {
  'GET Node': calls(200, (client) => client.resource('v1/nodes').get({ name: 'sim-0' })),
  'POST Pod': calls(30, (client) => client.resource('v1/pods').create(pod('made-', 'nobody'))),
  'create, schedule and run Pods': schedule,
};

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
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
  });
  const client = cluster.clientAs({ name: 'admin', groups: ['system:masters', 'system:authenticated'] }, 'bench');
  const rounds = Math.ceil((ROUNDS * durationMs) / 1000);
  const rows: Row[] = [];
  try {
    fill(ring);
    for (const [work, turn] of Object.entries(WORKS)) {
      const measure = async (records: boolean): Promise<Turn> => {
        ring.enabled = records;
        const [heap, cpu] = [process.memoryUsage().heapUsed, process.cpuUsage()];
        const count = await turn(client);
        const { user, system } = process.cpuUsage(cpu);
        return { micros: (user + system) / count, bytes: (process.memoryUsage().heapUsed - heap) / count };
      };
      const recording: Turns = { on: [], off: [] };
      const control: Turns = { on: [], off: [] };
      for (let i = -WARM_UP_ROUNDS; i < rounds; i++) {
        const isOnFirst = i % 2 === 0;
        await round(i < 0 ? { on: [], off: [] } : recording, isOnFirst, (isOn) => measure(isOn));
        if (i >= 0 && i % CONTROL_EVERY === 0) await round(control, isOnFirst, () => measure(false));
        await removePods(client);
        if (i % 25 === 24) console.error(`  ${work}: ${i + 1} of ${rounds} rounds, ${lostText(recording)}`);
      }
      rows.push(...rowsOf(work, recording, control));
      for (const row of rows.slice(-6)) console.error(`  ${row.work} ${row.value.toFixed(2)} ${row.unit}`);
    }
  } finally {
    stop.abort(new Error('measured'));
    await cluster.finished.catch(() => undefined);
  }
  return [...rows, ...ringRows()];
}

/** A cluster that has run for some time: each new span displaces an old one. */
function fill(ring: SpanRing): void {
  const first = ring.nextId;
  for (let i = 1; i === 1 || ring.span(first) !== undefined; i++)
    ring.end(ring.start('create pods', { attributes: { 'url.path': `/api/v1/namespaces/default/pods/pod-${i}` } }));
}

/** What one thing cost: processor time, and memory that was allocated for it. */
interface Turn {
  readonly micros: number;
  /** Negative where garbage was collected meanwhile. */
  readonly bytes: number;
}

interface Turns {
  readonly on: Turn[];
  readonly off: Turn[];
}

async function round(turns: Turns, isOnFirst: boolean, measure: (isOn: boolean) => Promise<Turn>): Promise<void> {
  for (const isOn of isOnFirst ? [true, false, false, true] : [false, true, true, false])
    turns[isOn ? 'on' : 'off'].push(await measure(isOn));
}

function rowsOf(work: string, recording: Turns, control: Turns): Row[] {
  const [lost, error] = [lostOf(recording), lostOf(control)];
  const allocated = (turns: readonly Turn[]): number =>
    quantile(
      turns.map(({ bytes }) => bytes).filter((bytes) => bytes > 0),
      0.5,
    ) / 1024;
  return [
    { work: `${work}: off`, value: costOf(recording.off), unit: 'µs' },
    { work: `${work}: recording takes`, value: lost.percent, unit: '%' },
    { work: `${work}: at most, with 95 % confidence`, value: lost.most, unit: '%', atMost: MOST_LOST },
    { work: `${work}: control, off against off`, value: error.percent, unit: '%' },
    { work: `${work}: allocates, off`, value: allocated(recording.off), unit: 'KB' },
    { work: `${work}: allocates, on`, value: allocated(recording.on), unit: 'KB' },
  ];
}

/** The mean of the cheapest turns. */
function costOf(turns: readonly Turn[]): number {
  const sorted = turns.map(({ micros }) => micros).toSorted((a, b) => a - b);
  const kept = sorted.slice(0, Math.max(1, Math.floor(sorted.length * CHEAPEST)));
  return kept.reduce((sum, micros) => sum + micros, 0) / kept.length;
}

/** How much more the turns took that recorded, and at most so much in 95 % of what chance could have made of the same turns. */
function lostOf({ on, off }: Turns): { percent: number; most: number } {
  const percent = (a: readonly Turn[], b: readonly Turn[]): number => (costOf(a) / costOf(b) - 1) * 100;
  const random = new SeededRandom(1);
  const again = (turns: readonly Turn[]): Turn[] => turns.map(() => turns[random.integer(turns.length)]!);
  const resampled = Array.from({ length: RESAMPLES }, () => percent(again(on), again(off)));
  return { percent: percent(on, off), most: quantile(resampled, 0.975) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

const lostText = (turns: Turns): string => {
  const { percent, most } = lostOf(turns);
  return `recording takes ${percent.toFixed(1)} %, at most ${most.toFixed(1)} %`;
};

/** As many spans as a cluster of 150,000 pods writes at its start: the ring keeps the newest. */
function ringRows(): Row[] {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  const before = process.memoryUsage().heapUsed;
  const clock = new RealClock();
  const ring = new SpanRing({ clock, random: new SystemRandom() });
  for (let i = 1; i <= 150_000 * 6; i++) {
    const name = `pod-${i}`;
    const request = ring.startRequest(`/api/v1/namespaces/default/pods/${name}`, clock.monotonic(), 0);
    const of = { group: '', resource: 'pods', namespace: 'default', name, operation: 'put', deliveries: 1 } as const;
    ring.committed({ revision: i, parent: request.id, startedAt: request.startedAt, ...of });
    ring.end(request);
  }
  collect?.();
  const heap = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  return [
    { work: 'ring after 1,800,000 spans, as counted', value: ring.bytes / 2 ** 20, unit: 'MB', atMost: MAX_MEGABYTES },
    ...(collect ? [{ work: 'ring after 1,800,000 spans, heap', value: heap, unit: 'MB' }] : []),
  ];
}
