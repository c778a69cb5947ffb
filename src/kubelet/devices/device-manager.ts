/**
 * The device manager: device plugins register here, their devices become extended resources of the node, and containers
 * start with the devices, mounts and environment that the plugin's Allocate returned when their pod was admitted.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, EphemeralContainer, Pod, ResourceStatus } from '../../api/generated/core-v1.ts';
import { errorMessage, parseQuantity } from '../../base/index.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import { connectGrpc, GrpcServer, type GrpcConnection } from '../../grpc/index.ts';
import { childContext, type Context, makeDirectory, untilAborted } from '../../kernel/index.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { mergeRunOptions, NO_RUN_OPTIONS, type RunContainerOptions } from '../pod/container-manager.ts';
import { uidOf } from '../pod/pod-identity.ts';
import { pathOnNode, type KubeletRoot } from '../published-root.ts';
import { StateFile } from '../resources/state-file.ts';
import {
  allMasks,
  bitsOf,
  countOf,
  maskOf,
  type NumaMask,
  type ProviderHints,
  type TopologyHint,
} from '../resources/topology-hint.ts';
import type { HintProvider } from '../resources/topology-manager.ts';
import { deviceCheckpoint, WITHOUT_TOPOLOGY, type DevicesPerNuma, type DeviceState } from './device-checkpoint.ts';
import {
  descriptor,
  PACKAGE,
  type ContainerAllocateResponse,
  type DevicePlugin,
  type DevicePluginOptions,
  type RegisterRequest,
} from './device-plugin-v1beta1.generated.ts';
import { idsOf, PodDevices, type DeviceAllocation } from './pod-devices.ts';

const CONTRACT = { package: PACKAGE, descriptor };
const VERSION = 'v1beta1';
const CHECKPOINT = 'kubelet_internal_checkpoint';
/** So long the node has the resources of a plugin that has ended. */
const STOP_GRACE_PERIOD_MS = 5 * 60_000;

interface Plugin {
  readonly connection: GrpcConnection;
  readonly service: DevicePlugin;
  readonly options: DevicePluginOptions;
  readonly healthy: Set<string>;
  readonly all: Set<string>;
  /** The NUMA nodes of each device that has a topology. */
  readonly numaNodes: Map<string, NumaMask>;
  readonly stop: AbortController;
  /** When its ListAndWatch stream ended; undefined while it is connected. */
  stoppedAt: number | undefined;
}

export class DeviceManager implements HintProvider {
  readonly #ctx: Context;
  readonly #config: KubeletConfig;
  readonly #onChange: () => void;
  readonly #onHealth: (podUid: string) => void;
  readonly #plugins = new Map<string, Plugin>();
  readonly #numaNodes: readonly number[];
  readonly #allocated = new PodDevices();
  /** Resources whose plugins have not registered again since the start of the kubelet, and when it started. */
  readonly #expected = new Map<string, number>();
  readonly #state: StateFile<DeviceState>;
  readonly #watching = new Set<Promise<void>>();

  constructor(
    ctx: Context,
    options: {
      config: KubeletConfig;
      numaNodes: readonly number[];
      onChange: () => void;
      onHealth: (podUid: string) => void;
    },
  ) {
    this.#ctx = childContext(ctx, 'devices');
    this.#config = options.config;
    this.#numaNodes = options.numaNodes;
    this.#onChange = options.onChange;
    this.#onHealth = options.onHealth;
    this.#state = new StateFile(path.join(this.#directory, CHECKPOINT), deviceCheckpoint);
  }

  get #directory(): string {
    return path.join(this.#config.rootDirectory, 'device-plugins');
  }

