/**
 * What recording spans costs: two clusters in one process, one that records and one that does not, do the same work in turns.
 * Requests come from a client in the process, so that no transport hides the cost. Ratios compare within one run only.
 */
import { Cluster } from '../src/index.ts';
import { RealClock, SpanRing, SystemRandom } from '../src/kernel/index.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'glass';

const TURNS = 6;
const PODS_TO_SCHEDULE = 300;
/** What is lost may be at most three percent. */
const RATIO_OWED = 0.97;
const MAX_MEGABYTES = 32;

type Work = (cluster: Cluster, durationMs: number) => Promise<number>;

const pod = (generateName: string, schedulerName?: string) => ({
  metadata: { generateName, namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...(schedulerName ? { schedulerName } : {}) },
});

/** Calls per second of a few workers. */
const rate =
  (call: (cluster: Cluster) => Promise<unknown>): Work =>
  async (cluster, durationMs) => {
    const end = performance.now() + durationMs;
    let calls = 0;
    const worker = async (): Promise<void> => {
      while (performance.now() < end) {
        await call(cluster);
        calls++;
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    return (calls / durationMs) * 1000;
  };

const schedule: Work = async (cluster) => {
  const pods = cluster.client.resource('v1/pods');
  const start = performance.now();
  await Promise.all(Array.from({ length: PODS_TO_SCHEDULE }, () => pods.create(pod('scheduled-'))));
  await cluster.waitFor(async () => {
    const { items } = await pods.list({ namespace: 'default', fieldSelector: 'spec.nodeName=' });
    return items.every(({ metadata }) => !metadata.generateName?.startsWith('scheduled-'));
  });
  const perSecond = PODS_TO_SCHEDULE / ((performance.now() - start) / 1000);
  await cluster.client.request({
    method: 'DELETE',
    path: '/api/v1/namespaces/default/pods',
    query: { gracePeriodSeconds: '0' },
  });
  await cluster.waitFor(async () => (await pods.list({ namespace: 'default' })).items.length === 0);
  return perSecond;
};

const WORKS: Readonly<Record<string, Work>> = {
  'GET Node': rate(({ client }) => client.resource('v1/nodes').get({ name: 'sim-0' })),
  'POST Pod': rate(({ client }) => client.resource('v1/pods').create(pod('made-', 'nobody'))),
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

/** The median of the turns' ratios: a turn in which the machine did something else does not count. */
async function compare(
  work: string,
  measure: Work,
  { on, off, durationMs }: { on: Cluster; off: Cluster; durationMs: number },
): Promise<Row[]> {
  const turnMs = durationMs / TURNS;
  await measure(on, turnMs);
  await measure(off, turnMs);
  const ratios: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const first = turn % 2 === 0 ? on : off;
    const second = first === on ? off : on;
    const [a, b] = [await measure(first, turnMs), await measure(second, turnMs)];
    ratios.push(first === on ? a / b : b / a);
  }
  const [low, high] = ratios.sort((a, b) => a - b).slice(TURNS / 2 - 1);
  return [{ work: `${work}: recording on / off`, value: (low! + high!) / 2, unit: '', atLeast: RATIO_OWED }];
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
