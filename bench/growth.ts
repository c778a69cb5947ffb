/**
 * What one operation takes of the API server's processor time while there are 1,000, 10,000 and 100,000 objects of the
 * kind in its namespace: it must not grow with them. And how long the API server takes to be ready after `kill -9` with a
 * large store: of a million keys with K8TS_EVERYTHING=1. Scheduling beside as many pods is measured in the module
 * `scheduler`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiConnection } from '../test/api-connection.ts';
import type { BenchOptions, Row } from './harness.ts';
import { fillStore, type StoredObject } from './load/fill-store.ts';
import type { Load } from './load/load.ts';
import { runLoad } from './load/run-load.ts';
import { type ApiServerProcess, startBenchedServer } from './load/start-api-server.ts';
import { processorMs, residentMegabytes } from './load/targets.ts';

export const name = 'growth';

const SIZES = [1_000, 10_000, 100_000] as const;
/** The largest size costs at most this many times as much as the smallest. */
const FLAT = 1.2;
/** The best of these counts: whatever else the machine does only ever makes it dearer. */
const TURNS = 3;
const WATCHERS = 100;
const NAMESPACE = 'bench-growth';
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const READY_MS = 3_000;

const configMap = (metadata: object, value = 'x'): object => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: value, filling: 'y'.repeat(900) } },
});

function storedConfigMap(i: number, filling: number): StoredObject {
  const number = String(i).padStart(7, '0');
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const metadata = {
    ...{ name: `c-${number}`, namespace: NAMESPACE, creationTimestamp },
    uid: `00000000-0000-4000-8000-00000${number}`,
  };
  const data = { a: 'x', filling: 'y'.repeat(filling) };
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata, data };
  return { key: `/registry/configmaps/${NAMESPACE}/${metadata.name}`, object };
}

interface Work {
  readonly name: string;
  readonly load: (target: Load['target'], durationMs: number) => Load;
}

const MANY = { connections: 4, concurrency: 32, warmUp: 4_000 };

const WORKS: readonly Work[] = [
  {
    name: 'GET',
    load: (target, durationMs) => ({
      ...{ type: 'requests', method: 'GET', path: `${CONFIG_MAPS}/c-0000500`, ...MANY, target, durationMs },
    }),
  },
  {
    name: 'an event to one of 100 watchers',
    load: (target, durationMs) => ({
      ...{ type: 'watch', watchers: WATCHERS, connections: 4, collection: CONFIG_MAPS, name: 'c-0000001' },
      ...{ body: JSON.stringify(configMap({ name: 'c-0000001' }, '{n}')), target, durationMs },
    }),
  },
  {
    name: 'POST',
    load: (target, durationMs) => ({
      ...{ type: 'requests', method: 'POST', path: CONFIG_MAPS, ...MANY, target, durationMs },
      body: JSON.stringify(configMap({ generateName: 'new-' })),
    }),
  },
];

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const costs: number[][] = [];
  const memory: number[] = [];
  for (const size of SIZES) {
    const { microseconds, megabytes } = await measureAt(size, durationMs);
    console.error(
      `  ${size}: ${microseconds.map((cost) => cost.toFixed(1)).join(', ')} µs, ${megabytes.toFixed(0)} MB`,
    );
    costs.push(microseconds);
    memory.push(megabytes);
  }
  const rows = WORKS.flatMap(({ name: work }, i) =>
    rowsOf(
      work,
      costs.map((of) => of[i]!),
    ),
  );
  const kept = SIZES.slice(1).map((size, i) => ((memory[i + 1]! - memory[0]!) * 1024) / (size - SIZES[0]));
  return [
    ...rows,
    ...kept.map((value, i) => ({ work: `memory of one of ${text(SIZES[i + 1]!)} objects of 1 KB`, value, unit: 'KB' })),
    await startAfterCrash(),
  ];
}

function rowsOf(work: string, costs: readonly number[]): Row[] {
  return SIZES.map((size, i) => ({
    work: `${work} beside ${text(size)} objects: processor time of the server`,
    value: costs[i]!,
    unit: 'µs each',
    ...(i === 0 ? {} : { atMost: FLAT * costs[0]! }),
  }));
}

const text = (count: number): string => count.toLocaleString('en-US');

async function measureAt(size: number, durationMs: number): Promise<{ microseconds: number[]; megabytes: number }> {
  return withServer(size, 900, async (server) => {
    const megabytes = residentMegabytes(server.pid);
    const microseconds: number[] = [];
    for (const work of WORKS) {
      let best = Infinity;
      for (let turn = 0; turn < TURNS; turn++) best = Math.min(best, await measure(work, server, durationMs));
      microseconds.push(best);
    }
    return { microseconds, megabytes };
  });
}

async function measure(work: Work, { pid, target }: ApiServerProcess, durationMs: number): Promise<number> {
  let before = processorMs(pid);
  const result = await runLoad(work.load(target, durationMs), () => (before = processorMs(pid)));
  if (result.errors > 0) throw new Error(`${work.name}: ${result.errors} failed: ${result.firstError ?? ''}`);
  return ((processorMs(pid) - before) * 1000) / result.count;
}

async function withServer<T>(
  size: number,
  filling: number,
  use: (server: ApiServerProcess, directory: string) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-growth-'));
  try {
    await fillStore(join(directory, 'etcd'), size, (i) => storedConfigMap(i, filling));
    const server = await startBenchedServer(directory);
    try {
      await createNamespace(server);
      return await use(server, directory);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function createNamespace({ target }: ApiServerProcess): Promise<void> {
  const api = new ApiConnection(target.server, target);
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  const { status } = await api.call('POST', '/api/v1/namespaces', { body, headers: {} });
  api.close();
  if (status !== 201) throw new Error(`the namespace was answered with ${status}`);
}

const WRITERS = 16;
const WRITE_MS = 2_000;

/** The server is killed while it writes, and started again. */
async function startAfterCrash(): Promise<Row> {
  const keys = process.env['K8TS_EVERYTHING'] === '1' ? 1_000_000 : 100_000;
  return withServer(keys, 300, async (server, directory) => {
    const api = new ApiConnection(server.target.server, server.target);
    let written = 0;
    const write = async (): Promise<void> => {
      const body = configMap({ generateName: 'new-' });
      for (;;) if ((await api.call('POST', CONFIG_MAPS, { body, headers: {} })).status === 201) written++;
    };
    // They end with the connection.
    for (let i = 0; i < WRITERS; i++) void write().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, WRITE_MS));
    await server.stop();
    api.close();
    if (written === 0) throw new Error('nothing was written before the crash');
    const again = await startBenchedServer(directory);
    await again.stop();
    const work = `from the start to ready after kill -9, with ${text(keys)} keys`;
    return { work, value: again.readyMs, unit: 'ms', atMost: READY_MS };
  });
}