  /** The extended resources for the node status. */
  resources(): { capacity: Record<string, number>; allocatable: Record<string, number> } {
    const capacity: Record<string, number> = {};
    const allocatable: Record<string, number> = {};
    this.#forgetStopped();
    // Zero, so that no pod comes before the plugin does.
    for (const name of this.#expected.keys()) capacity[name] = allocatable[name] = 0;
    for (const [name, { all, healthy }] of this.#plugins) {
      capacity[name] = all.size;
      allocatable[name] = healthy.size;
    }
    return { capacity, allocatable };
  }

  /** The devices of each container of a pod, by resource; for the PodResources API. */
  allocatedTo(podUid: string): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
    return Object.fromEntries(
      Object.entries(this.#allocated.ofPod(podUid)).map(([container, resources]) => [
        container,
        Object.fromEntries(Object.entries(resources).map(([resource, allocation]) => [resource, idsOf(allocation)])),
      ]),
    );
  }

  #forgetStopped(): void {
    const last = this.#ctx.clock.now() - STOP_GRACE_PERIOD_MS;
    for (const [name, startedAt] of this.#expected) if (startedAt < last) this.#expected.delete(name);
    for (const [name, { stoppedAt }] of this.#plugins)
      if (stoppedAt !== undefined && stoppedAt < last) this.#plugins.delete(name);
  }

  async run(): Promise<void> {
    const { signal } = this.#ctx;
    const directory = this.#directory;
    // Device plugins watch for a new kubelet.sock and register again.
    for (const name of await fs.readdir(directory))
      if ((await fs.stat(path.join(directory, name)).catch(() => undefined))?.isSocket())
        await fs.rm(path.join(directory, name), { force: true });
    const server = new GrpcServer().add(CONTRACT, 'Registration', {
      register: (request: RegisterRequest) => this.#register(directory, request),
    });
    await server.listen(`unix://${path.join(directory, 'kubelet.sock')}`);
    await untilAborted(signal);
    server.close();
    for (const { stop, connection } of this.#plugins.values()) {
      stop.abort();
      connection.close();
    }
    await Promise.all(this.#watching);
  }

  /** All healthy devices with their NUMA nodes; for the PodResources API. */
  allocatable(): {
    readonly resource: string;
    readonly ids: readonly string[];
    readonly numaNodes: readonly number[];
  }[] {
    return [...this.#plugins].flatMap(([resource, { healthy, numaNodes }]) =>
      [...healthy].map((id) => ({ resource, ids: [id], numaNodes: bitsOf(numaNodes.get(id) ?? 0) })),
    );
  }

  numaNodesOf(resource: string, id: string): number[] {
    return bitsOf(this.#plugins.get(resource)?.numaNodes.get(id) ?? 0);
  }

  hints(pod: Pod, container: Container | undefined): ProviderHints {
    const wanted = container === undefined ? this.#requestedDevicesOfPod(pod) : this.#requestedDevices(container);
    const ofPod = this.#allocated.ofPod(uidOf(pod));
    return Object.fromEntries(
      [...wanted].map(([resource, { count, plugin }]): [string, TopologyHint[] | undefined] => {
        if (plugin.numaNodes.size === 0) return [resource, undefined];
        const held =
          container === undefined
            ? Object.values(ofPod).flatMap((one) => idsOf(one[resource]))
            : idsOf(this.#allocated.of(uidOf(pod), container.name)[resource]);
        if (held.length > 0) return [resource, held.length === count ? this.#hintsFor(plugin, count, held) : []];
        return [resource, this.#hintsFor(plugin, count, this.#free(resource, plugin, pod))];
      }),
    );
  }

  /** A device without topology counts as close to every NUMA node. */
  #hintsFor({ all, numaNodes }: Plugin, count: number, usable: readonly string[]): TopologyHint[] {
    const masks = allMasks(this.#numaNodes);
    const inside = (mask: NumaMask, ids: Iterable<string>): number =>
      [...ids].filter((id) => ((numaNodes.get(id) ?? mask) & mask) !== 0).length;
    const fewestNodes = Math.min(...masks.filter((mask) => inside(mask, all) >= count).map(countOf));
    return masks
      .filter((mask) => inside(mask, usable) >= count)
      .map((mask) => ({ affinity: mask, preferred: countOf(mask) === fewestNodes }));
  }

  async allocate(pod: Pod, container: Container, { affinity }: TopologyHint): Promise<void> {
    let changed = false;
    for (const [resource, { count, plugin }] of this.#requestedDevices(container)) {
      if (this.#allocated.of(uidOf(pod), container.name)[resource] !== undefined) continue;
      const ids = await this.#choose(resource, { count, plugin, pod, affinity });
      this.#allocated.insert(uidOf(pod), container.name, resource, await allocateOf(plugin, ids));
      changed = true;
    }
    if (changed) await this.#save();
  }

  async runContainerOptions(pod: Pod, container: Container | EphemeralContainer): Promise<RunContainerOptions> {
    let options = NO_RUN_OPTIONS;
    for (const [resource, allocation] of Object.entries(this.#allocated.of(uidOf(pod), container.name))) {
      const plugin = this.#plugins.get(resource);
      if (plugin?.options.preStartRequired === true && plugin.stoppedAt === undefined)
        await plugin.service.preStartContainer({ devicesIds: idsOf(allocation) });
      options = mergeRunOptions(options, runOptionsOf(allocation.response, this.#config));
    }
    return options;
  }

  async release(podUid: string): Promise<void> {
    if (this.#allocated.remove(podUid)) await this.#save();
  }

  async removeStaleState(podUids: ReadonlySet<string>): Promise<void> {
    for (const uid of this.#allocated.podUids) if (!podUids.has(uid)) await this.release(uid);
  }

  /** How many devices of each registered plugin a container requests. */
  #requestedDevices({ resources }: Pick<Container, 'resources'>): Map<string, { count: number; plugin: Plugin }> {
    const wanted = new Map<string, { count: number; plugin: Plugin }>();
    for (const [resource, quantity] of Object.entries(resources?.limits ?? {})) {
      const plugin = this.#plugins.get(resource);
      const count = plugin === undefined ? 0 : parseQuantity(quantity).value();
      if (plugin !== undefined && count > 0) wanted.set(resource, { count, plugin });
    }
    return wanted;
  }

  #requestedDevicesOfPod({ spec }: Pod): Map<string, { count: number; plugin: Plugin }> {
    const total = new Map<string, { count: number; plugin: Plugin }>();
    const initContainers = (spec?.initContainers ?? []).filter((container) => !isRestartableInitContainer(container));
    for (const container of [
      ...(spec?.initContainers ?? []).filter(isRestartableInitContainer),
      ...(spec?.containers ?? []),
    ])
      for (const [resource, { count, plugin }] of this.#requestedDevices(container))
        total.set(resource, { count: count + (total.get(resource)?.count ?? 0), plugin });
    for (const container of initContainers)
      for (const [resource, { count, plugin }] of this.#requestedDevices(container))
        total.set(resource, { count: Math.max(count, total.get(resource)?.count ?? 0), plugin });
    return total;
  }

  async #register(
    directory: string,
    { version = '', endpoint = '', resourceName = '', options = {} }: RegisterRequest,
  ): Promise<object> {
    if (version !== VERSION)
      throw new Error(
        `requested API version ${JSON.stringify(version)} is not supported by kubelet. Supported version is ["${VERSION}"]`,
      );
    if (!resourceName.includes('/')) throw new Error(`the ResourceName ${JSON.stringify(resourceName)} is invalid`);
    await Promise.resolve();
    this.#plugins.get(resourceName)?.stop.abort();
    const connection = connectGrpc(path.join(directory, path.basename(endpoint)));
    const plugin: Plugin = {
      connection,
      service: connection.service<DevicePlugin>(CONTRACT, 'DevicePlugin'),
      options,
      healthy: new Set(),
      all: new Set(),
      numaNodes: new Map(),
      stop: new AbortController(),
      stoppedAt: undefined,
    };
    this.#plugins.set(resourceName, plugin);
    this.#expected.delete(resourceName);
    const watching = this.#watch(resourceName, plugin).finally(() => this.#watching.delete(watching));
    this.#watching.add(watching);
    return {};
  }

  async #watch(resource: string, plugin: Plugin): Promise<void> {
    try {
      for await (const { devices = [] } of plugin.service.listAndWatch({}, { signal: plugin.stop.signal })) {
        plugin.all.clear();
        plugin.healthy.clear();
        plugin.numaNodes.clear();
        for (const { ID = '', health, topology } of devices) {
          plugin.all.add(ID);
          const nodes = (topology?.nodes ?? []).map((node) => Number(node.ID ?? 0));
          if (nodes.length > 0) plugin.numaNodes.set(ID, maskOf(nodes));
          if (health === 'Healthy') plugin.healthy.add(ID);
        }
        await this.#devicesChanged(resource);
      }
    } catch (error) {
      this.#ctx.logger
        .v(1)
        .info('ListAndWatch ended unexpectedly for device plugin', { resource, err: errorMessage(error) });
    }
    // The devices stay in the capacity, so that pods wait for the plugin to come back instead of being rejected.
    plugin.healthy.clear();
    plugin.stoppedAt = this.#ctx.clock.now();
    await this.#devicesChanged(resource);
  }

  async #devicesChanged(resource: string): Promise<void> {
    if (this.#ctx.signal.aborted) return;
    this.#onChange();
    for (const uid of this.#allocated.podUids)
      if (Object.values(this.#allocated.ofPod(uid)).some((held) => held[resource] !== undefined)) this.#onHealth(uid);
    await this.#save().catch((error: unknown) => this.#ctx.logger.error(error, 'Writing checkpoint encountered'));
  }

  /** The container's devices and their health, for `allocatedResourcesStatus` of its status. */
  allocatedResourcesStatus(pod: Pod, container: Container): ResourceStatus[] {
    return Object.entries(this.#allocated.of(uidOf(pod), container.name)).map(([name, allocation]) => {
      const plugin = this.#plugins.get(name);
      const healthOf = (id: string): string =>
        plugin === undefined || plugin.stoppedAt !== undefined || !plugin.all.has(id)
          ? 'Unknown'
          : plugin.healthy.has(id)
            ? 'Healthy'
            : 'Unhealthy';
      return { name, resources: idsOf(allocation).map((id) => ({ resourceID: id, health: healthOf(id) })) };
    });
  }

  /** Healthy devices that no container has; devices of the pod's finished init containers may be reused. */
  #free(resource: string, plugin: Plugin, pod: Pod): string[] {
    const initContainers = new Set(
      (pod.spec?.initContainers ?? [])
        .filter((container) => !isRestartableInitContainer(container))
        .map(({ name }) => name),
    );
    const allocated = new Set<string>();
    for (const entry of this.#allocated.entries())
      if (entry.resource === resource && (entry.podUid !== uidOf(pod) || !initContainers.has(entry.container)))
        for (const id of idsOf(entry)) allocated.add(id);
    return [...plugin.healthy].filter((id) => !allocated.has(id));
  }

  async #choose(
    resource: string,
    {
      count,
      plugin,
      pod,
      affinity,
    }: { readonly count: number; readonly plugin: Plugin; readonly pod: Pod; readonly affinity: NumaMask | undefined },
  ): Promise<string[]> {
    const all = this.#free(resource, plugin, pod);
    if (all.length < count)
      throw new Error(
        `requested number of devices unavailable for ${resource}. Requested: ${count}, Available: ${all.length}`,
      );
    const distance = (id: string): number =>
      affinity === undefined
        ? 0
        : !plugin.numaNodes.has(id)
          ? 1
          : ((plugin.numaNodes.get(id) ?? 0) & affinity) === 0
            ? 2
            : 0;
    const free = all.toSorted((a, b) => distance(a) - distance(b));
    if (plugin.options.getPreferredAllocationAvailable !== true) return free.slice(0, count);
    // The plugin chooses among the devices that are equally close to the wanted NUMA nodes.
    const farthest = distance(free[count - 1] ?? '');
    const candidates = free.filter((id) => distance(id) <= farthest);
    const must = free.filter((id) => distance(id) < farthest);
    const { containerResponses = [] } = await plugin.service.getPreferredAllocation({
      containerRequests: [{ availableDeviceIDs: candidates, mustIncludeDeviceIDs: must, allocationSize: count }],
    });
    const preferred = (containerResponses[0]?.deviceIDs ?? []).filter((id) => candidates.includes(id));
    return [...new Set([...must, ...preferred, ...candidates])].slice(0, count);
  }

  async load(): Promise<void> {
    await makeDirectory(this.#directory, { mode: 0o750 });
    try {
      const state = await this.#state.load();
      for (const { podUid, container, resource, devices, response } of state?.containers ?? [])
        this.#allocated.insert(podUid, container, resource, { devices, response });
      for (const resource of Object.keys(state?.registered ?? {})) this.#expected.set(resource, this.#ctx.clock.now());
    } catch (error) {
      this.#ctx.logger.error(
        error,
        'Continue after failing to read checkpoint file. Device allocation info may NOT be up-to-date',
      );
    }
  }

  #save(): Promise<void> {
    this.#forgetStopped();
    const registered = [
      ...[...this.#expected.keys()].map((name): [string, string[]] => [name, []]),
      ...[...this.#plugins].map(([name, { healthy }]): [string, string[]] => [name, [...healthy]]),
    ];
    return this.#state.save({ containers: this.#allocated.entries(), registered: Object.fromEntries(registered) });
  }
}

async function allocateOf({ service, numaNodes }: Plugin, ids: readonly string[]): Promise<DeviceAllocation> {
  const { containerResponses = [] } = await service.allocate({ containerRequests: [{ devicesIds: ids }] });
  const [response] = containerResponses;
  if (response === undefined) throw new Error('no containers return in allocation response');
  return { devices: perNuma(ids, numaNodes), response };
}

function perNuma(ids: readonly string[], numaNodes: ReadonlyMap<string, NumaMask>): DevicesPerNuma {
  const devices: Record<string, string[]> = {};
  for (const id of ids) {
    const mask = numaNodes.get(id);
    for (const node of mask === undefined ? [WITHOUT_TOPOLOGY] : bitsOf(mask)) (devices[node] ??= []).push(id);
  }
  return devices;
}

function runOptionsOf(response: ContainerAllocateResponse, root: KubeletRoot): RunContainerOptions {
  const { envs = {}, mounts = [], devices = [], annotations = {}, cdiDevices = [] } = response;
  return {
    environment: envs,
    mounts: mounts.map(({ containerPath, hostPath = '', readOnly }) => ({
      containerPath,
      hostPath: pathOnNode(root, hostPath),
      readonly: readOnly === true,
    })),
    devices: devices.map(({ containerPath, hostPath, permissions }) => ({ containerPath, hostPath, permissions })),
    annotations,
    cdiDevices: cdiDevices.map(({ name = '' }) => name),
  };
}
