/**
 * A node that runs containers, in the bundled program with a control plane beside it: how long a Pod takes from its
 * creation to Running, alone and among a hundred, and what Pods cost while they do nothing. Processor time is that of
 * the whole machine, containers' tools included; where the machine is not quiet it says more than the times do.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '../src/api/generated/core-v1.ts';
import { connect, loadKubeconfig, type Client } from '../src/client/index.ts';
import { RealClock } from '../src/kernel/index.ts';
import { builtProgram, startK8ts, type K8tsProcess } from '../test/k8ts-process.ts';
import { requires } from '../test/requires.ts';
import { busyboxImage, dockerArchive } from '../test/test-images.ts';
import type { BenchOptions, Row } from './harness.ts';
import { percentiles } from './load/percentiles.ts';
import { processorMs, residentMegabytes } from './load/targets.ts';

export const name = 'node';

const SINGLE = 20;
const MANY = 100;
const IDLE_PODS = 50;
const SETTLE_MS = 5000;
const IDLE_MS = 20_000;
const LIMIT_MS = 120_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function run(_: BenchOptions): Promise<Row[]> {
  const missing = requires('root', 'runc', 'conmon', 'nft', 'ip', 'busybox');
  if (missing) {
    console.error(`the node is not measured: it needs ${missing}`);
    return [];
  }
  const directory = mkdtempSync(join(tmpdir(), 'k8ts-bench-'));
  const dataDirectory = join(directory, 'data');
  const k8ts = await startK8ts({ dataDirectory, flags: ['--nodes', '1'] });
  try {
    const archive = join(directory, 'busybox.tar');
    // One that ends at once: what is measured is not its grace period.
    const image = busyboxImage(undefined, { process: { Cmd: ['sh'], Env: ['PATH=/bin'], StopSignal: 'SIGKILL' } });
    writeFileSync(archive, dockerArchive(image));
    execFileSync(process.execPath, [await builtProgram(), 'image', 'load', archive, '--data-dir', dataDirectory]);
    const clock = new RealClock();
    const client = connect({ clock }, await loadKubeconfig({ clock, file: k8ts.kubeconfig }));
    const node = new BenchedNode(k8ts, client, dataDirectory);
    await node.watch();
    try {
      return [...(await node.singles()), ...(await node.idle()), ...(await node.many())];
    } finally {
      await client.close();
    }
  } finally {
    await k8ts.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

class BenchedNode {
  readonly #k8ts: K8tsProcess;
  readonly #client: Client;
  readonly #running = new Map<string, number>();
  readonly #watching = new AbortController();
  #wake: () => void = () => {};
  readonly #directory: string;
  #present = 0;

  constructor(k8ts: K8tsProcess, client: Client, directory: string) {
    this.#k8ts = k8ts;
    this.#client = client;
    this.#directory = directory;
  }

  /** Notes when each pod is seen Running, by the clock that its creation was noted with. */
  async watch(): Promise<void> {
    const { metadata } = await this.#client.resource('v1/pods').list({ namespace: 'default' });
    const events = this.#client
      .resource('v1/pods')
      .watch({ namespace: 'default', resourceVersion: metadata.resourceVersion, signal: this.#watching.signal });
    void (async () => {
      for await (const { type, object } of events) {
        const pod = object as Pod;
        if (type === 'ADDED') this.#present++;
        if (type === 'DELETED') this.#present--;
        if (pod.status?.phase === 'Running' && !this.#running.has(pod.metadata.name!))
          this.#running.set(pod.metadata.name!, performance.now());
        this.#wake();
      }
    })().catch(() => {});
  }

  async singles(): Promise<Row[]> {
    const times: number[] = [];
    const gone: number[] = [];
    await this.#startAndEnd('warm-up', [], []);
    const before = machineMs();
    for (let i = 0; i < SINGLE; i++) await this.#startAndEnd(`single-${i}`, times, gone);
    const cpu = (machineMs() - before) / SINGLE;
    return [
      {
        work: `Pod from its creation to Running, median of ${SINGLE}`,
        value: percentiles(times).p50Ms,
        unit: 'ms',
        atMost: 300,
      },
      { work: 'Pod from its creation to Running, the slowest', value: Math.max(...times), unit: 'ms' },
      { work: 'Pod deleted, until it is gone, median', value: percentiles(gone).p50Ms, unit: 'ms' },
      { work: 'a Pod made and removed: processor time of the machine', value: cpu, unit: 'ms' },
    ];
  }

  async #startAndEnd(podName: string, times: number[], gone: number[]): Promise<void> {
    const at = performance.now();
    await this.#create(podName);
    await this.#until(() => this.#running.has(podName));
    times.push(this.#running.get(podName)! - at);
    const deletedAt = performance.now();
    await this.#remove([podName]);
    gone.push(performance.now() - deletedAt);
  }

  async idle(): Promise<Row[]> {
    const alone = await this.#atRest();
    const names = Array.from({ length: IDLE_PODS }, (_, i) => `idle-${i}`);
    await this.#createAll(names);
    const full = await this.#atRest();
    const monitors =
      processesOf('conmon', this.#directory).reduce((sum, pid) => sum + memoryOf(pid, 'Pss'), 0) / IDLE_PODS;
    await this.#remove(names);
    const ours = (full.megabytes - alone.megabytes) / IDLE_PODS;
    return [
      { work: 'whole program with one node, at rest', value: alone.percent, unit: '% of a core' },
      { work: `whole program with ${IDLE_PODS} Pods, at rest`, value: full.percent, unit: '% of a core' },
      {
        work: `what ${IDLE_PODS} Pods add to it at rest`,
        value: Math.max(0, full.percent - alone.percent),
        unit: '% of a core',
        atMost: 1,
      },
      { work: 'memory a Pod: conmon (its own, and its part of what is shared)', value: monitors, unit: 'MB' },
      { work: 'memory a Pod: this program', value: ours, unit: 'MB' },
      { work: 'memory a Pod: both', value: ours + monitors, unit: 'MB', atMost: 3 },
    ];
  }

  async #atRest(): Promise<{ megabytes: number; percent: number }> {
    await sleep(SETTLE_MS);
    const before = processorMs(this.#k8ts.pid);
    const at = performance.now();
    await sleep(IDLE_MS);
    const percent = ((processorMs(this.#k8ts.pid) - before) / (performance.now() - at)) * 100;
    return { percent, megabytes: residentMegabytes(this.#k8ts.pid) };
  }

  async many(): Promise<Row[]> {
    const names = Array.from({ length: MANY }, (_, i) => `many-${i}`);
    const before = { machine: machineMs(), program: processorMs(this.#k8ts.pid) };
    const at = performance.now();
    await this.#createAll(names);
    const seconds = (Math.max(...names.map((podName) => this.#running.get(podName)!)) - at) / 1000;
    const after = { machine: machineMs(), program: processorMs(this.#k8ts.pid) };
    const removedAt = performance.now();
    await this.#remove(names);
    return [
      { work: `${MANY} Pods created at once, all Running`, value: seconds, unit: 's', atMost: 15 },
      {
        work: `${MANY} Pods: processor time of the machine`,
        value: (after.machine - before.machine) / 1000,
        unit: 's',
      },
      { work: `${MANY} Pods: of it the program itself`, value: (after.program - before.program) / 1000, unit: 's' },
      { work: `${MANY} Pods deleted, until all are gone`, value: (performance.now() - removedAt) / 1000, unit: 's' },
    ];
  }

  async #createAll(names: readonly string[]): Promise<void> {
    await Promise.all(names.map((podName) => this.#create(podName)));
    await this.#until(() => names.every((podName) => this.#running.has(podName)));
  }

  async #create(podName: string): Promise<void> {
    await this.#client.resource('v1/pods').create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: podName, namespace: 'default' },
      spec: {
        containers: [
          { name: 'main', image: 'busybox:test', imagePullPolicy: 'IfNotPresent', command: ['sleep', '100000'] },
        ],
      },
    });
  }

  async #remove(names: readonly string[]): Promise<void> {
    await Promise.all(
      names.map((podName) => this.#client.resource('v1/pods').delete({ namespace: 'default', name: podName })),
    );
    await this.#until(() => this.#present === 0);
  }

  async #until(condition: () => boolean): Promise<void> {
    const end = performance.now() + LIMIT_MS;
    while (!condition()) {
      if (performance.now() > end)
        throw new Error(
          `after ${LIMIT_MS} ms: ${this.#running.size} pods have been Running, ${this.#present} are there`,
        );
      await Promise.race([new Promise<void>((resolve) => (this.#wake = resolve)), sleep(1000)]);
    }
  }
}

/** The processor time that the whole machine has used, in milliseconds; waiting is not counted. */
function machineMs(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]!
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softIrq) * 10;
}

/** Processes of a program that were told of this directory: other clusters of the machine have some too. */
function processesOf(program: string, directory: string): number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === program && command.includes(directory);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function memoryOf(pid: number, field: string): number {
  return (
    Number(
      new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0,
    ) / 1024
  );
}
