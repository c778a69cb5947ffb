/**
 * A Pod from its creation to Running and to the first answer of its web server, through the API server's proxy; with `--against` in
 * turns on another cluster, whose nodes need the image: K8TS_BENCH_ARCHIVE=FILE keeps the archive, for `ctr -n k8s.io images import FILE`
 * or `k8ts image load FILE`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '../src/api/generated/core-v1.ts';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { RealClock } from '../src/kernel/index.ts';
import { builtProgram, startK8ts } from '../test/k8ts-process.ts';
import { requires } from '../test/requires.ts';
import { dockerArchive, webImage } from '../test/test-images.ts';
import type { BenchOptions, Row } from './harness.ts';
import { percentiles } from './load/percentiles.ts';

export const name = 'pod-start';

const PODS = 15;
const IMAGE = 'docker.io/library/www:test';
const LIMIT_MS = 60_000;
const POLL_MS = 2;

interface Times {
  readonly running: number[];
  readonly answered: number[];
}

export async function run({ against }: BenchOptions): Promise<Row[]> {
  const missing = requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox');
  if (missing) {
    console.error(`the start of pods is not measured: it needs ${missing}`);
    return [];
  }
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-'));
  const dataDirectory = join(directory, 'data');
  const k8ts = await startK8ts({ dataDirectory, flags: ['--nodes', '1'] });
  const clients: Client[] = [];
  try {
    const archive = process.env['K8TS_BENCH_ARCHIVE'] ?? join(directory, 'www.tar');
    writeFileSync(archive, dockerArchive(webImage(IMAGE)));
    execFileSync(process.execPath, [await builtProgram(), 'image', 'load', archive, '--data-dir', dataDirectory]);
    const clock = new RealClock();
    for (const file of [k8ts.kubeconfig, ...(against === undefined ? [] : [against])])
      clients.push(connect({ clock }, await loadKubeconfig({ clock, file })));
    return rowsOf(await inTurns(clients));
  } finally {
    for (const client of clients) await client.close();
    await k8ts.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function inTurns(clients: readonly Client[]): Promise<Times[]> {
  const times = clients.map((): Times => ({ running: [], answered: [] }));
  for (let i = 0; i <= PODS; i++)
    for (const [which, client] of clients.entries()) {
      const { running, answered } = await startPod(client, `bench-start-${i}`);
      // The first one warms up.
      if (i === 0) continue;
      times[which]!.running.push(running);
      times[which]!.answered.push(answered);
    }
  return times;
}

function rowsOf([own, other]: readonly Times[]): Row[] {
  const row = (work: string, key: keyof Times): Row => ({
    work: `Pod from its creation to ${work}, median of ${PODS}`,
    value: percentiles(own![key]).p50Ms,
    unit: 'ms',
    ...(other ? { against: percentiles(other[key]).p50Ms } : {}),
  });
  return [row('Running', 'running'), row('the first answer', 'answered')];
}

async function startPod(client: Client, podName: string): Promise<{ running: number; answered: number }> {
  const place = { namespace: 'default', name: podName };
  const pods = client.resource('v1/pods');
  const container = { name: 'www', image: IMAGE, imagePullPolicy: 'Never', ports: [{ containerPort: 8080 }] };
  const startedAt = performance.now();
  const { metadata } = await pods.create({
    metadata: place,
    spec: { containers: [container], terminationGracePeriodSeconds: 0 },
  });
  try {
    await seen(client, { ...place, resourceVersion: metadata.resourceVersion ?? '' }, isRunning);
    const running = performance.now() - startedAt;
    const path = `/api/v1/namespaces/default/pods/${podName}:8080/proxy/`;
    while (!(await answers(client, path))) await pause(POLL_MS);
    return { running, answered: performance.now() - startedAt };
  } finally {
    await pods.delete(place, { gracePeriodSeconds: 0 });
  }
}

const isRunning = ({ status }: Pod): boolean => status?.phase === 'Running';

async function seen(
  client: Client,
  { namespace, name: podName, resourceVersion }: { namespace: string; name: string; resourceVersion: string },
  isWanted: (pod: Pod) => boolean,
): Promise<void> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const fieldSelector = `metadata.name=${podName}`;
  const events = client.resource('v1/pods').watch({ namespace, fieldSelector, resourceVersion, signal });
  for await (const { object } of events) if (isWanted(object as Pod)) return;
  throw new Error(`${podName} was not Running after ${LIMIT_MS} ms`);
}

const answers = (client: Client, path: string): Promise<boolean> =>
  client.request({ method: 'GET', path }).then(
    () => true,
    () => false,
  );

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
