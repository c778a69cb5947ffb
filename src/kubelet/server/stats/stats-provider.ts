/**
 * The stats provider: usage of the node and its pods, from the runtime and the kernel. Serves /stats/summary and the
 * eviction manager.
 */
import fs from 'node:fs/promises';
import os from 'node:os';
import type { Pod } from '../../../api/generated/core-v1.ts';
import { formatTime } from '../../../base/index.ts';
import type {
  ContainerRuntime,
  ContainerStats,
  CpuUsage,
  FilesystemUsage,
  ImageFsInfoResponse,
  MemoryUsage,
  PodSandboxStats,
} from '../../../cri/index.ts';
import { childContext, type Context } from '../../../kernel/index.ts';
import type { CgroupManager } from '../../cgroups/cgroup-manager.ts';
import type { KubeletConfig } from '../../kubelet-options.ts';
import { filesystemUse, memoryAvailable, processCounts, type Machine } from '../../node/machine.ts';
import { uidOf } from '../../pod/pod-identity.ts';
import type { PodManager } from '../../pod/pod-manager.ts';
import { CONTAINER_NAME, POD_UID } from '../../runtime/labels.ts';
import { podLogDirectory } from '../../runtime/sandbox-config.ts';
import type { VolumeManager } from '../../volumes/volume-manager.ts';
import { diskUsage } from './disk-usage.ts';
import type {
  ContainerSummary,
  CpuStats,
  FsStats,
  MemoryStats,
  NetworkStats,
  NodeSummary,
  PodSummary,
  Summary,
  VolumeSummary,
} from './summary-types.ts';
import { VolumeStats } from './volume-stats.ts';

interface StatsOptions {
  readonly runtime: ContainerRuntime;
  readonly config: KubeletConfig;
  readonly machine: Machine;
  readonly manager: PodManager;
  readonly volumes: VolumeManager;
  readonly cgroups: CgroupManager;
}

interface Sample {
  readonly at: number;
  readonly nanoseconds: number;
  readonly nanoCores: number;
}

/** The minimum interval of a CPU rate. */
const MIN_RATE_INTERVAL_MS = 1000;
const SAMPLE_EXPIRY_MS = 10 * 60_000;
const JIFFY_NANOSECONDS = 10_000_000;

export class StatsProvider {
  readonly #ctx: Context;
  readonly #options: StatsOptions;
  readonly #volumes: VolumeStats;
  readonly #samples = new Map<string, Sample>();
  readonly #startedAt: number;

  constructor(ctx: Context, options: StatsOptions) {
    this.#ctx = childContext(ctx, 'stats');
    this.#options = options;
    this.#volumes = new VolumeStats(this.#ctx, options);
    this.#startedAt = ctx.clock.now();
  }

