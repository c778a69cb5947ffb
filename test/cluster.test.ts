/** The library: what a test file of somebody else's does with a cluster. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Deployment } from '../src/api/generated/apps-v1.ts';
import type { Pod } from '../src/api/generated/core-v1.ts';
import { startCluster } from '../src/cluster/index.ts';
import { Cluster, ClusterSnapshot, type ClusterStartOptions } from '../src/index.ts';
import { createContext, RealClock } from '../src/kernel/index.ts';
import { everything, requires } from './requires.ts';

async function start(options: ClusterStartOptions = {}): Promise<Cluster> {
  const cluster = await Cluster.start(options);
  onTestFinished(() => cluster.stop());
  return cluster;
}

const deployment = (replicas: number, name = 'web'): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: main, image: "web:1"}]}
`;

describe('a cluster', () => {
  it('runs applied objects', async () => {
    const cluster = await start({ nodes: 2 });
    const [applied] = await cluster.apply(deployment(3));
    expect(applied).toMatchObject({ kind: 'Deployment', metadata: { namespace: 'default' } });
    const ready = await cluster.waitFor<Deployment>('deployment/web', 'Available');
    expect(ready.status?.readyReplicas).toBe(3);
    const { items } = await cluster.client.resource('v1/pods').list({ namespace: 'default' });
    expect(new Set(items.map(({ spec }) => spec?.nodeName))).toEqual(new Set(['sim-0', 'sim-1']));
  });

  it('accepts custom resource definitions and their objects at once', async () => {
    const cluster = await start({ nodes: 0 });
    const objects = await cluster.apply(`
apiVersion: example.com/v1
kind: Widget
metadata: {name: first}
spec: {size: 3}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wi]}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`);
    expect(objects.map(({ kind }) => kind)).toEqual(['CustomResourceDefinition', 'Widget']);
    expect(await cluster.waitFor('wi/first', 'jsonpath={.spec.size}=3')).toMatchObject({ kind: 'Widget' });
  });

  it('names the condition that it waited for when it times out', async () => {
    const cluster = await start({ nodes: 0 });
    await expect(cluster.waitFor('pod/none', 'Ready', { timeout: 50 })).rejects.toThrow(
      'waiting for pod/none to be Ready; it does not exist',
    );
  });

  it("has logs and answers exec as its pods' behaviour defines", async () => {
    const cluster = await start();
    cluster.simulate({ pod: () => ({ logs: ['first', 'second'], usage: { cpu: 0.5, memory: 1000 } }) });
    await cluster.apply(deployment(1));
    await cluster.waitFor('deployment/web', 'Available');
    const {
      items: [pod],
    } = await cluster.client.resource('v1/pods').list({ namespace: 'default' });
    let log = '';
    for await (const piece of await cluster.client
      .resource('v1/pods')
      .streamSubresource({ namespace: 'default', name: pod!.metadata.name! }, 'log'))
      log += Buffer.from(piece).toString();
    expect(log).toBe('first\nsecond\n');
    const { body } = await cluster.client.request({ method: 'GET', path: '/api/v1/nodes/sim-0/proxy/stats/summary' });
    expect(body).toMatchObject({ pods: [{ cpu: { usageNanoCores: 5e8 }, memory: { workingSetBytes: 1000 } }] });
  });

  it('answers the streams of kubectl to its simulated pods, or reports why not', async (test) => {
    const missing = requires('kubectl>=1.31');
    if (missing) return test.skip(missing);
    const cluster = await start();
    cluster.simulate({
      pod: ({ name }) =>
        name === 'shell'
          ? { exec: ([program]) => (program === 'date' ? 'today\n' : { stderr: 'no such program\n', exitCode: 127 }) }
          : undefined,
    });
    for (const name of ['shell', 'other']) {
      await cluster.apply(
        `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: main, image: "shell:1"}]}}`,
      );
      await cluster.waitFor(`pod/${name}`, 'Ready');
    }
    const directory = mkdtempSync(join(tmpdir(), 'k8ts-streams-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    writeFileSync(join(directory, 'kubeconfig'), cluster.kubeconfig);
    const kubectl = (...args: string[]): Promise<{ code: number; output: string }> => {
      return new Promise((resolve) => {
        execFile(
          'kubectl',
          ['--kubeconfig', join(directory, 'kubeconfig'), ...args],
          { timeout: 120_000, env: { PATH: process.env['PATH'], HOME: directory } },
          (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
        );
      });
    };
    expect(await kubectl('exec', 'shell', '--', 'date')).toEqual({ code: 0, output: 'today\n' });
    expect(await kubectl('exec', 'shell', '--', 'nope')).toMatchObject({
      code: 127,
      output: expect.stringContaining('no such program') as string,
    });
    expect(await kubectl('exec', 'other', '--', 'date')).toMatchObject({
      code: 1,
      output: expect.stringContaining(
        'exec is not simulated for pod default/other: give its behaviour an exec function',
      ) as string,
    });
    expect(await kubectl('attach', 'shell')).toMatchObject({
      code: 1,
      output: expect.stringContaining('no process runs that one could attach to in pod default/shell') as string,
    });
    expect(await kubectl('port-forward', 'shell', ':80')).toMatchObject({
      code: 1,
      output: expect.stringContaining('nothing listens on any port in pod default/shell') as string,
    });
    expect(await kubectl('logs', 'shell')).toEqual({ code: 0, output: '' });
  });
});

describe('virtual time', () => {
  it('advances: a CronJob runs on schedule, hours in an instant', async () => {
    const cluster = await start({ clock: { startTime: everything ? '2026-03-01T00:00:30Z' : '2026-03-01T00:58:30Z' } });
    await cluster.apply(`
apiVersion: batch/v1
kind: CronJob
metadata: {name: hourly}
spec:
  schedule: "0 * * * *"
  successfulJobsHistoryLimit: 10
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "job:1"}]}}}}
`);
    await cluster.clock.advance(everything ? '2h1m' : '3m');
    const { items } = await cluster.client.resource('batch/v1/jobs').list({ namespace: 'default' });
    expect(items.map(({ status }) => status?.succeeded)).toEqual(everything ? [1, 1] : [1]);
    expect(cluster.clock.now()).toBeGreaterThanOrEqual(Date.parse('2026-03-01T01:01:30Z'));
  });

  it("moves a silent node's pods to another", async () => {
    const cluster = await start({ nodes: 2, clock: 'virtual' });
    await cluster.apply(deployment(1));
    await cluster.waitFor('deployment/web', 'Available');
    const {
      items: [before],
    } = await cluster.client.resource('v1/pods').list({ namespace: 'default' });
    cluster.faults.silenceNode(before!.spec!.nodeName!);
    await cluster.clock.advance('10m');
    const running = (await cluster.client.resource('v1/pods').list({ namespace: 'default' })).items.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    expect(running.map(({ spec, status }) => [spec?.nodeName !== before!.spec!.nodeName, status?.phase])).toEqual([
      [true, 'Running'],
    ]);
  });

  it("does not move a cluster on the machine's clock", async () => {
    await expect((await start({ nodes: 0, controllers: [], scheduler: false })).clock.advance('1s')).rejects.toThrow(
      "start it with clock: 'virtual'",
    );
  });
});

describe('forks and snapshots', () => {
  it('diverge from the same state', async () => {
    const cluster = await start({ nodes: 1 });
    await cluster.apply(deployment(2));
    await cluster.waitFor('deployment/web', 'Available');
    const fork = await cluster.fork();
    onTestFinished(() => fork.stop());
    await fork.client.resource('apps/v1/deployments').delete({ namespace: 'default', name: 'web' });
    await fork.waitFor(
      async () => (await fork.client.resource('v1/pods').list({ namespace: 'default' })).items.length === 0,
    );
    expect((await cluster.client.resource('v1/pods').list({ namespace: 'default' })).items).toHaveLength(2);
    expect(fork.server).not.toBe(cluster.server);
  });

  it('start from an earlier state', async () => {
    const cluster = await start({ nodes: 1, clock: 'virtual' });
    await cluster.apply(deployment(2));
    await cluster.waitFor('deployment/web', 'Available');
    const { resourceVersion } = (await cluster.client.resource('v1/pods').list()).metadata;
    await cluster.clock.advance('10m');
    await cluster.client.resource('apps/v1/deployments').delete({ namespace: 'default', name: 'web' });
    await cluster.waitFor(async () => (await cluster.client.resource('v1/pods').list()).items.length === 0);
    for (const at of ['5m', Number(resourceVersion)]) {
      const fork = await cluster.fork({ at });
      onTestFinished(() => fork.stop());
      expect((await fork.client.resource('v1/pods').list({ namespace: 'default' })).items).toHaveLength(2);
      expect(fork.clock.now()).toBeLessThan(cluster.clock.now());
    }
    await expect(cluster.fork({ at: '100h' })).rejects.toThrow('no write of that time is recorded');
    await expect(cluster.fork({ at: 'soon' })).rejects.toThrow('neither a duration');
  });

  it('start again from bytes, with the same keys and time', async () => {
    const cluster = await start({ nodes: 1, clock: 'virtual' });
    await cluster.apply(deployment(1));
    await cluster.waitFor('deployment/web', 'Available');
    const bytes = await cluster.snapshot().toBuffer();
    const again = await start({ nodes: 0, clock: 'virtual', from: await ClusterSnapshot.fromBuffer(bytes) });
    expect(again.nodes).toEqual(['sim-0']);
    expect((await again.waitFor<Deployment>('deployment/web', 'Available')).status?.readyReplicas).toBe(1);
    expect(again.clock.now()).toBeGreaterThanOrEqual(cluster.clock.now());
    await expect(ClusterSnapshot.fromBuffer(Buffer.from('nothing'))).rejects.toThrow('not a snapshot');
  });
});

describe('faults', () => {
  it.each<[string, (cluster: Cluster) => { hits: number; lift(): void }]>([
    ['a storm of conflicts', ({ faults }) => faults.conflicts({ probability: 0.5, times: 20 })],
    ['a storm of 500s', ({ faults }) => faults.errors({ status: 500, verb: 'write', probability: 0.5, times: 20 })],
    [
      'time-outs after writes that were done',
      ({ faults }) => faults.timeoutsAfterWrite({ probability: 0.5, times: 10 }),
    ],
    ['slow answers', ({ faults }) => faults.delay(20, { times: 50 })],
  ])('are survived: %s', async (_, order) => {
    const cluster = await start({ nodes: 2, clock: 'virtual', seed: 7 });
    const fault = order(cluster);
    await cluster.apply(deployment(4));
    await cluster.waitFor<Deployment>('deployment/web', ({ status }) => status?.readyReplicas === 4, {
      timeout: '10m',
    });
    expect(fault.hits).toBeGreaterThan(0);
    fault.lift();
    const { items } = await cluster.client.resource('v1/pods').list({ namespace: 'default' });
    expect(items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toHaveLength(4);
  });

  it('drop watches, and clients watch again', async () => {
    const cluster = await start({ nodes: 1 });
    expect(cluster.faults.dropWatches({ resource: 'deployments' })).toBeGreaterThan(0);
    await cluster.apply(deployment(1));
    await cluster.waitFor('deployment/web', 'Available');
  });

  it('stall watches, and let them catch up', async () => {
    const cluster = await start({ nodes: 1 });
    const stall = cluster.faults.stallWatches({ resource: 'deployments', client: 'kube-controller-manager' });
    await cluster.apply(deployment(1));
    await expect(cluster.waitFor('deployment/web', 'Available', { timeout: 300 })).rejects.toThrow('timed out');
    stall.lift();
    await cluster.waitFor('deployment/web', 'Available');
    expect(stall.hits).toBeGreaterThan(0);
  });

  it('kill a component, and start it again', async () => {
    const cluster = await start({ nodes: 1 });
    await cluster.faults.kill('kube-scheduler');
    await cluster.apply(deployment(1));
    await cluster.waitFor(
      async () => (await cluster.client.resource('v1/pods').list({ namespace: 'default' })).items.length === 1,
    );
    await expect(cluster.waitFor('deployment/web', 'Available', { timeout: 200 })).rejects.toThrow('timed out');
    cluster.faults.restart('kube-scheduler');
    await cluster.waitFor('deployment/web', 'Available');
  });

  it("spare the cluster's own client unless it is named", async () => {
    const cluster = await start({ nodes: 0, controllers: [], scheduler: false });
    const fault = cluster.faults.errors({ status: 503 });
    await cluster.client.resource('v1/namespaces').list();
    fault.lift();
    cluster.faults.errors({ status: 503, ownClient: true, times: 1 });
    await expect(cluster.client.resource('v1/namespaces').list()).rejects.toMatchObject({ code: 503 });
    await cluster.client.resource('v1/namespaces').list();
  });
});

it('the same seed and a virtual clock give the same names', async () => {
  const names = await Promise.all(
    [1, 2].map(async () => {
      const cluster = await start({ clock: { startTime: '2026-01-01T00:00:00Z' }, seed: 'fixed' });
      await cluster.apply(deployment(2));
      await cluster.waitFor('deployment/web', 'Available');
      return (await cluster.client.resource('v1/pods').list({ namespace: 'default' })).items
        .map((pod: Pod) => pod.metadata.name ?? '')
        .sort((a, b) => (a < b ? -1 : 1));
    }),
  );
  expect(names[0]).toEqual(names[1]);
});

const used = (): string[] =>
  process
    .getActiveResourcesInfo()
    .filter((name) => /TCP|Pipe|Server|FSEvent/.test(name))
    .sort();
/** What is used now and was not then; what another test had not quite closed then may be gone. */
const moreThan = (before: readonly string[]): string[] =>
  before.reduce((rest, name) => (rest.includes(name) ? rest.toSpliced(rest.indexOf(name), 1) : rest), used());

