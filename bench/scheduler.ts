import type { Node, Pod, PodSpec } from '../src/api/generated/core-v1.ts';
import { Client } from '../src/client/index.ts';
import { inProcessTransport, startCluster } from '../src/cluster/index.ts';
import { childContext, createContext, silentLogger, type Context } from '../src/kernel/index.ts';
import { until as waitUntil } from '../src/kernel/testing/index.ts';
import { DEFAULT_CONFIG, Explanations, run as runScheduler, schedulerMetrics } from '../src/scheduler/index.ts';
import { FreeApiServer } from './free-api-server.ts';
import type { BenchOptions, Row } from './harness.ts';

export const name = 'scheduler';

/** Requests under way at a time while objects are made. */
const LANES = 64;
const ZONES = 3;

interface Workload {
  readonly work: string;
  readonly nodes: number;
  /** Pods that are there before the clock starts; those that fit nowhere stay where they are. */
  readonly before: readonly { readonly count: number; readonly pod: () => Pod; readonly unschedulable?: boolean }[];
  readonly pods: number;
  readonly pod: () => Pod;
  /** Pods that are created beside the others, at this pace; they do not count. */
  readonly beside?: { readonly pod: () => Pod; readonly everyMs: number };
  /** Absent where upstream publishes no threshold. */
  readonly owed?: number;
}

/**
 * Pods from their creation to their binding, through the API server in this process, with nodes that are only objects: the
 * work of upstream's own benchmark; and the same on an API server that costs nothing, which tells what the scheduler does.
 * What is compared takes turns, and its median counts: a machine that others use is not equally fast from minute to minute.
 * K8TS_BENCH_WORK=TEXT picks workloads, K8TS_BENCH_ALONE=1 leaves the API server out.
 */
export async function run(_options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  const rates = new Map<string, number>();
  const workloads = WORKLOADS.filter(({ work }) => work.includes(process.env['K8TS_BENCH_WORK'] ?? ''));
  const measured =
    process.env['K8TS_BENCH_ALONE'] === undefined ? await measureAll(workloads) : new Map<Workload, Measured>();
  for (const workload of workloads) {
    const alone = await measureAlone(workload);
    rows.push({ work: `${workload.work}: scheduler alone`, value: alone.rate, unit: 'pods/s' });
    rows.push({
      work: `${workload.work}: processor time of a pod, scheduler alone`,
      value: alone.cpuMicroseconds,
      unit: 'µs',
    });
    const result = measured.get(workload);
    if (!result) continue;
    rates.set(workload.work, result.rate);
    rows.push({
      work: workload.work,
      value: result.rate,
      unit: 'pods/s',
      ...(workload.owed ? { atLeast: workload.owed } : {}),
    });
    rows.push({ work: `${workload.work}: decisions`, value: result.decisions, unit: '/s' });
    rows.push({
      work: `${workload.work}: 99th percentile of a decision`,
      value: result.p99,
      unit: 'ms',
      ...(workload.nodes === 5_000 ? { atMost: 2 } : {}),
    });
    rows.push({ work: `${workload.work}: processor time of a pod`, value: result.cpuMicroseconds, unit: 'µs' });
    rows.push({ work: `${workload.work}: requests of a pod that write`, value: result.requests, unit: '' });
    rows.push({ work: `${workload.work}: revisions of a pod`, value: result.revisions, unit: '' });
  }
  const [plain, large, beside] = [PLAIN, LARGE, BESIDE].map((work) => rates.get(work));
  if (plain && large)
    rows.push({ work: 'rate at 15,000 nodes, of that at 5,000', value: (100 * large) / plain, unit: '%', atLeast: 50 });
  if (plain && beside)
    rows.push({
      work: 'rate beside pods that fit nowhere, of that without',
      value: (100 * beside) / plain,
      unit: '%',
      atLeast: 90,
    });
  return rows;
}

const TURNS = 5;