  /** `cpuAndMemory` skips disk usage, which is slow to measure. */
  async summary({ cpuAndMemory = false }: { cpuAndMemory?: boolean } = {}): Promise<Summary> {
    const { config, manager } = this.#options;
    const time = formatTime(this.#ctx.clock.now());
    const [pods, usage, rest] = await Promise.all([
      this.#pods(manager.pods(), { time, cpuAndMemory }),
      this.#nodeUsage(time),
      cpuAndMemory ? {} : this.#nodeDiskNetworkAndProcesses(time),
    ]);
    const oldest = this.#ctx.clock.monotonic() - SAMPLE_EXPIRY_MS;
    for (const [key, { at }] of this.#samples) if (at < oldest) this.#samples.delete(key);
    return { node: { nodeName: config.nodeName, startTime: formatTime(this.#startedAt), ...usage, ...rest }, pods };
  }

  /** The usage of some pods, including disks. */
  async podSummaries(pods: readonly Pod[]): Promise<PodSummary[]> {
    return this.#pods(pods, { time: formatTime(this.#ctx.clock.now()), cpuAndMemory: false });
  }

  /** Stats of the volumes of PersistentVolumeClaims. */
  claimVolumes(): Promise<VolumeSummary[]> {
    return this.#volumes.ofClaims(this.#options.manager.pods());
  }

  async #pods(pods: readonly Pod[], options: { time: string; cpuAndMemory: boolean }): Promise<PodSummary[]> {
    const stats = await this.#podStats();
    return (await Promise.all(pods.map((pod) => this.#pod(pod, stats.get(uidOf(pod)), options)))).filter(
      (pod) => pod !== undefined,
    );
  }

  async #nodeUsage(time: string): Promise<Pick<NodeSummary, 'cpu' | 'memory'>> {
    const { machine } = this.#options;
    const [available, cpuNanoseconds] = await Promise.all([memoryAvailable(), nodeCpuNanoseconds()]);
    return {
      cpu: {
        time,
        usageNanoCores: this.#rate('node', cpuNanoseconds, undefined),
        usageCoreNanoSeconds: cpuNanoseconds,
      },
      memory: {
        time,
        availableBytes: available,
        usageBytes: machine.memoryBytes - os.freemem(),
        workingSetBytes: Math.max(0, machine.memoryBytes - available),
      },
    };
  }

  async #nodeDiskNetworkAndProcesses(time: string): Promise<Partial<NodeSummary>> {
    const [nodefs, runtime, processes, network] = await Promise.all([
      filesystemUse(this.#options.config.rootDirectory),
      this.#runtimeFs(time),
      processCounts(),
      nodeNetwork(time),
    ]);
    return {
      ...(network === undefined ? {} : { network }),
      fs: {
        time,
        availableBytes: nodefs.availableBytes,
        capacityBytes: nodefs.capacityBytes,
        usedBytes: nodefs.capacityBytes - nodefs.availableBytes,
        inodesFree: nodefs.inodesFree,
        inodes: nodefs.inodes,
        inodesUsed: nodefs.inodes - nodefs.inodesFree,
      },
      runtime,
      rlimit: { time, maxpid: processes.max, curproc: processes.running },
    };
  }

  /** Stats by pod UID. Runtimes without stats of sandboxes report those of containers only. */
  async #podStats(): Promise<Map<string, PodSandboxStats>> {
    const { runtime } = this.#options.runtime;
    const { stats = [] } = await runtime.listPodSandboxStats({}).catch(() => ({ stats: [] as PodSandboxStats[] }));
    const result = new Map(
      stats.map((one) => [one.attributes?.metadata?.uid ?? one.attributes?.labels?.[POD_UID] ?? '', one]),
    );
    if (result.size > 0) return result;
    const containers = new Map<string, ContainerStats[]>();
    for (const one of (await runtime.listContainerStats({}).catch(() => ({ stats: [] }))).stats ?? []) {
      const uid = one.attributes?.labels?.[POD_UID] ?? '';
      containers.set(uid, [...(containers.get(uid) ?? []), one]);
    }
    return new Map(Array.from(containers, ([uid, list]) => [uid, { linux: { containers: list } }]));
  }

  async #pod(
    pod: Pod,
    stats: PodSandboxStats | undefined,
    { time, cpuAndMemory }: { time: string; cpuAndMemory: boolean },
  ): Promise<PodSummary | undefined> {
    const worker = this.#options.manager.worker(uidOf(pod));
    const running = worker?.observed.containers.filter(({ state }) => state === 'running') ?? [];
    if (stats === undefined || running.length === 0) return undefined;
    const { linux } = stats;
    const containers = running.map((container): ContainerSummary => {
      const found = linux?.containers?.find(
        ({ attributes }) =>
          attributes?.id === container.id ||
          (attributes?.id === undefined && attributes?.labels?.[CONTAINER_NAME] === container.name),
      );
      return {
        name: container.name,
        startTime: formatTime(container.startedAt),
        cpu: this.#cpu(`container/${container.id}`, found?.cpu, time),
        memory: memoryStats(found?.memory, time),
        rootfs: writable(found?.writableLayer, time),
      };
    });
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    const cpu =
      linux?.cpu === undefined
        ? {
            time,
            ...totals(
              containers.map((one) => one.cpu),
              ['usageNanoCores', 'usageCoreNanoSeconds'],
            ),
          }
        : this.#cpu(`pod/${uid}`, linux.cpu, time);
    const memory =
      linux?.memory === undefined
        ? {
            time,
            ...totals(
              containers.map((one) => one.memory),
              ['usageBytes', 'workingSetBytes', 'rssBytes'],
            ),
          }
        : memoryStats(linux.memory, time);
    const disk = cpuAndMemory ? undefined : await this.#disk(pod, containers, time);
    return {
      podRef: { name, namespace, uid },
      startTime: pod.status?.startTime ?? time,
      containers: disk?.containers ?? containers,
      cpu,
      memory,
      ...networkOf(stats, time),
      ...(disk === undefined ? {} : { volume: disk.volumes, 'ephemeral-storage': disk.ephemeral }),
      ...(linux?.process?.processCount?.value === undefined
        ? {}
        : { process_stats: { process_count: linux.process.processCount.value } }),
    };
  }

  async #disk(
    pod: Pod,
    containers: readonly ContainerSummary[],
    time: string,
  ): Promise<{ containers: ContainerSummary[]; volumes: VolumeSummary[]; ephemeral: FsStats }> {
    const { config } = this.#options;
    const nodefs = await filesystemUse(config.rootDirectory);
    const whole = {
      availableBytes: nodefs.availableBytes,
      capacityBytes: nodefs.capacityBytes,
      inodesFree: nodefs.inodesFree,
      inodes: nodefs.inodes,
    };
    const withLogs = await Promise.all(
      containers.map(async (container): Promise<ContainerSummary> => {
        const logs = await diskUsage(`${podLogDirectory(config.podLogsDir, pod)}/${container.name}`);
        return { ...container, logs: { time, ...whole, usedBytes: logs.bytes, inodesUsed: logs.inodes } };
      }),
    );
    const { volumes, localBytes } = await this.#volumes.ofPod(pod, nodefs);
    const used =
      localBytes +
      withLogs.reduce((sum, { rootfs, logs }) => sum + (rootfs?.usedBytes ?? 0) + (logs?.usedBytes ?? 0), 0);
    return { containers: withLogs, volumes, ephemeral: { time, ...whole, usedBytes: used } };
  }

  #cpu(key: string, usage: CpuUsage | undefined, time: string): CpuStats {
    const total = usage?.usageCoreNanoSeconds?.value ?? 0;
    return { time, usageNanoCores: this.#rate(key, total, usage?.usageNanoCores?.value), usageCoreNanoSeconds: total };
  }

  /** CPU usage in nanocores since an earlier sample, unless the runtime reports it. */
  #rate(key: string, nanoseconds: number, given: number | undefined): number {
    if (given !== undefined && given > 0) return given;
    const at = this.#ctx.clock.monotonic();
    const before = this.#samples.get(key);
    if (before !== undefined && at - before.at < MIN_RATE_INTERVAL_MS) return before.nanoCores;
    const nanoCores =
      before === undefined || nanoseconds < before.nanoseconds
        ? 0
        : Math.round(((nanoseconds - before.nanoseconds) / (at - before.at)) * 1000);
    this.#samples.set(key, { at, nanoseconds, nanoCores });
    return nanoCores;
  }

  /** imagefs and containerfs; runtimes that report only imagefs use it for both. */
  async #runtimeFs(time: string): Promise<NonNullable<NodeSummary['runtime']>> {
    const { imageFilesystems = [], containerFilesystems = [] } = await this.#options.runtime.images
      .imageFsInfo({})
      .catch((): ImageFsInfoResponse => ({}));
    const [images] = imageFilesystems;
    const imageFs = await this.#filesystem(images, time);
    return {
      imageFs,
      containerFs: containerFilesystems.length === 0 ? imageFs : await this.#filesystem(containerFilesystems[0], time),
    };
  }

