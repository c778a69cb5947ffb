/** Device plugins: what they offer becomes a resource of the node, and what a container gets of it goes into its start. */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Container, EphemeralContainer, Pod, ResourceStatus } from '../../api/generated/core-v1.ts';
import { errorMessage, ownValue, parseQuantity } from '../../base/index.ts';
import { isRestartableInitContainer } from '../../component-helpers/index.ts';
import { connectGrpc, GrpcServer, type GrpcConnection } from '../../grpc/index.ts';
import { childContext, writeFileDurably, type Context, makeDirectory } from '../../kernel/index.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { mergeAdditions, NO_ADDITION, type ContainerAddition } from '../pod/container-extras.ts';
import { uidOf } from '../pod/pod-text.ts';
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
import {
  descriptor,
  PACKAGE,
  type DevicePlugin,
  type DevicePluginOptions,
  type RegisterRequest,
} from './device-plugin-v1beta1.generated.ts';

const CONTRACT = { package: PACKAGE, descriptor };
const VERSION = 'v1beta1';
const CHECKPOINT = 'kubelet_internal_checkpoint';

interface Plugin {
  readonly connection: GrpcConnection;
  readonly service: DevicePlugin;
  readonly options: DevicePluginOptions;
  readonly healthy: Set<string>;
  readonly all: Set<string>;
  /** NUMA nodes of devices that are near some. */
  readonly near: Map<string, NumaMask>;
  readonly stop: AbortController;
  /** Whether it still tells of its devices. */
  connected: boolean;
}

/** pod uid → container → resource → device ids. */
type Allocated = Record<string, Record<string, Record<string, string[]>>>;