async function measureAll(workloads: readonly Workload[]): Promise<Map<Workload, Measured>> {
  /** A scheduler that has been at work for a while: the engine compiles what is called often. */
  await measure(WARM_UP);
  const turns = new Map<Workload, Measured[]>();
  const take = async (workload: Workload): Promise<void> => {
    const measured = await measure(workload);
    console.error(`${workload.work}: ${Math.round(measured.rate)} pods/s`);
    turns.set(workload, [...(turns.get(workload) ?? []), measured]);
  };
  const [compared, others] = [true, false].map((wanted) =>
    workloads.filter(({ work }) => COMPARED.includes(work) === wanted),
  );
  for (let turn = 0; turn < TURNS; turn++) for (const workload of compared!) await take(workload);
  for (const workload of others!) await take(workload);
  return new Map(
    [...turns].map(([workload, results]) => [
      workload,
      results.toSorted((a, b) => a.rate - b.rate)[results.length >> 1]!,
    ]),
  );
}

interface Measured {
  readonly rate: number;
  readonly decisions: number;
  readonly p99: number;
  /** Of all that runs in this process, for a pod that is bound. */
  readonly cpuMicroseconds: number;
  readonly requests: number;
  readonly revisions: number;
}

const PLAIN = '10,000 plain pods on 5,000 nodes';
const LARGE = '10,000 plain pods on 15,000 nodes';
const BESIDE = '10,000 plain pods beside 10,000 that fit nowhere';
const COMPARED: readonly string[] = [PLAIN, LARGE, BESIDE];

const plainPod = (prefix: string) => () => makePod(`${prefix}-`, {}, {});
const antiAffine = (prefix: string) => () =>
  makePod(
    `${prefix}-`,
    { color: 'green' },
    {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { color: 'green' } } },
          ],
        },
      },
    },
  );
const affine = (prefix: string) => () =>
  makePod(
    `${prefix}-`,
    { color: 'blue' },
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: { color: 'blue' } } },
          ],
        },
      },
    },
  );
const spread = (prefix: string) => () =>
  makePod(
    `${prefix}-`,
    { color: 'blue' },
    {
      topologySpreadConstraints: [
        {
          maxSkew: 5,
          topologyKey: 'topology.kubernetes.io/zone',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { color: 'blue' } },
        },
      ],
    },
  );
const preferring = (prefix: string) => () =>
  makePod(
    `${prefix}-`,
    { color: 'red' },
    {
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: {
                topologyKey: 'kubernetes.io/hostname',
                labelSelector: { matchLabels: { color: 'red' } },
              },
            },
          ],
        },
      },
    },
  );
const sized = (prefix: string, cpu: string, priorityClassName: string | undefined) => () =>
  makePod(
    `${prefix}-`,
    {},
    { terminationGracePeriodSeconds: 0, ...(priorityClassName ? { priorityClassName } : {}) },
    { cpu, memory: '500Mi' },
  );

const WARM_UP: Workload = { work: 'warm-up', nodes: 500, before: [], pods: 5_000, pod: plainPod('warm') };

const WORKLOADS: readonly Workload[] = [
  {
    work: PLAIN,
    nodes: 5_000,
    before: [{ count: 1_000, pod: plainPod('before') }],
    pods: 10_000,
    pod: plainPod('p'),
    owed: 2_400,
  },
  {
    work: LARGE,
    nodes: 15_000,
    before: [{ count: 1_000, pod: plainPod('before') }],
    pods: 10_000,
    pod: plainPod('p'),
    owed: 1_200,
  },
  {
    work: BESIDE,
    nodes: 5_000,
    before: [{ count: 10_000, pod: sized('huge', '400', undefined), unschedulable: true }],
    pods: 10_000,
    pod: plainPod('p'),
    owed: 2_160,
  },
  {
    work: '2,000 pods with anti-affinity on 5,000 nodes',
    nodes: 5_000,
    before: [{ count: 1_000, pod: antiAffine('before') }],
    pods: 2_000,
    pod: antiAffine('p'),
    owed: 600,
  },
  {
    work: '5,000 pods with affinity on 5,000 nodes',
    nodes: 5_000,
    before: [{ count: 1_000, pod: affine('before') }],
    pods: 5_000,
    pod: affine('p'),
    owed: 350,
  },
  {
    work: '5,000 pods with topology spread on 5,000 nodes',
    nodes: 5_000,
    before: [{ count: 1_000, pod: plainPod('before') }],
    pods: 5_000,
    pod: spread('p'),
    owed: 850,
  },
  {
    work: '5,000 pods with preferred affinity on 5,000 nodes',
    nodes: 5_000,
    before: [{ count: 1_000, pod: preferring('before') }],
    pods: 5_000,
    pod: preferring('p'),
    owed: 900,
  },
  {
    work: '5,000 plain pods beside pods that preempt on 5,000 nodes',
    nodes: 5_000,
    before: [{ count: 20_000, pod: sized('low', '900m', undefined) }],
    pods: 5_000,
    pod: plainPod('p'),
    beside: { pod: sized('high', '3', 'high'), everyMs: 200 },
    owed: 1_600,
  },
  {
    work: '5,000 pods that all preempt on 5,000 nodes',
    nodes: 5_000,
    before: [{ count: 20_000, pod: sized('low', '900m', undefined) }],
    pods: 5_000,
    pod: sized('high', '3', 'high'),
  },
];

