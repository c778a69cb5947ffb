/**
 * The API server over TLS and HTTP/2, durable, as `k8ts up` runs it. The load comes from a process of its own; what that
 * process can do at most is the first row, measured against a bare Node server. Where the machine is not quiet, the
 * rows of processor time per request say more than those of requests per second.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../src/etcd/index.ts';
import { RealClock } from '../src/kernel/index.ts';
import { ApiConnection } from '../test/api-connection.ts';
import { type K8tsProcess, startK8ts } from '../test/k8ts-process.ts';
import type { BenchOptions, Row } from './harness.ts';
import type { LoadResult, RequestLoad, Target } from './load/load.ts';
import { runLoad } from './load/run-load.ts';
import { processorMs, targetOf } from './load/targets.ts';
import { samplePod } from './sample-pod.ts';

export const name = 'apiserver';

/** kube-apiserver v1.36 with etcd 3.5 on the project's machine (two cores): what the ratios are owed against. */
const UPSTREAM = { get: 2700, list1000: 23, list5000: 4.6, configMap: 1880, pod: 840 };
const MEGABYTE = 1024 * 1024;

interface Work {
  readonly name: string;
  readonly load: Pick<RequestLoad, 'method' | 'path' | 'connections' | 'concurrency'> & { readonly body?: string };
  readonly atLeast: number;
}

const pod = (podName: string): string => {
  const { metadata, spec } = samplePod() as { metadata: { labels: unknown; annotations?: unknown }; spec: { volumes?: unknown; nodeName?: string } };
  const { nodeName: _, ...unscheduled } = spec;
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: podName, labels: metadata.labels, annotations: metadata.annotations }, spec: unscheduled });
};
const configMap = (mapName: string, value = 'x'): string => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: mapName }, data: { a: value, filling: 'y'.repeat(900) } });

const collection = (namespace: string, plural: string): string => `/api/v1/namespaces/${namespace}/${plural}`;

const WORKS: readonly Work[] = [
  { name: 'GET Pod', load: { method: 'GET', path: `${collection('bench-1000', 'pods')}/p-1`, connections: 4, concurrency: 64 }, atLeast: 5 * UPSTREAM.get },
  { name: 'LIST 1,000 Pods', load: { method: 'GET', path: collection('bench-1000', 'pods'), connections: 4, concurrency: 4 }, atLeast: 5 * UPSTREAM.list1000 },
  { name: 'LIST 5,000 Pods', load: { method: 'GET', path: collection('bench-5000', 'pods'), connections: 4, concurrency: 4 }, atLeast: 5 * UPSTREAM.list5000 },
  { name: 'POST ConfigMap', load: { method: 'POST', path: collection('bench-writes', 'configmaps'), body: configMap('c-{n}'), connections: 4, concurrency: 64 }, atLeast: 3 * UPSTREAM.configMap },
  { name: 'POST Pod', load: { method: 'POST', path: collection('bench-writes', 'pods'), body: pod('p-{n}'), connections: 4, concurrency: 64 }, atLeast: 5 * UPSTREAM.pod },
];

export async function run({ durationMs, against }: BenchOptions): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-'));
  const rows: Row[] = [];
  const started = performance.now();
  const k8ts = await startK8ts({ dataDirectory: directory, flags: ['--controllers', 'none'] });
  const others = against ? [targetOf(against)] : [];
  try {
    rows.push({ work: 'idle, memory of the API server', value: k8ts.memory() / MEGABYTE, unit: 'MB', atMost: 150 });
    const ours: Target = { server: k8ts.server, ...k8ts.credentials };
    rows.push(...(await clientLimit(k8ts, durationMs)));
    for (const target of [ours, ...others]) await prepare(target);
    for (const work of WORKS) rows.push(...(await measure(work, { k8ts, ours, other: others[0], durationMs })));
    rows.push(...(await measureWatch({ k8ts, ours, other: others[0], durationMs })));
    rows.push({ work: 'memory after it all', value: k8ts.memory() / MEGABYTE, unit: 'MB' });
  } finally {
    await k8ts.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
    for (const target of others) await cleanUp(target);
  }
  rows.push(...(await coldStart()));
  console.error(`apiserver bench took ${((performance.now() - started) / 1000).toFixed(0)} s`);
  return rows;
}

interface Sides {
  readonly k8ts: K8tsProcess;
  readonly ours: Target;
  readonly other: Target | undefined;
  readonly durationMs: number;
}

async function measure({ name: workName, load, atLeast }: Work, { k8ts, ours, other, durationMs }: Sides): Promise<Row[]> {
  const at = (target: Target): RequestLoad => ({ type: 'requests', target, durationMs, ...load });
  let before = 0;
  const result = checked(workName, await runLoad(at(ours), () => (before = processorMs(k8ts.pid))));
  const spent = processorMs(k8ts.pid) - before;
  const compared = other && checked(`${workName} on the other server`, await runLoad(at(other)));
  return [
    { work: workName, value: result.perSecond, unit: '/s', atLeast, ...(compared ? { against: compared.perSecond } : {}) },
    { work: `${workName}: processor time of the server`, value: (spent * 1000) / result.count, unit: 'µs each' },
    { work: `${workName}: p99 with ${load.concurrency} at once`, value: result.p99Ms, unit: 'ms', ...(compared ? { against: compared.p99Ms } : {}) },
  ];
}