  async #filesystem(usage: FilesystemUsage | undefined, time: string): Promise<FsStats> {
    const { rootDirectory } = this.#options.config;
    const use = await filesystemUse(usage?.fsId?.mountpoint ?? rootDirectory).catch(() => filesystemUse(rootDirectory));
    return {
      time,
      availableBytes: use.availableBytes,
      capacityBytes: use.capacityBytes,
      usedBytes: usage?.usedBytes?.value ?? 0,
      inodesFree: use.inodesFree,
      inodes: use.inodes,
      inodesUsed: usage?.inodesUsed?.value ?? 0,
    };
  }
}

/** The sums of some fields over all containers, for runtimes that report none for the pod. */
function totals<K extends string>(
  stats: readonly (Readonly<Partial<Record<K, number>>> | undefined)[],
  fields: readonly K[],
): Record<K, number> {
  const sum = (field: K): number => stats.reduce((total, one) => total + (one?.[field] ?? 0), 0);
  return Object.fromEntries(fields.map((field) => [field, sum(field)])) as Record<K, number>;
}

const memoryStats = (usage: MemoryUsage | undefined, time: string): MemoryStats => ({
  time,
  ...(usage?.availableBytes?.value === undefined ? {} : { availableBytes: usage.availableBytes.value }),
  usageBytes: usage?.usageBytes?.value ?? usage?.workingSetBytes?.value ?? 0,
  workingSetBytes: usage?.workingSetBytes?.value ?? 0,
  rssBytes: usage?.rssBytes?.value ?? 0,
  pageFaults: usage?.pageFaults?.value ?? 0,
  majorPageFaults: usage?.majorPageFaults?.value ?? 0,
});

