/**
 * The API server over TLS and HTTP/2, with bearer tokens, RBAC and a durable store. The load comes from a process of its
 * own (h2load where it is installed); what that process can do at most is the first row, measured against a bare Node
 * server. Where the machine is not quiet, the rows of processor time per request say more than those of requests per
 * second. `--against` does the same work on another server; without one, what is owed follows from the figures that
 * kube-apiserver v1.36 with etcd 3.5 reached on the project's machine (two cores).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiConnection } from '../test/api-connection.ts';
import type { BenchOptions, Row } from './harness.ts';
import { manyPodsRows } from './load/at-rest.ts';
import type { Load, LoadResult, RequestLoad, Target } from './load/load.ts';
import { runLoad } from './load/run-load.ts';
import { type ApiServerProcess, startBenchedServer } from './load/start-api-server.ts';
import { processorMs, residentMegabytes, targetOf } from './load/targets.ts';
import { samplePod } from './sample-pod.ts';

export const name = 'apiserver';

const UPSTREAM = { get: 2700, list1000: 23, list5000: 4.6, configMap: 1880, pod: 840 };

interface Work {
  readonly name: string;
  readonly load: Pick<RequestLoad, 'method' | 'path' | 'connections' | 'concurrency' | 'warmUp'> & {
    readonly body?: string;
  };
  /** What upstream did, and how many times that we owe. */
  readonly upstream: number;
  readonly times: number;
}

const podSpec = (): object => {
  const { nodeName: _, ...spec } = samplePod()['spec'] as { nodeName?: string };
  // A scheduler beside the server would write to each of them.
  return { ...spec, schedulerName: 'nobody' };
};
const pod = (metadata: object, spec = podSpec()): string => {
  const { labels, annotations } = samplePod()['metadata'] as { labels: object; annotations: object };
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels, annotations }, spec });
};
const configMap = (metadata: object, value = 'x'): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: value, filling: 'y'.repeat(900) } });

const collection = (namespace: string, plural: string): string => `/api/v1/namespaces/${namespace}/${plural}`;

const MANY = { connections: 4, concurrency: 64, warmUp: 8000 };
const FEW = { connections: 4, concurrency: 4, warmUp: 40 };

const WORKS: readonly Work[] = [
  {
    name: 'GET Pod',
    load: { method: 'GET', path: `${collection('bench-1000', 'pods')}/p-1`, ...MANY },
    upstream: UPSTREAM.get,
    times: 5,
  },
  {
    name: 'LIST 1,000 Pods',
    load: { method: 'GET', path: collection('bench-1000', 'pods'), ...FEW },
    upstream: UPSTREAM.list1000,
    times: 5,
  },
  {
    name: 'LIST 5,000 Pods',
    load: { method: 'GET', path: collection('bench-5000', 'pods'), ...FEW },
    upstream: UPSTREAM.list5000,
    times: 5,
  },
  {
    name: 'POST ConfigMap',
    load: {
      method: 'POST',
      path: collection('bench-writes', 'configmaps'),
      body: configMap({ generateName: 'c-' }),
      ...MANY,
    },
    upstream: UPSTREAM.configMap,
    times: 3,
  },
  {
    name: 'POST Pod',
    load: { method: 'POST', path: collection('bench-writes', 'pods'), body: pod({ generateName: 'p-' }), ...MANY },
    upstream: UPSTREAM.pod,
    times: 5,
  },
  // No two alike: what the server keeps of the last one does not help it with the next.
  {
    name: 'POST Pod, each another',
    load: {
      method: 'POST',
      path: collection('bench-writes', 'pods'),
      body: pod({ generateName: 'p-' }, { ...podSpec(), hostname: 'h-{n}' }),
      ...MANY,
    },
    upstream: UPSTREAM.pod,
    times: 5,
  },
];