async function measureWatch({ k8ts, ours, other, durationMs }: Sides): Promise<Row[]> {
  const at = (target: Target) => ({ type: 'watch' as const, target, watchers: 1000, connections: 10, collection: collection('bench-writes', 'configmaps'), name: 'watched', body: configMap('watched', '{n}'), durationMs });
  const before = processorMs(k8ts.pid);
  const result = checked('watch', await runLoad(at(ours)));
  const spent = processorMs(k8ts.pid) - before;
  const compared = other && checked('watch on the other server', await runLoad(at(other)));
  return [
    { work: '1,000 watchers: events delivered', value: result.perSecond, unit: '/s', ...(compared ? { against: compared.perSecond } : {}) },
    { work: '1,000 watchers: processor time of the server', value: (spent * 1000) / result.count, unit: 'µs each' },
    { work: '1,000 watchers: p99 from the write to the last of them', value: result.p99Ms, unit: 'ms', ...(compared ? { against: compared.p99Ms } : {}) },
  ];
}

function checked(work: string, result: LoadResult): LoadResult {
  if (result.errors > 0) throw new Error(`${work}: ${result.errors} of ${result.count} failed: ${result.firstError ?? ''}`);
  return result;
}

/** A server that does nothing but answer: the client's own limit, and what the same machine takes for the least work. */
async function clientLimit(k8ts: K8tsProcess, durationMs: number): Promise<Row[]> {
  const { cert, key } = k8ts.credentials;
  const bare = fork(join(import.meta.dirname, 'load', 'bare-server.ts'), [JSON.stringify({ cert, key })], { execArgv: ['--import', 'tsx'] });
  const [port] = (await once(bare, 'message')) as [number];
  let before = 0;
  const load: RequestLoad = { type: 'requests', target: { server: `https://127.0.0.1:${port}` }, method: 'GET', path: '/', connections: 4, concurrency: 64, durationMs };
  const result = await runLoad(load, () => (before = processorMs(bare.pid!)));
  const spent = processorMs(bare.pid!) - before;
  bare.disconnect();
  return [
    { work: 'a bare server, GET of 3.5 KB: the limit of the load process', value: result.perSecond, unit: '/s' },
    { work: 'a bare server, GET of 3.5 KB: processor time', value: (spent * 1000) / result.count, unit: 'µs each' },
  ];
}

const authorization = (target: Target): Record<string, string> => (target.token ? { authorization: `Bearer ${target.token}` } : {});

const NAMESPACES = { 'bench-1000': 1000, 'bench-5000': 5000, 'bench-writes': 0 };

async function prepare(target: Target): Promise<void> {
  const api = new ApiConnection(target.server, target);
  const headers = authorization(target);
  const make = async (path: string, body: string | object): Promise<void> => {
    const { status, body: answer } = await api.call('POST', path, { body, headers });
    if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${status} ${answer.toString().slice(0, 300)}`);
  };
  for (const [namespace, pods] of Object.entries(NAMESPACES)) {
    await make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await make(collection(namespace, 'serviceaccounts'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < pods) await make(collection(namespace, 'pods'), pod(`p-${next++}`));
    };
    await Promise.all(Array.from({ length: 128 }, lane));
  }
  await make(collection('bench-writes', 'configmaps'), configMap('watched'));
  api.close();
}

async function cleanUp(target: Target): Promise<void> {
  const api = new ApiConnection(target.server, target);
  const headers = authorization(target);
  for (const namespace of Object.keys(NAMESPACES)) await api.call('DELETE', `/api/v1/namespaces/${namespace}`, { headers });
  api.close();
}

const MANY = 100_000;
const BATCH = 100;

/** A server that starts on a hundred thousand pods, and one that starts on nothing. */
async function coldStart(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-'));
  try {
    const empty = await timedStart();
    await storePods(join(directory, 'etcd'));
    const full = await timedStart(directory);
    return [
      { work: 'cold start to ready, in memory', value: empty.ms, unit: 'ms', atMost: 1000 },
      { work: 'cold start to ready with 100,000 Pods', value: full.ms, unit: 'ms' },
      { work: 'memory with 100,000 Pods of 3.5 KB', value: full.memory / MEGABYTE, unit: 'MB', atMost: 1000 },
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function timedStart(dataDirectory?: string): Promise<{ ms: number; memory: number }> {
  const start = performance.now();
  const k8ts = await startK8ts({ ...(dataDirectory ? { dataDirectory } : {}), flags: ['--controllers', 'none'] });
  const ms = performance.now() - start;
  const memory = k8ts.memory();
  await k8ts.stop();
  return { ms, memory };
}

async function storePods(directory: string): Promise<void> {
  const store = await openEmbeddedStore({ directory, clock: new RealClock() });
  const { metadata, ...rest } = samplePod() as { metadata: { name: string; namespace: string; resourceVersion: string } };
  for (let i = 0; i < MANY; i += BATCH) {
    await store.txn({
      success: Array.from({ length: BATCH }, (_unused, j) => {
        const podName = `pod-${String(i + j).padStart(6, '0')}`;
        const { resourceVersion: _, ...stored } = { ...metadata, name: podName, namespace: `ns-${i % 10}` };
        const { kind, apiVersion, ...others } = rest as Record<string, unknown>;
        return { op: 'put' as const, key: `/registry/pods/${stored.namespace}/${podName}`, value: Buffer.from(JSON.stringify({ kind, apiVersion, metadata: stored, ...others })) };
      }),
    });
  }
  await store.close();
}