it('an aborted start ends, at any time', async () => {
  const before = used();
  for (const turns of [0, 20, 80, 160, 300]) {
    const given = new AbortController();
    const ctx = createContext({ signal: given.signal });
    const starting = startCluster(ctx, {
      bindAddress: '127.0.0.1',
      port: 0,
      serviceClusterIpRange: '10.96.0.0/16',
      clusterCidr: '10.244.0.0/16',
      controllers: ['*'],
      simulatedNodes: 1,
    });
    const ended = starting.then(
      (cluster) => cluster.finished,
      (error: unknown) => error,
    );
    for (let i = 0; i < turns; i++) await ctx.clock.yield();
    given.abort(new Error('given up'));
    const outcome = await Promise.race([
      ended,
      new RealClock().sleep(60_000).then(() => `it still went on after ${turns} turns`),
    ]);
    if (outcome !== undefined) expect(outcome).toMatchObject({ message: 'given up' });
  }
  await expect.poll(() => moreThan(before)).toEqual([]);
});

it('many clusters start and stop side by side and leave nothing behind', async () => {
  const [count, rounds] = everything ? [50, 10] : [3, 2];
  const round = async (): Promise<void> => {
    const clusters = await Promise.all(Array.from({ length: count }, () => Cluster.start({ nodes: 1 })));
    expect(new Set(clusters.map(({ server }) => server)).size).toBe(count);
    await Promise.all(clusters.map((cluster) => cluster.stop()));
  };
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const before = used();
  await round();
  collect();
  const heap = process.memoryUsage().heapUsed;
  for (let i = 0; i < rounds; i++) await round();
  await expect.poll(() => moreThan(before)).toEqual([]);
  collect();
  expect((process.memoryUsage().heapUsed - heap) / 2 ** 20).toBeLessThan(everything ? 50 : 30);
}, 600_000);