export async function run({ durationMs, against }: BenchOptions): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-'));
  const rows: Row[] = [];
  const server = await startBenchedServer(directory, process.env['K8TS_BENCH_ETCD']);
  const admins = against ? [targetOf(against)] : [];
  try {
    const ours = await prepare(server.target);
    const others: Target[] = [];
    for (const admin of admins) others.push(await prepare(admin));
    const sides: Sides = { server, ours, other: others[0], durationMs };
    rows.push(...(await clientLimit(server.target, durationMs)));
    const note = (measured: readonly Row[]): void => {
      rows.push(...measured);
      const [{ work, value, against } = { work: '', value: 0 }] = measured;
      console.error(`  ${work}: ${value.toFixed(0)}${against === undefined ? '' : `, other: ${against.toFixed(0)}`}`);
    };
    // Before the writes: some servers look at all objects of a kind for every watch that begins.
    if (isWanted('watchers')) note(await measureWatch(sides));
    for (const work of WORKS.filter(({ name: work }) => isWanted(work))) note(await measure(work, sides));
    rows.push({ work: 'memory of the API server after it all', value: residentMegabytes(server.pid), unit: 'MB' });
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
    for (const admin of admins) await cleanUp(admin);
  }
  if (isWanted('100,000 Pods')) rows.push(...(await manyPodsRows()));
  return rows;
}

/** K8TS_BENCH_WORK=TEXT picks rows by their name. */
const isWanted = (work: string): boolean => work.includes(process.env['K8TS_BENCH_WORK'] ?? '');

interface Sides {
  readonly server: ApiServerProcess;
  readonly ours: Target;
  readonly other: Target | undefined;
  readonly durationMs: number;
}

async function measure({ name: work, load, upstream, times }: Work, sides: Sides): Promise<Row[]> {
  const { result, compared, processorMicroseconds } = await onBothSides(work, sides, (target) => ({
    type: 'requests',
    target,
    durationMs: sides.durationMs,
    ...load,
  }));
  return [
    {
      work,
      value: result.perSecond,
      unit: '/s',
      atLeast: times * (compared?.perSecond ?? upstream),
      ...(compared ? { against: compared.perSecond } : {}),
    },
    { work: `${work}: processor time of the server`, value: processorMicroseconds, unit: 'µs each' },
    ...latencies(`${work}, ${load.concurrency} at once`, result, compared),
  ];
}

/** Of two servers that take turns, both have the machine's good and bad seconds. */
const TURNS = 3;

async function onBothSides(
  work: string,
  { server, ours, other }: Sides,
  loadOf: (target: Target) => Load,
): Promise<{ result: LoadResult; compared: LoadResult | undefined; processorMicroseconds: number }> {
  const results: LoadResult[] = [];
  const compared: LoadResult[] = [];
  let spent = 0;
  for (let turn = 0; turn < (other ? TURNS : 1); turn++) {
    let before = processorMs(server.pid);
    results.push(checked(work, await runLoad(loadOf(ours), () => (before = processorMs(server.pid)))));
    spent += processorMs(server.pid) - before;
    if (other) compared.push(checked(`${work} on the other server`, await runLoad(loadOf(other))));
  }
  const result = together(results);
  return { result, compared: other && together(compared), processorMicroseconds: (spent * 1000) / result.count };
}

function together(results: readonly LoadResult[]): LoadResult {
  const sum = (of: (result: LoadResult) => number): number => results.reduce((total, result) => total + of(result), 0);
  const median = (of: (result: LoadResult) => number): number =>
    results.map(of).sort((a, b) => a - b)[Math.floor(results.length / 2)]!;
  const count = sum((result) => result.count);
  return {
    perSecond: count / sum((result) => result.count / result.perSecond),
    p50Ms: median((result) => result.p50Ms),
    p99Ms: median((result) => result.p99Ms),
    count,
    errors: sum((result) => result.errors),
  };
}

/** No worse than the other server under the same load. */
const latencies = (work: string, result: LoadResult, compared: LoadResult | undefined): Row[] => [
  { work: `${work}: p50`, value: result.p50Ms, unit: 'ms', ...(compared ? { against: compared.p50Ms } : {}) },
  {
    work: `${work}: p99`,
    value: result.p99Ms,
    unit: 'ms',
    ...(compared ? { against: compared.p99Ms, atMost: compared.p99Ms } : {}),
  },
];

