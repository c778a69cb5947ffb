/**
 * The CPU manager, memory manager, device manager and DRA manager behind one interface; the topology manager aligns
 * them at pod admission.
 */
import type { Container, EphemeralContainer, Pod, ResourceStatus } from '../../api/generated/core-v1.ts';
import { errorMessage, parseQuantity } from '../../base/index.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import type { PodRejection } from '../admission/admit-pod.ts';
import type { DeviceManager } from '../devices/device-manager.ts';
import type { DraManager } from '../dra/dra-manager.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { mergeRunOptions, type RunContainerOptions, type ContainerManager } from '../pod/container-manager.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { isContainerNotFound, type ObservedPod } from '../runtime/observe-pod.ts';
import { CpuManager } from './cpu-manager.ts';
import { parseCpuSet } from './cpu-set.ts';
import { MemoryManager } from './memory-manager.ts';
import { reservedMemory } from './memory-state.ts';
import type { NodeTopology } from './node-topology.ts';
import { TopologyManager } from './topology-manager.ts';

interface ResourceManagersOptions {
  readonly config: KubeletConfig;
  readonly topology: NodeTopology;
  readonly memoryCapacity: number;
  readonly runtime: ContainerRuntime;
  readonly devices: DeviceManager;
  readonly dra: DraManager;
}

export class ResourceManagers implements ContainerManager {
  readonly cpus: CpuManager;
  readonly memory: MemoryManager;
  readonly devices: DeviceManager;
  readonly #ctx: Context;
  readonly #options: ResourceManagersOptions;
  readonly #topologyManager: TopologyManager;
  /** The cpuset that was last set on each running container. */
  readonly #appliedCpusets = new Map<string, string>();
  #admissionQueue: Promise<unknown> = Promise.resolve();
  #changed: () => void = () => {};

  constructor(ctx: Context, options: ResourceManagersOptions) {
    const { config, topology, memoryCapacity, devices } = options;
    this.#ctx = childContext(ctx, 'resources');
    this.#options = options;
    this.devices = devices;
    const reserved =
      config.reservedSystemCPUs === ''
        ? { milli: reservedMilli(config) }
        : { cpus: parseCpuSet(config.reservedSystemCPUs) };
    this.cpus = new CpuManager({
      policy: config.cpuManagerPolicy,
      options: config.cpuManagerPolicyOptions,
      featureGates: config.featureGates,
      topologyPolicy: config.topologyManagerPolicy,
      rootDirectory: config.rootDirectory,
      topology,
      reserved,
    });
    this.memory = new MemoryManager({
      policy: config.memoryManagerPolicy,
      rootDirectory: config.rootDirectory,
      topology,
      reserved: reservedMemory(config, memoryCapacity),
    });
    this.#topologyManager = new TopologyManager({
      policy: config.topologyManagerPolicy,
      scope: config.topologyManagerScope,
      numaNodes: topology.numaNodes.map(({ id }) => id),
      providers: [this.cpus, this.memory, devices],
    });
  }

  /** Restores the allocations; throws when they were made by another policy. */
  async load(): Promise<void> {
    await this.cpus.load();
    await this.memory.load();
    await this.devices.load();
    await this.#options.dra.load();
  }

  async removeStaleState(podUids: ReadonlySet<string>): Promise<void> {
    for (const manager of [this.cpus, this.memory, this.devices]) await manager.removeStaleState(podUids);
  }

  admit(pod: Pod): Promise<PodRejection | undefined> {
    // One pod at a time, so that no resource is allocated twice.
    const admitted = this.#admissionQueue.then(async () => {
      const rejection = await this.#topologyManager.admit(pod);
      if (rejection !== undefined) await this.release(pod);
      return rejection;
    });
    this.#admissionQueue = admitted.catch(() => {});
    void admitted.then(
      () => this.#changed(),
      () => {},
    );
    return admitted;
  }

  prepareDynamicResources(pod: Pod): Promise<void> {
    return this.#options.dra.prepare(pod);
  }

  async runContainerOptions(pod: Pod, container: Container | EphemeralContainer): Promise<RunContainerOptions> {
    const cpuset = this.cpus.cpusOf(uidOf(pod), container.name);
    const memset = this.memory.nodesOf(uidOf(pod), container.name);
    const ofClaims = this.#options.dra.runContainerOptions(pod, container);
    return mergeRunOptions(
      { ...ofClaims, ...(cpuset === undefined ? {} : { cpuset }), ...(memset === undefined ? {} : { memset }) },
      await this.devices.runContainerOptions(pod, container),
    );
  }

  allocatedResourcesStatus(pod: Pod, container: Container): ResourceStatus[] {
    return [
      ...this.devices.allocatedResourcesStatus(pod, container),
      ...this.#options.dra.allocatedResourcesStatus(pod, container),
    ];
  }

  async release(pod: Pod): Promise<void> {
    for (const manager of [this.cpus, this.memory, this.devices, this.#options.dra]) await manager.release(uidOf(pod));
    this.#changed();
  }

  /** Updates the cpusets of containers in the shared pool, which changes with every exclusive allocation. */
  async run(observed: () => readonly ObservedPod[]): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    if (!this.cpus.isStatic) return;
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => (this.#changed = resolve));
      await Promise.race([
        changed,
        clock.sleep(this.#options.config.cpuManagerReconcilePeriod, signal).catch(() => {}),
      ]);
      if (signal.aborted) return;
      await this.reconcile(observed()).catch((error: unknown) =>
        logger.v(1).info('Failed to update the cpusets of containers', { err: errorMessage(error) }),
      );
    }
  }

  async reconcile(pods: readonly ObservedPod[]): Promise<void> {
    const running = pods.flatMap(({ uid, containers }) =>
      containers.filter(({ state }) => state === 'running').map((container) => ({ uid, container })),
    );
    const alive = new Set(running.map(({ container }) => container.id));
    for (const id of this.#appliedCpusets.keys()) if (!alive.has(id)) this.#appliedCpusets.delete(id);
    for (const { uid, container } of running) {
      const cpusetCpus = this.cpus.cpusOf(uid, container.name) ?? '';
      if (
        cpusetCpus === '' ||
        (this.#appliedCpusets.get(container.id) ?? container.status.resources?.linux?.cpusetCpus) === cpusetCpus
      )
        continue;
      await this.#options.runtime.runtime
        .updateContainerResources({ containerId: container.id, linux: { cpusetCpus } })
        .catch((error: unknown) => {
          if (!isContainerNotFound(error)) throw error;
        });
      this.#appliedCpusets.set(container.id, cpusetCpus);
    }
  }
}

const reservedMilli = ({ kubeReserved, systemReserved }: KubeletConfig): number =>
  [kubeReserved['cpu'], systemReserved['cpu']].reduce(
    (sum, text) => sum + (text === undefined ? 0 : parseQuantity(text).milliValue()),
    0,
  );
