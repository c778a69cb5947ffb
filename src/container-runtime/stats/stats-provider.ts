/** Container and sandbox stats for CRI, from cgroups, network counters and writable layers. */
import path from 'node:path';
import type {
  ContainerStats,
  ContainerStatsFilter,
  CpuUsage,
  FilesystemUsage,
  IoUsage,
  LinuxPodSandboxStats,
  MemoryUsage,
  MetricDescriptor,
  PodSandboxMetrics,
  PodSandboxStats,
  PodSandboxStatsFilter,
  SwapUsage,
} from '../../cri/index.ts';
import { matchesLabels } from '../label-filter.ts';
import type { ContainerRecord } from '../records/container-record.ts';
import type { SandboxRecord } from '../records/sandbox-record.ts';
import { nowNanoseconds, type RuntimeParts } from '../runtime-parts.ts';
import { sandboxModes } from '../sandboxes/sandbox-namespaces.ts';
import { sandboxState } from '../sandboxes/sandbox-status.ts';
import type { CgroupUsage } from './cgroup-usage.ts';
import { LayerUsages, type ContainerState } from './layer-usages.ts';
import { containerMetrics, METRIC_DESCRIPTORS, sandboxNetworkMetrics } from './metrics.ts';
import { readNetworkUsage } from './network-usage.ts';
import { UsageReadings, type UsageReading } from './usage-readings.ts';

interface CpuSample {
  readonly at: number;
  readonly nanoseconds: number;
  readonly nanoCores: number | undefined;
}

/** CPU rates over shorter intervals are not meaningful. */
const MIN_INTERVAL_MS = 500;

export class StatsProvider {
  readonly #parts: RuntimeParts;
  /** The last sample of each cgroup, for rates. */
  readonly #samples = new Map<string, CpuSample>();
  readonly #readings: UsageReadings;
  readonly #layers: LayerUsages;

  constructor(parts: RuntimeParts) {
    this.#parts = parts;
    this.#readings = new UsageReadings(parts.ctx.clock, parts.cgroups);
    this.#layers = new LayerUsages(parts.ctx.clock, (id) => parts.images.snapshots.usage(id));
  }

  /** `podReading` is the current reading of the pod's cgroup. */
  async container(record: ContainerRecord, podReading?: UsageReading): Promise<ContainerStats> {
    const { id, config, cgroupPath } = record;
    const { metadata, labels, annotations } = config;
    const reading = record.phase === 'running' ? this.#readings.read(cgroupPath, podReading) : undefined;
    const writableLayer = await this.#writableLayer(id, record.phase === 'running' ? reading : 'ended');
    return {
      attributes: { id, ...(metadata && { metadata }), ...(labels && { labels }), ...(annotations && { annotations }) },
      ...(reading && this.#usage(cgroupPath, reading.usage)),
      ...(writableLayer && { writableLayer }),
    };
  }

  async containers(filter: ContainerStatsFilter = {}): Promise<ContainerStats[]> {
    const { containers, sandboxes } = this.#parts;
    this.#dropRemoved();
    const only = filter.id ? (containers.find(filter.id)?.id ?? '') : undefined;
    const sandbox = filter.podSandboxId ? (sandboxes.find(filter.podSandboxId)?.id ?? '') : undefined;
    const wanted = [...containers].filter(
      ({ id, sandboxId, phase, config }) =>
        phase === 'running' &&
        (only === undefined || id === only) &&
        (sandbox === undefined || sandboxId === sandbox) &&
        matchesLabels(config.labels, filter.labelSelector),
    );
    return Promise.all(wanted.map((record) => this.container(record)));
  }

  async sandbox(
    record: SandboxRecord,
    running: readonly ContainerRecord[] = this.#runningBySandbox().get(record.id) ?? [],
  ): Promise<PodSandboxStats> {
    const { id, config } = record;
    const { metadata, labels, annotations } = config;
    const parent = config.linux?.cgroupParent;
    const reading = parent ? this.#readings.read(parent) : undefined;
    const containers = await Promise.all(
      running.map((container) =>
        this.container(container, container.cgroupPath.startsWith(`${parent}/`) ? reading : undefined),
      ),
    );
    const network = this.#network(record);
    const linux: LinuxPodSandboxStats = {
      ...(reading && parent ? this.#podUsage(parent, reading.usage) : {}),
      ...(network && { network }),
      containers,
    };
    return {
      attributes: { id, ...(metadata && { metadata }), ...(labels && { labels }), ...(annotations && { annotations }) },
      linux,
    };
  }

  async sandboxes(filter: PodSandboxStatsFilter = {}): Promise<PodSandboxStats[]> {
    this.#dropRemoved();
    const running = this.#runningBySandbox();
    return Promise.all(
      this.#readySandboxes(filter).map((record) => this.sandbox(record, running.get(record.id) ?? [])),
    );
  }

  metricDescriptors(): MetricDescriptor[] {
    return [...METRIC_DESCRIPTORS];
  }

  async sandboxMetrics(): Promise<PodSandboxMetrics[]> {
    const running = this.#runningBySandbox();
    return Promise.all(
      this.#readySandboxes({}).map(async (record) => {
        const stats = await this.sandbox(record, running.get(record.id) ?? []);
        const at = nowNanoseconds(this.#parts.ctx);
        return {
          podSandboxId: record.id,
          metrics: sandboxNetworkMetrics(stats, at),
          containerMetrics: (stats.linux?.containers ?? []).map((container) => ({
            containerId: container.attributes?.id ?? '',
            metrics: containerMetrics(container, record, at),
          })),
        };
      }),
    );
  }

  #runningBySandbox(): Map<string, ContainerRecord[]> {
    const bySandbox = new Map<string, ContainerRecord[]>();
    for (const record of this.#parts.containers) {
      if (record.phase !== 'running') continue;
      const others = bySandbox.get(record.sandboxId);
      if (others === undefined) bySandbox.set(record.sandboxId, [record]);
      else others.push(record);
    }
    return bySandbox;
  }