/** Under names that the API server makes up, as upstream's benchmark has them. */
function makePod(
  generateName: string,
  labels: Record<string, string>,
  spec: Partial<PodSpec>,
  requests: Record<string, string> = { cpu: '100m', memory: '500Mi' },
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'bench', generateName, labels },
    spec: { containers: [{ name: 'pause', image: 'registry.k8s.io/pause:3.10.1', resources: { requests } }], ...spec },
  };
}

function makeNode(i: number): Node {
  const resources = { cpu: '4', memory: '32Gi', pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: `node-${i}`,
      labels: { 'kubernetes.io/hostname': `node-${i}`, 'topology.kubernetes.io/zone': `zone-${i % ZONES}` },
    },
    status: { capacity: resources, allocatable: resources },
  };
}

async function measure(workload: Workload): Promise<Measured> {
  /** What was measured before is no garbage of this one's: a turn after its end nothing holds on to it. */
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  const stop = new AbortController();
  const ctx = createContext({ signal: stop.signal, logger: silentLogger });
  const cluster = await startCluster(ctx, {
    bindAddress: '127.0.0.1',
    port: 0,
    serviceClusterIpRange: '10.96.0.0/16',
    clusterCidr: '10.244.0.0/16',
    controllers: [],
    scheduler: false,
  });
  try {
    let requests = 0;
    const handle: typeof cluster.apiServer.handle = (request) => {
      if (request.method !== 'GET') requests++;
      return cluster.apiServer.handle(request);
    };
    const clientAs = (user: string, groups: string[]): Client =>
      new Client({
        transport: inProcessTransport({
          handle,
          user: { name: user, groups },
          signal: stop.signal,
        }),
        clock: ctx.clock,
        userAgent: 'bench',
      });
    const admin = clientAs('admin', ['system:masters', 'system:authenticated']);
    await prepare(admin, workload.nodes);
    const scheduler = startScheduler(ctx, clientAs('system:kube-scheduler', ['system:authenticated']));
    let placed = 0;
    for (const { count, pod, unschedulable } of workload.before) {
      await createAll(count, () => admin.resource('v1/pods').create(pod()));
      if (unschedulable) await until(ctx, () => scheduler.turnedDown() >= count);
      else await until(ctx, () => scheduler.bound() >= placed + count);
      if (!unschedulable) placed += count;
    }
    await ctx.clock.sleep(500);
    scheduler.explanations.durations.length = 0;
    const revisionBefore = await revision(admin);
    requests = 0;
    const cpu = process.cpuUsage();
    const startedAt = ctx.clock.monotonic();
    const target = scheduler.bound() + workload.pods;
    let others = 0;
    const besides =
      workload.beside &&
      ctx.clock.every(workload.beside.everyMs, () => {
        others++;
        void admin.resource('v1/pods').create(workload.beside!.pod());
      });
    const creating = createAll(workload.pods, () => admin.resource('v1/pods').create(workload.pod()));
    await until(ctx, () => scheduler.bound() >= target);
    const seconds = (ctx.clock.monotonic() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const written = requests;
    const revisions = (await revision(admin)) - revisionBefore;
    besides?.cancel();
    await creating;
    const durations = scheduler.explanations.durations.toSorted((a, b) => a - b);
    const sum = durations.reduce((a, b) => a + b, 0);
    /** Some of the others may be among those that were bound. */
    return {
      rate: (workload.pods - others) / seconds,
      decisions: (1000 * durations.length) / sum,
      p99: durations[Math.floor(durations.length * 0.99)] ?? 0,
      cpuMicroseconds: (user + system) / workload.pods,
      requests: written / workload.pods,
      revisions: revisions / workload.pods,
    };
  } finally {
    stop.abort(new Error('bench is over'));
    await cluster.finished.catch(() => {});
  }
}

/** The same without an API server's own work. */
async function measureAlone(workload: Workload): Promise<{ rate: number; cpuMicroseconds: number }> {
  const stop = new AbortController();
  const ctx = createContext({ signal: stop.signal, logger: silentLogger });
  const server = new FreeApiServer(Array.from({ length: workload.nodes }, (_, i) => makeNode(i)));
  const scheduler = startScheduler(ctx, new Client({ transport: server, clock: ctx.clock }));
  const priority = (pod: Pod): Pod =>
    pod.spec?.priorityClassName === 'high' ? { ...pod, spec: { ...pod.spec, priority: 1_000 } } : pod;
  try {
    for (const { count, pod, unschedulable } of workload.before) {
      for (let i = 0; i < count; i++) server.createPod(priority(pod()));
      const target = scheduler.bound() + count;
      await until(ctx, () => (unschedulable ? scheduler.turnedDown() >= count : scheduler.bound() >= target));
    }
    await ctx.clock.sleep(200);
    const target = scheduler.bound() + workload.pods;
    const cpu = process.cpuUsage();
    const startedAt = ctx.clock.monotonic();
    const besides =
      workload.beside &&
      ctx.clock.every(workload.beside.everyMs, () => server.createPod(priority(workload.beside!.pod())));
    for (let i = 0; i < workload.pods; i++) server.createPod(priority(workload.pod()));
    await until(ctx, () => scheduler.bound() >= target);
    besides?.cancel();
    const { user, system } = process.cpuUsage(cpu);
    return {
      rate: workload.pods / ((ctx.clock.monotonic() - startedAt) / 1000),
      cpuMicroseconds: (user + system) / workload.pods,
    };
  } finally {
    stop.abort(new Error('bench is over'));
    await scheduler.finished;
  }
}

class TimedExplanations extends Explanations {
  readonly durations: number[] = [];

  override record(attempt: Parameters<Explanations['record']>[0]): void {
    this.durations.push(attempt.durationMs);
    super.record(attempt);
  }
}

function startScheduler(ctx: Context, client: Client) {
  const inner = childContext(ctx, 'kube-scheduler');
  const explanations = new TimedExplanations();
  const finished = runScheduler(inner, {
    client,
    config: { ...DEFAULT_CONFIG, leaderElect: false },
    identity: 'bench',
    explanations,
  }).catch(() => {});
  const { scheduleAttempts } = schedulerMetrics(inner.metrics);
  const count = (result: string): number => scheduleAttempts.value({ result, profile: 'default-scheduler' });
  return { explanations, finished, bound: () => count('scheduled'), turnedDown: () => count('unschedulable') };
}

async function prepare(admin: Client, nodes: number): Promise<void> {
  await admin.resource('v1/namespaces').create({ metadata: { name: 'bench' } });
  await admin.resource('v1/serviceaccounts').create({ metadata: { namespace: 'bench', name: 'default' } });
  await admin.resource('scheduling.k8s.io/v1/priorityclasses').create({ metadata: { name: 'high' }, value: 1_000 });
  const resource = admin.resource('v1/nodes');
  await createAll(nodes, async (i) => {
    const node = makeNode(i);
    await resource.create(node);
    /** New nodes are tainted until somebody says that they are ready. */
    await resource.patch({ name: node.metadata.name! }, { spec: { taints: null } }, { type: 'merge' });
  });
}

async function revision(admin: Client): Promise<number> {
  const { metadata } = await admin.resource('v1/namespaces').list({ limit: 1 });
  return Number(metadata.resourceVersion);
}

async function createAll(count: number, create: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await create(next++);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

async function until(ctx: Context, reached: () => boolean): Promise<void> {
  await waitUntil('the pods are scheduled', reached, { clock: ctx.clock, limitMs: 300_000, intervalMs: 10 });
}
