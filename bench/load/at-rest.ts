/** What an API server takes when nobody asks anything of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../harness.ts';
import { samplePod } from '../sample-pod.ts';
import { fillStore } from './fill-store.ts';
import { startBenchedServer } from './start-api-server.ts';
import { residentMegabytes } from './targets.ts';

const MANY = 100_000;

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
  const { metadata, kind, apiVersion, ...rest } = samplePod() as {
    metadata: { resourceVersion: string };
    kind: string;
    apiVersion: string;
  };
  const { resourceVersion: _, ...stored } = metadata;
  await fillStore(directory, MANY, (i) => {
    const name = `pod-${String(i).padStart(6, '0')}`;
    const namespace = `ns-${i % 10}`;
    const object = { kind, apiVersion, metadata: { ...stored, name, namespace }, ...rest };
    return { key: `/registry/pods/${namespace}/${name}`, object };
  });
}
