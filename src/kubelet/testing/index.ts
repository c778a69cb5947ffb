/** A kubelet on the virtual clock, with the real API server in memory and a runtime that only remembers. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Event, Pod } from '../../api/generated/core-v1.ts';
import { startTestServer, type TestServer } from '../../apiserver/testing/index.ts';
import { Client } from '../../client/index.ts';
import { inProcessTransport } from '../../cluster/in-process-transport.ts';
import { childContext, RealClock, type TestContext } from '../../kernel/index.ts';
import { until } from '../../kernel/testing/index.ts';
import { noCgroups } from '../cgroups/cgroup-manager.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from '../configuration/kubelet-configuration.ts';
import type { KubeletConfig, KubeletOptions } from '../kubelet-options.ts';
import type { Machine } from '../node/machine.ts';
import { run } from '../run.ts';
import type { Mounter } from '../volumes/mounter.ts';
import { FakeRuntime } from './fake-runtime.ts';

/** Files and threads take real time, whatever the cluster's clock says. */
const realTime = new RealClock();

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
export const NODE = 'node-1';

export const MACHINE: Machine = {
  cpus: 2,
  memoryBytes: 8 * 2 ** 30,
  hugePages: {},
  machineId: 'machine',
  systemUuid: 'system',
  bootId: 'boot',
  kernelVersion: '6.1.0',
  osImage: 'Test',
  architecture: 'amd64',
  hostname: NODE,
  swapBytes: 0,
};

export interface KubeletFixture {
  readonly server: TestServer;
  readonly ctx: TestContext;
  readonly client: Client;
  readonly runtime: FakeRuntime;
  readonly rootDirectory: string;
  readonly mounts: Set<string>;
  start(config?: Partial<KubeletConfig>, options?: Partial<KubeletOptions>): Promise<void>;
  /** As if it were killed: nothing of the runtime is touched. */
  stopKubelet(): Promise<void>;
  create(pod: Pod): Promise<Pod>;
  pod(name: string): Promise<Pod>;
  until(what: string, condition: () => Promise<boolean> | boolean, limitMs?: number): Promise<void>;
  untilPhase(name: string, phase: string, limitMs?: number): Promise<Pod>;
  advance(ms: number): Promise<void>;
  /** `Reason: message` of the pod's events, in order. */
  events(name: string): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startKubeletFixture(): Promise<KubeletFixture> {
  const server = await startTestServer();
  const { ctx } = server;
  const transport = inProcessTransport({ handle: server.pipeline.handle, user: ADMIN, signal: ctx.signal });
  const client = new Client({ transport, clock: ctx.clock, userAgent: 'kubelet' });
  const runtime = new FakeRuntime(ctx.clock);
  const rootDirectory = await fs.mkdtemp(path.join(os.tmpdir(), 'k8ts-kubelet-'));
  const mounts = new Set<string>();
  const mounter: Mounter = {
    mount: ({ target }) => Promise.resolve(void mounts.add(target)),
    formatAndMount: ({ target }) => Promise.resolve(void mounts.add(target)),
    references: () => Promise.resolve([]),
    unmount: (target) => Promise.resolve(void mounts.delete(target)),
    isMountPoint: (target) => Promise.resolve(mounts.has(target)),
    below: (directory) =>
      Promise.resolve(
        [...mounts]
          .filter((point) => point === directory || point.startsWith(`${directory}/`))
          .toSorted((a, b) => b.length - a.length),
      ),
  };
  let running: { stop: AbortController; done: Promise<void> } | undefined;

  const fixture: KubeletFixture = {
    server,
    ctx,
    client,
    runtime,
    rootDirectory,
    mounts,
    async start(config = {}, options = {}) {
      const stop = new AbortController();
      const inner = childContext(ctx, 'kubelet', AbortSignal.any([ctx.signal, stop.signal]));
      let ready = false;
      const done = run(inner, {
        client,
        runtime,
        config: {
          ...DEFAULT_KUBELET_CONFIGURATION,
          nodeName: NODE,
          rootDirectory,
          nodeAddresses: ['192.0.2.10'],
          podLogsDir: path.join(rootDirectory, 'logs', 'pods'),
          enableServer: false,
          clusterDomain: 'cluster.local',
          clusterDNS: ['10.96.0.10'],
          evictionHard: {},
          ...config,
        },
        machine: MACHINE,
        mounter,
        cgroups: noCgroups,
        onReady: () => (ready = true),
        ...options,
      });
      let failure: unknown;
      running = { stop, done: done.catch((error: unknown) => void (failure = error)) };
      await fixture.until('the kubelet is ready', () => {
        if (failure !== undefined) throw failure as Error;
        return ready;
      });
    },
    async stopKubelet() {
      if (running === undefined) return;
      running.stop.abort(new Error('the kubelet is stopped'));
      let ended = false;
      void running.done.then(() => (ended = true));
      await fixture.until('the kubelet has ended', () => ended);
      running = undefined;
    },
    create: (pod) => client.resource('v1/pods').create(pod),
    pod: (name) => client.resource('v1/pods').get({ namespace: 'default', name }),
    /** Files are read and written in real time. */
    until: (what, condition, limitMs = 120_000) =>
      until(what, condition, {
        clock: ctx.clock,
        limitMs,
        realMs: 1,
        details: () => ctx.logLines.slice(-10).join('\n'),
      }),
    async untilPhase(name, phase, limitMs) {
      let last: Pod | undefined;
      await fixture
        .until(`pod ${name} is ${phase}`, async () => (last = await fixture.pod(name)).status?.phase === phase, limitMs)
        .catch((error: unknown) => {
          throw new Error(`${(error as Error).message}\n${JSON.stringify(last?.status, null, 1)}`);
        });
      return fixture.pod(name);
    },
    async advance(ms) {
      for (let left = ms; left > 0; left -= 1000) {
        await ctx.clock.advance(Math.min(1000, left));
        await realTime.sleep(1);
      }
    },
    async events(name) {
      const { items } = await client
        .resource('v1/events')
        .list({ namespace: 'default', fieldSelector: `involvedObject.name=${name}` });
      return items.toSorted(byTime).map(({ reason, message }) => `${reason}: ${message}`);
    },
    async stop() {
      await fixture.stopKubelet();
      await server.stop();
      await fs.rm(rootDirectory, { recursive: true, force: true });
    },
  };
  return fixture;
}

const byTime = (a: Event, b: Event): number => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);

interface PodOptions extends Partial<NonNullable<Pod['spec']>> {
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
}

export function makePod(name: string, { annotations, labels, ...spec }: PodOptions = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...(annotations ? { annotations } : {}), ...(labels ? { labels } : {}) },
    spec: {
      nodeName: NODE,
      automountServiceAccountToken: false,
      containers: [{ name: 'main', image: 'busybox', imagePullPolicy: 'IfNotPresent' }],
      ...spec,
    },
  };
}