  #readySandboxes(filter: PodSandboxStatsFilter): SandboxRecord[] {
    const only = filter.id ? (this.#parts.sandboxes.find(filter.id)?.id ?? '') : undefined;
    return [...this.#parts.sandboxes].filter(
      (record) =>
        sandboxState(record) === 'SANDBOX_READY' &&
        (only === undefined || record.id === only) &&
        matchesLabels(record.config.labels, filter.labelSelector),
    );
  }

  #usage(cgroup: string, usage: CgroupUsage): { cpu: CpuUsage; memory: MemoryUsage; swap?: SwapUsage; io?: IoUsage } {
    const timestamp = nowNanoseconds(this.#parts.ctx);
    const { memory, swap } = usage;
    const nanoCores = this.#nanoCores(cgroup, usage.cpuNanoseconds);
    return {
      cpu: {
        timestamp,
        usageCoreNanoSeconds: { value: usage.cpuNanoseconds },
        ...(nanoCores === undefined ? {} : { usageNanoCores: { value: nanoCores } }),
        ...(usage.cpuPressure && { psi: usage.cpuPressure }),
      },
      memory: {
        timestamp,
        workingSetBytes: { value: memory.workingSet },
        availableBytes: { value: memory.limit === undefined ? 0 : Math.max(0, memory.limit - memory.workingSet) },
        usageBytes: { value: memory.usage },
        rssBytes: { value: memory.rss },
        pageFaults: { value: memory.pageFaults },
        majorPageFaults: { value: memory.majorPageFaults },
        ...(memory.pressure && { psi: memory.pressure }),
      },
      ...(swap && {
        swap: {
          timestamp,
          swapUsageBytes: { value: swap.usage },
          swapAvailableBytes: { value: swap.limit === undefined ? 0 : Math.max(0, swap.limit - swap.usage) },
        },
      }),
      ...(usage.ioPressure && { io: { timestamp, psi: usage.ioPressure } }),
    };
  }

  #podUsage(cgroup: string, usage: CgroupUsage): LinuxPodSandboxStats {
    const { cpu, memory, io } = this.#usage(cgroup, usage);
    return {
      cpu,
      memory,
      process: { timestamp: cpu.timestamp ?? 0, processCount: { value: usage.processes } },
      ...(io && { io }),
    };
  }

  #network(record: SandboxRecord): LinuxPodSandboxStats['network'] {
    if (sandboxState(record) !== 'SANDBOX_READY' || sandboxModes(record.config, this.#parts.nodeNetns).hostNetwork)
      return undefined;
    const interfaces = readNetworkUsage(this.#parts.paths.sandbox(record.id).net);
    const name = this.#parts.network?.attachment(record.id)?.interfaceName ?? 'eth0';
    const defaultInterface = interfaces.find((candidate) => candidate.name === name);
    return {
      timestamp: nowNanoseconds(this.#parts.ctx),
      ...(defaultInterface && { defaultInterface }),
      interfaces: interfaces.filter((candidate) => candidate !== defaultInterface),
    };
  }

  async #writableLayer(id: string, state: ContainerState): Promise<FilesystemUsage | undefined> {
    const { images, ctx, rootDirectory } = this.#parts;
    if (images.snapshots.get(id) === undefined) return undefined;
    const { bytes, inodes } = await this.#layers.of(id, state);
    return {
      timestamp: nowNanoseconds(ctx),
      fsId: { mountpoint: path.join(rootDirectory, 'images') },
      usedBytes: { value: bytes },
      inodesUsed: { value: inodes },
    };
  }

  /** The CPU usage since the last sample in nanocores; undefined for the first sample. */
  #nanoCores(cgroup: string, nanoseconds: number): number | undefined {
    const at = this.#parts.ctx.clock.monotonic();
    const before = this.#samples.get(cgroup);
    if (before !== undefined && at - before.at < MIN_INTERVAL_MS) return before.nanoCores;
    const nanoCores =
      before === undefined
        ? undefined
        : Math.max(0, Math.round(((nanoseconds - before.nanoseconds) / (at - before.at)) * 1000));
    this.#samples.set(cgroup, { at, nanoseconds, nanoCores });
    return nanoCores;
  }

  #dropRemoved(): void {
    const known = new Set<string>();
    const ids = new Set<string>();
    for (const { id, cgroupPath } of this.#parts.containers) {
      known.add(cgroupPath);
      ids.add(id);
    }
    for (const { config } of this.#parts.sandboxes)
      if (config.linux?.cgroupParent) known.add(config.linux.cgroupParent);
    for (const cgroup of this.#samples.keys()) if (!known.has(cgroup)) this.#samples.delete(cgroup);
    this.#readings.keepOnly(known);
    this.#layers.keepOnly(ids);
  }
}
