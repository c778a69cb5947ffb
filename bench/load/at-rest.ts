/** What an API server takes when nobody asks anything of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../src/etcd/index.ts';
import { RealClock } from '../../src/kernel/index.ts';
import type { Row } from '../harness.ts';
import { samplePod } from '../sample-pod.ts';
import { startBenchedServer } from './start-api-server.ts';
import { residentMegabytes } from './targets.ts';

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
  const { metadata, kind, apiVersion, ...rest } = samplePod() as {
    metadata: { resourceVersion: string };
    kind: string;
    apiVersion: string;
  };
  const { resourceVersion: _, ...stored } = metadata;
  for (let i = 0; i < MANY; i += BATCH) {
    await store.txn({
      success: Array.from({ length: BATCH }, (_unused, j) => {
        const name = `pod-${String(i + j).padStart(6, '0')}`;
        const namespace = `ns-${i % 10}`;
        const value = Buffer.from(
          JSON.stringify({ kind, apiVersion, metadata: { ...stored, name, namespace }, ...rest }),
        );
        return { op: 'put' as const, key: `/registry/pods/${namespace}/${name}`, value };
      }),
    });
  }
  await store.close();
}