async function measureWatch(sides: Sides): Promise<Row[]> {
  const load = {
    type: 'watch' as const,
    watchers: 1000,
    connections: 10,
    collection: collection('bench-writes', 'configmaps'),
    name: 'watched',
    body: configMap({ name: 'watched' }, '{n}'),
    durationMs: sides.durationMs,
  };
  const { result, compared, processorMicroseconds } = await onBothSides('watch', sides, (target) => ({
    ...load,
    target,
  }));
  return [
    {
      work: '1,000 watchers: events delivered',
      value: result.perSecond,
      unit: '/s',
      ...(compared ? { atLeast: 3 * compared.perSecond, against: compared.perSecond } : {}),
    },
    { work: '1,000 watchers: processor time of the server', value: processorMicroseconds, unit: 'µs each' },
    ...latencies('1,000 watchers, from the write to the last of them', result, compared),
  ];
}

/** Generated names collide now and then, which API servers before v1.30 answer with an error. */
const COLLISIONS = 0.1;

function checked(work: string, result: LoadResult): LoadResult {
  if (result.errors > result.count * COLLISIONS || result.count === 0)
    throw new Error(`${work}: ${result.errors} of ${result.count} failed: ${result.firstError ?? ''}`);
  return result;
}

/** A server that does nothing but answer: the client's own limit, and what the same machine takes for the least work. */
async function clientLimit({ cert, key }: Target, durationMs: number): Promise<Row[]> {
  const bare = fork(join(import.meta.dirname, 'load', 'bare-server.ts'), [JSON.stringify({ cert, key })], {
    execArgv: ['--import', 'tsx'],
  });
  const [port] = (await once(bare, 'message')) as [number];
  let before = 0;
  const load: RequestLoad = {
    type: 'requests',
    target: { server: `https://127.0.0.1:${port}` },
    method: 'GET',
    path: '/',
    ...MANY,
    durationMs,
  };
  const result = await runLoad(load, () => (before = processorMs(bare.pid!)));
  const spent = processorMs(bare.pid!) - before;
  bare.disconnect();
  return [
    { work: 'a bare server, GET of 3.5 KB: the limit of the load process', value: result.perSecond, unit: '/s' },
    { work: 'a bare server, GET of 3.5 KB: processor time', value: (spent * 1000) / result.count, unit: 'µs each' },
  ];
}

const NAMESPACES = { 'bench-1000': 1000, 'bench-5000': 5000, 'bench-writes': 0 };
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'k8ts-bench' },
  rules: [{ apiGroups: [''], resources: ['pods', 'configmaps'], verbs: ['*'] }],
};
const BINDING = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'k8ts-bench' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'k8ts-bench' },
  subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'bench-writes' }],
};

/** Fills the server and gives the one who will put load on it: a ServiceAccount, by its token. */
async function prepare(admin: Target): Promise<Target> {
  const api = new ApiConnection(admin.server, admin);
  const headers: Record<string, string> = admin.token ? { authorization: `Bearer ${admin.token}` } : {};
  const make = async (path: string, body: string | object): Promise<Record<string, unknown>> => {
    const answer = await api.call('POST', path, { body, headers });
    if (answer.status !== 201 && answer.status !== 409)
      throw new Error(`POST ${path}: ${answer.status} ${answer.body.toString().slice(0, 300)}`);
    return answer.json();
  };
  for (const [namespace, pods] of Object.entries(NAMESPACES)) {
    await make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await make(collection(namespace, 'serviceaccounts'), {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default' },
    });
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < pods) await make(collection(namespace, 'pods'), pod({ name: `p-${next++}` }));
    };
    await Promise.all(Array.from({ length: 128 }, lane));
  }
  await make(collection('bench-writes', 'configmaps'), configMap({ name: 'watched' }));
  await make(`${RBAC}/clusterroles`, ROLE);
  await make(`${RBAC}/clusterrolebindings`, BINDING);
  const { status } = await make(`${collection('bench-writes', 'serviceaccounts')}/default/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {},
  });
  api.close();
  return { server: admin.server, ...(admin.ca ? { ca: admin.ca } : {}), token: (status as { token: string }).token };
}

async function cleanUp(admin: Target): Promise<void> {
  const api = new ApiConnection(admin.server, admin);
  const headers: Record<string, string> = admin.token ? { authorization: `Bearer ${admin.token}` } : {};
  const paths = [
    ...Object.keys(NAMESPACES).map((namespace) => `/api/v1/namespaces/${namespace}`),
    `${RBAC}/clusterrolebindings/k8ts-bench`,
    `${RBAC}/clusterroles/k8ts-bench`,
  ];
  for (const path of paths) await api.call('DELETE', path, { headers });
  api.close();
}
