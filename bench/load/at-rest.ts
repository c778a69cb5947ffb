/** What a cluster takes when nobody asks anything of it: its start, its memory, its idle processor time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../src/etcd/index.ts';
import { RealClock } from '../../src/kernel/index.ts';
import { startK8ts } from '../../test/k8ts-process.ts';
import type { Row } from '../harness.ts';
import { samplePod } from '../sample-pod.ts';
import { startBenchedServer } from './start-api-server.ts';
import { processorMs, residentMegabytes } from './targets.ts';

const SETTLE_MS = 5000;
const IDLE_MS = 10_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `k8ts up` as a user starts it: API server, store, controllers and scheduler. */
export async function controlPlaneRows(durationMs: number): Promise<Row[]> {
  await (await startK8ts()).stop();
  const start = performance.now();
  const k8ts = await startK8ts();
  const ms = performance.now() - start;
  try {
    await sleep(SETTLE_MS);
    const memory = residentMegabytes(k8ts.pid);
    const idleMs = Math.max(IDLE_MS, durationMs);
    const before = processorMs(k8ts.pid);
    await sleep(idleMs);
    const share = ((processorMs(k8ts.pid) - before) / idleMs) * 100;
    return [
      { work: 'k8ts up: cold start to ready', value: ms, unit: 'ms', atMost: 1000 },
      { work: 'k8ts up: memory of the whole control plane, idle', value: memory, unit: 'MB', atMost: 150 },
      { work: 'k8ts up: processor time, idle', value: share, unit: '% of a core', atMost: 1 },
    ];
  } finally {
    await k8ts.stop();
  }
}

const MANY = 100_000;
const BATCH = 100;

/** The API server alone on a store with a hundred thousand pods. */
export async function manyPodsRows(): Promise<Row[]> {
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-'));
  try {
    await storePods(join(directory, 'etcd'));
    const server = await startBenchedServer(directory);
    const memory = residentMegabytes(server.pid);
    await server.stop();
    return [
      { work: 'API server with 100,000 Pods of 3.5 KB: start', value: server.readyMs, unit: 'ms' },
      { work: 'API server with 100,000 Pods of 3.5 KB: memory', value: memory, unit: 'MB', atMost: 1000 },
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function storePods(directory: string): Promise<void> {
  const store = await openEmbeddedStore({ directory, clock: new RealClock() });
  const { metadata, kind, apiVersion, ...rest } = samplePod() as { metadata: { resourceVersion: string }; kind: string; apiVersion: string };
  const { resourceVersion: _, ...stored } = metadata;
  for (let i = 0; i < MANY; i += BATCH) {
    await store.txn({
      success: Array.from({ length: BATCH }, (_unused, j) => {
        const name = `pod-${String(i + j).padStart(6, '0')}`;
        const namespace = `ns-${i % 10}`;
        const value = Buffer.from(JSON.stringify({ kind, apiVersion, metadata: { ...stored, name, namespace }, ...rest }));
        return { op: 'put' as const, key: `/registry/pods/${namespace}/${name}`, value };
      }),
    });
  }
  await store.close();
}