const writable = (usage: FilesystemUsage | undefined, time: string): FsStats => ({
  time,
  usedBytes: usage?.usedBytes?.value ?? 0,
  inodesUsed: usage?.inodesUsed?.value ?? 0,
});

function networkOf({ linux }: PodSandboxStats, time: string): { network?: NetworkStats } {
  const first = linux?.network?.defaultInterface;
  if (first === undefined) return {};
  const read = (
    one: typeof first,
  ): { name: string; rxBytes: number; rxErrors: number; txBytes: number; txErrors: number } => ({
    name: one.name ?? '',
    rxBytes: one.rxBytes?.value ?? 0,
    rxErrors: one.rxErrors?.value ?? 0,
    txBytes: one.txBytes?.value ?? 0,
    txErrors: one.txErrors?.value ?? 0,
  });
  return { network: { time, ...read(first), interfaces: [first, ...(linux?.network?.interfaces ?? [])].map(read) } };
}

async function nodeCpuNanoseconds(): Promise<number> {
  const text = await fs.readFile('/proc/stat', 'utf8').catch(() => '');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (text.split('\n')[0] ?? '')
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) * JIFFY_NANOSECONDS;
}

async function nodeNetwork(time: string): Promise<NetworkStats | undefined> {
  const text = await fs.readFile('/proc/net/dev', 'utf8').catch(() => '');
  const interfaces = text
    .split('\n')
    .map((line) => /^\s*([^:\s]+):(.*)$/.exec(line))
    .filter((match) => match !== null && match[1] !== 'lo')
    .map((match) => {
      const numbers = (match?.[2] ?? '').trim().split(/\s+/).map(Number);
      return {
        name: match?.[1] ?? '',
        rxBytes: numbers[0] ?? 0,
        rxErrors: numbers[2] ?? 0,
        txBytes: numbers[8] ?? 0,
        txErrors: numbers[10] ?? 0,
      };
    });
  const [first] = interfaces;
  return first === undefined ? undefined : { time, ...first, interfaces };
}