export class DeviceManager implements HintProvider {
  readonly #ctx: Context;
  readonly #config: KubeletConfig;
  readonly #onChange: () => void;
  readonly #onHealth: (podUid: string) => void;
  readonly #plugins = new Map<string, Plugin>();
  readonly #numaNodes: readonly number[];
  #allocated: Allocated = {};
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
  }

  /** Extended resources for the node's status. */
  resources(): { capacity: Record<string, number>; allocatable: Record<string, number> } {
    const capacity: Record<string, number> = {};
    const allocatable: Record<string, number> = {};
    for (const [name, { all, healthy }] of this.#plugins) {
      capacity[name] = all.size;
      allocatable[name] = healthy.size;
    }
    return { capacity, allocatable };
  }

  /** What each container of a pod holds, for those who ask about pods' resources. */
  allocatedTo(podUid: string): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> {
    return this.#allocated[podUid] ?? {};
  }

  async run(): Promise<void> {
    const { signal } = this.#ctx;
    const directory = path.join(this.#config.rootDirectory, 'device-plugins');
    await makeDirectory(directory, { mode: 0o750 });
    // Plugins watch for this socket to come again and register anew.
    for (const name of await fs.readdir(directory))
      if ((await fs.stat(path.join(directory, name)).catch(() => undefined))?.isSocket())
        await fs.rm(path.join(directory, name), { force: true });
    const server = new GrpcServer().add(CONTRACT, 'Registration', {
      register: (request: RegisterRequest) => this.#register(directory, request),
    });
    await server.listen(`unix://${path.join(directory, 'kubelet.sock')}`);
    await new Promise<void>((resolve) =>
      signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
    );
    server.close();
    for (const { stop, connection } of this.#plugins.values()) {
      stop.abort();
      connection.close();
    }
    await Promise.all(this.#watching);
  }

  /** All devices that pods can have: healthy ones, with the NUMA nodes they are near to. */
  allocatable(): {
    readonly resource: string;
    readonly ids: readonly string[];
    readonly numaNodes: readonly number[];
  }[] {
    return [...this.#plugins].flatMap(([resource, { healthy, near }]) =>
      [...healthy].map((id) => ({ resource, ids: [id], numaNodes: bitsOf(near.get(id) ?? 0) })),
    );
  }

  numaNodesOf(resource: string, id: string): number[] {
    return bitsOf(this.#plugins.get(resource)?.near.get(id) ?? 0);
  }

  hints(pod: Pod, container: Container | undefined): ProviderHints {
    const wanted = container === undefined ? this.#podCounts(pod) : this.#counts(container);
    const ofPod = this.#allocated[uidOf(pod)] ?? {};
    return Object.fromEntries(
      [...wanted].map(([resource, { count, plugin }]): [string, TopologyHint[] | undefined] => {
        if (plugin.near.size === 0) return [resource, undefined];
        const held =
          container === undefined
            ? Object.values(ofPod).flatMap((one) => one[resource] ?? [])
            : (ofPod[container.name]?.[resource] ?? []);
        if (held.length > 0) return [resource, held.length === count ? this.#hintsFor(plugin, count, held) : []];
        return [resource, this.#hintsFor(plugin, count, this.#free(resource, plugin, pod))];
      }),
    );
  }

  /** A device that is near no node in particular is near enough to each. */
  #hintsFor({ all, near }: Plugin, count: number, usable: readonly string[]): TopologyHint[] {
    const masks = allMasks(this.#numaNodes);
    const inside = (mask: NumaMask, ids: Iterable<string>): number =>
      [...ids].filter((id) => ((near.get(id) ?? mask) & mask) !== 0).length;
    const least = Math.min(...masks.filter((mask) => inside(mask, all) >= count).map(countOf));
    return masks
      .filter((mask) => inside(mask, usable) >= count)
      .map((mask) => ({ affinity: mask, preferred: countOf(mask) === least }));
  }

  async allocate(pod: Pod, container: Container, { affinity }: TopologyHint): Promise<void> {
    let changed = false;
    for (const [resource, { count, plugin }] of this.#counts(container)) {
      const ofPod = (this.#allocated[uidOf(pod)] ??= {});
      const ofContainer = ownValue(ofPod, container.name) ?? (ofPod[container.name] = {});
      if (ofContainer[resource] !== undefined) continue;
      ofContainer[resource] = await this.#choose(resource, { count, plugin, pod, affinity });
      changed = true;
    }
    if (changed) await this.#save();
  }

  async addition(pod: Pod, container: Container | EphemeralContainer): Promise<ContainerAddition> {
    let addition = NO_ADDITION;
    for (const [resource, ids] of Object.entries(ownValue(this.#allocated[uidOf(pod)], container.name) ?? {})) {
      const plugin = this.#plugins.get(resource);
      if (plugin === undefined) throw new Error(`the device plugin of ${resource} has not registered yet`);
      addition = mergeAdditions(addition, await this.#addition(plugin, ids));
    }
    return addition;
  }

  async release(podUid: string): Promise<void> {
    if (this.#allocated[podUid] === undefined) return;
    delete this.#allocated[podUid];
    await this.#save();
  }

  async keepOnly(podUids: ReadonlySet<string>): Promise<void> {
    for (const uid of Object.keys(this.#allocated)) if (!podUids.has(uid)) await this.release(uid);
  }

  /** How many devices of which plugin a container wants. */
  #counts({ resources }: Pick<Container, 'resources'>): Map<string, { count: number; plugin: Plugin }> {
    const wanted = new Map<string, { count: number; plugin: Plugin }>();
    for (const [resource, quantity] of Object.entries(resources?.limits ?? {})) {
      const plugin = this.#plugins.get(resource);
      const count = plugin === undefined ? 0 : parseQuantity(quantity).value();
      if (plugin !== undefined && count > 0) wanted.set(resource, { count, plugin });
    }
    return wanted;
  }

  #podCounts({ spec }: Pod): Map<string, { count: number; plugin: Plugin }> {
    const total = new Map<string, { count: number; plugin: Plugin }>();
    const starting = (spec?.initContainers ?? []).filter((container) => !isRestartableInitContainer(container));
    for (const container of [
      ...(spec?.initContainers ?? []).filter(isRestartableInitContainer),
      ...(spec?.containers ?? []),
    ])
      for (const [resource, { count, plugin }] of this.#counts(container))
        total.set(resource, { count: count + (total.get(resource)?.count ?? 0), plugin });
    for (const container of starting)
      for (const [resource, { count, plugin }] of this.#counts(container))
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
      near: new Map(),
      stop: new AbortController(),
      connected: true,
    };
    this.#plugins.set(resourceName, plugin);
    const watching = this.#watch(resourceName, plugin).finally(() => this.#watching.delete(watching));
    this.#watching.add(watching);
    return {};
  }

  async #watch(resource: string, plugin: Plugin): Promise<void> {
    try {
      for await (const { devices = [] } of plugin.service.listAndWatch({}, { signal: plugin.stop.signal })) {
        plugin.all.clear();
        plugin.healthy.clear();
        plugin.near.clear();
        for (const { ID = '', health, topology } of devices) {
          plugin.all.add(ID);
          const nodes = (topology?.nodes ?? []).map((node) => Number(node.ID ?? 0));
          if (nodes.length > 0) plugin.near.set(ID, maskOf(nodes));
          if (health === 'Healthy') plugin.healthy.add(ID);
        }
        this.#tell(resource);
      }
    } catch (error) {
      this.#ctx.logger.v(1).info('A device plugin has ended', { resource, err: errorMessage(error) });
    }
    // Its devices stay known, so that pods that want them wait for it to come back instead of being refused.
    plugin.healthy.clear();
    plugin.connected = false;
    this.#tell(resource);
  }

  #tell(resource: string): void {
    if (this.#ctx.signal.aborted) return;
    this.#onChange();
    for (const [uid, containers] of Object.entries(this.#allocated))
      if (Object.values(containers).some((held) => held[resource] !== undefined)) this.#onHealth(uid);
  }

  /** The devices that a container has, as its status tells of them. */
  health(pod: Pod, container: Container): ResourceStatus[] {
    return Object.entries(ownValue(this.#allocated[uidOf(pod)], container.name) ?? {}).map(([name, ids]) => {
      const plugin = this.#plugins.get(name);
      const healthOf = (id: string): string =>
        plugin?.connected !== true || !plugin.all.has(id)
          ? 'Unknown'
          : plugin.healthy.has(id)
            ? 'Healthy'
            : 'Unhealthy';
      return { name, resources: ids.map((id) => ({ resourceID: id, health: healthOf(id) })) };
    });
  }

  async #addition(plugin: Plugin, ids: readonly string[]): Promise<ContainerAddition> {
    if (plugin.options.preStartRequired === true) await plugin.service.preStartContainer({ devicesIds: ids });
    const { containerResponses = [] } = await plugin.service.allocate({ containerRequests: [{ devicesIds: ids }] });
    const [{ envs = {}, mounts = [], devices = [], annotations = {}, cdiDevices = [] } = {}] = containerResponses;
    return {
      environment: envs,
      mounts: mounts.map(({ containerPath, hostPath, readOnly }) => ({
        containerPath,
        hostPath,
        readonly: readOnly === true,
      })),
      devices: devices.map(({ containerPath, hostPath, permissions }) => ({ containerPath, hostPath, permissions })),
      annotations,
      cdiDevices: cdiDevices.map(({ name = '' }) => name),
    };
  }

  /** What nobody has, and what the pod's own init containers had. */
  #free(resource: string, plugin: Plugin, pod: Pod): string[] {
    const starting = new Set(
      (pod.spec?.initContainers ?? [])
        .filter((container) => !isRestartableInitContainer(container))
        .map(({ name }) => name),
    );
    const taken = new Set<string>();
    for (const [uid, containers] of Object.entries(this.#allocated)) {
      for (const [name, resources] of Object.entries(containers))
        if (uid !== uidOf(pod) || !starting.has(name)) for (const id of resources[resource] ?? []) taken.add(id);
    }
    return [...plugin.healthy].filter((id) => !taken.has(id));
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
      affinity === undefined ? 0 : !plugin.near.has(id) ? 1 : ((plugin.near.get(id) ?? 0) & affinity) === 0 ? 2 : 0;
    const free = all.toSorted((a, b) => distance(a) - distance(b));
    if (plugin.options.getPreferredAllocationAvailable !== true) return free.slice(0, count);
    // The plugin chooses among those that are as near as can be.
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
    const text = await fs.readFile(this.#checkpoint(), 'utf8').catch(() => undefined);
    if (text !== undefined) this.#allocated = (JSON.parse(text) as { allocated?: Allocated }).allocated ?? {};
  }

  async #save(): Promise<void> {
    const file = this.#checkpoint();
    await makeDirectory(path.dirname(file), { mode: 0o750 });
    await writeFileDurably(file, JSON.stringify({ allocated: this.#allocated }));
  }

  #checkpoint(): string {
    return path.join(this.#config.rootDirectory, 'device-plugins', CHECKPOINT);
  }
}
