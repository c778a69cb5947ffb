/**
 * What recording spans costs: two clusters in one process, one that records and one that does not, do the same work in many short
 * turns. Requests come from a client in the process, so that no transport hides the cost. Processor time is that of all threads of
 * the process: beside other work on the machine it says more than the time of the clock. Ratios compare within one run only,
 * and on an idle machine: beside other work two clusters that do not record may differ by a fifth, too.
 */
import type { Pod } from '../src/api/generated/core-v1.ts';
import { Cluster } from '../src/index.ts';
import { RealClock, SpanRing, SystemRandom } from '../src/kernel/index.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'glass';

/** Of each cluster, in pairs. */
const TURNS = 24;
const PODS_TO_SCHEDULE = 300;
/** What is lost may be at most three percent. */
const RATIO_OWED = 0.97;
const MAX_MEGABYTES = 32;

/** What a turn did: how many things, how long they took, and what they cost. */
interface Turn {
  readonly count: number;
  readonly wallMs: number;
  readonly cpuMs: number;
}
type Work = (cluster: Cluster, share: number) => Promise<Turn>;

const pod = (generateName: string, schedulerName?: string) => ({
  metadata: { generateName, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...(schedulerName ? { schedulerName } : {}) },
});

async function measured(work: () => Promise<number>): Promise<Turn> {
  // What earlier turns have left is theirs to clear away.
  (globalThis as { gc?: () => void }).gc?.();
  const [at, cpu] = [performance.now(), process.cpuUsage()];
  const count = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { count, wallMs: performance.now() - at, cpuMs: (user + system) / 1000 };
}

/** A number of calls, of a few workers: beside other work on the machine, a number of milliseconds would be little work. */
const calls =
  (count: number, call: (cluster: Cluster) => Promise<unknown>): Work =>
  async (cluster, share) => {
    const turn = await measured(async () => {
      let left = Math.ceil(count * share);
      const worker = async (): Promise<void> => {
        while (left-- > 0) await call(cluster);
      };
      await Promise.all(Array.from({ length: 16 }, worker));
      return Math.ceil(count * share);
    });
    await removePods(cluster);
    return turn;
  };

const schedule: Work = async (cluster) => {
  const pods = cluster.client.resource('v1/pods');
  const turn = await measured(async () => {
    const { metadata } = await pods.list({ namespace: 'default', limit: 1 });
    const watching = new AbortController();
    const events = pods.watch({
      namespace: 'default',
      resourceVersion: metadata?.resourceVersion,
      signal: watching.signal,
    });
    const creating = Promise.all(Array.from({ length: PODS_TO_SCHEDULE }, () => pods.create(pod('scheduled-'))));
    const bound = new Set<string>();
    for await (const { object } of events) {
      const { metadata: of, spec } = object as Pod;
      if (spec?.nodeName) bound.add(of.uid ?? '');
      if (bound.size === PODS_TO_SCHEDULE) break;
    }
    watching.abort();
    await creating;
    return PODS_TO_SCHEDULE;
  });
  await removePods(cluster);
  return turn;
};

async function removePods(cluster: Cluster): Promise<void> {
  const pods = cluster.client.resource('v1/pods');
  const isEmpty = async (): Promise<boolean> => (await pods.list({ namespace: 'default' })).items.length === 0;
  if (await isEmpty()) return;
  await cluster.client.request({
    method: 'DELETE',
    path: '/api/v1/namespaces/default/pods',
    query: { gracePeriodSeconds: '0' },
  });
  await cluster.waitFor(isEmpty);
}

const WORKS: Readonly<Record<string, Work>> = {
  'GET Node': calls(20_000, ({ client }) => client.resource('v1/nodes').get({ name: 'sim-0' })),
  'POST Pod': calls(1_000, ({ client }) => client.resource('v1/pods').create(pod('made-', 'nobody'))),
  'create and schedule Pods': schedule,
};

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const node = { capacity: { cpu: '100000', memory: '100Ti', pods: '1000000' } };
  const start = (tracing: boolean): Promise<Cluster> => Cluster.start({ tracing, nodes: 1, node, port: 0 });
  const [on, off] = [await start(true), await start(false)];
  const rows: Row[] = [];
  try {
    for (const [work, measure] of Object.entries(WORKS))
      rows.push(...(await compare(work, measure, { on, off, durationMs })));
  } finally {
    await Promise.all([on.stop(), off.stop()]);
  }
  return [...rows, ...ringRows()];
}

/** The median of the ratios of neighbouring turns: a turn in which the machine did something else does not count. */
async function compare(
  work: string,
  measure: Work,
  { on, off, durationMs }: { on: Cluster; off: Cluster; durationMs: number },
): Promise<Row[]> {
  const share = durationMs / 1000;
  for (let warmUp = 0; warmUp < 4; warmUp++) {
    await measure(on, share);
    await measure(off, share);
  }
  const [wall, cpu]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    const first = turn % 2 === 0 ? on : off;
    const turns = [await measure(first, share), await measure(first === on ? off : on, share)];
    const [recording, plain] = first === on ? turns : turns.reverse();
    wall.push(plain!.wallMs / plain!.count / (recording!.wallMs / recording!.count));
    cpu.push(plain!.cpuMs / plain!.count / (recording!.cpuMs / recording!.count));
  }
  return [
    { work: `${work}: per processor second, recording on / off`, value: median(cpu), unit: '', atLeast: RATIO_OWED },
    { work: `${work}: per second, recording on / off`, value: median(wall), unit: '' },
  ];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
}

/** As many spans as a cluster of 150,000 pods writes at its start: the ring keeps the newest. */
function ringRows(): Row[] {
  const collect = (globalThis as { gc?: () => void }).gc;
  collect?.();
  const before = process.memoryUsage().heapUsed;
  const ring = new SpanRing({ clock: new RealClock(), random: new SystemRandom() });
  for (let i = 1; i <= 150_000 * 6; i++) {
    const name = `pod-${i}`;
    const request = ring.start('create pods', {
      attributes: {
        'http.request.method': 'POST',
        'url.path': `/api/v1/namespaces/default/pods/${name}`,
        'k8s.key': name,
      },
    });
    ring.committed(i, { parent: request.id, attributes: { 'k8s.resource': 'pods', 'k8s.object.name': name } });
    ring.end(request);
  }
  collect?.();
  const heap = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  return [
    { work: 'ring after 1,800,000 spans, as counted', value: ring.bytes / 2 ** 20, unit: 'MB', atMost: MAX_MEGABYTES },
    ...(collect ? [{ work: 'ring after 1,800,000 spans, heap', value: heap, unit: 'MB' }] : []),
  ];
}
