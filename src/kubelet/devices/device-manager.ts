/** Device plugins: what they offer becomes a resource of the node, and what a container gets of it goes into its start. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Container, EphemeralContainer, Pod } from '../../api/generated/core-v1.ts';
import { connectGrpc, GrpcServer, type GrpcConnection } from '../../kernel/grpc/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { parseQuantity } from '../../machinery/quantity/index.ts';
import { messageOf } from '../images/image-manager.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { NO_ADDITION, type ContainerAddition, type ContainerExtras } from '../pod/container-extras.ts';
import { uidOf } from '../pod/pod-text.ts';
import { CpuManager, parseCpuSet } from './cpu-manager.ts';
import { descriptor, PACKAGE, type DevicePlugin, type DevicePluginOptions, type RegisterRequest } from './device-plugin-v1beta1.generated.ts';

const CONTRACT = { package: PACKAGE, descriptor };
const VERSION = 'v1beta1';
const CHECKPOINT = 'kubelet_internal_checkpoint';

interface Plugin {
  readonly connection: GrpcConnection;
  readonly service: DevicePlugin;
  readonly options: DevicePluginOptions;
  readonly healthy: Set<string>;
  readonly all: Set<string>;
  readonly stop: AbortController;
}

/** pod uid → container → resource → device ids. */
type Allocated = Record<string, Record<string, Record<string, string[]>>>;

export class DeviceManager implements ContainerExtras {
  readonly #ctx: Context;
  readonly #config: KubeletConfig;
  readonly #onChange: () => void;
  readonly #plugins = new Map<string, Plugin>();
  readonly #cpus: CpuManager;
  #allocated: Allocated = {};
  readonly #watching = new Set<Promise<void>>();

  constructor(ctx: Context, options: { config: KubeletConfig; onChange: () => void }) {
    this.#ctx = childContext(ctx, 'devices');
    this.#config = options.config;
    this.#onChange = options.onChange;
    const cpus = os.cpus().map((_, i) => i);
    const reserved = options.config.reservedSystemCPUs === '' ? cpus.slice(0, Math.ceil(reservedMilli(options.config) / 1000)) : parseCpuSet(options.config.reservedSystemCPUs);
    this.#cpus = new CpuManager({ policy: options.config.cpuManagerPolicy, rootDirectory: options.config.rootDirectory, cpus, reserved });
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
    await this.#cpus.load().catch((error: unknown) => this.#ctx.logger.error(error, 'The state of the CPU manager could not be read'));
    await this.#load();
    const directory = path.join(this.#config.rootDirectory, 'device-plugins');
    await fs.mkdir(directory, { recursive: true, mode: 0o750 });
    // Plugins watch for this socket to come again and register anew.
    for (const name of await fs.readdir(directory)) if ((await fs.stat(path.join(directory, name)).catch(() => undefined))?.isSocket()) await fs.rm(path.join(directory, name), { force: true });
    const server = new GrpcServer().add(CONTRACT, 'Registration', { register: (request: RegisterRequest) => this.#register(directory, request) });
    await server.listen(`unix://${path.join(directory, 'kubelet.sock')}`);
    await new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
    server.close();
    for (const { stop, connection } of this.#plugins.values()) {
      stop.abort();
      connection.close();
    }
    await Promise.all(this.#watching);
  }

  async addition(pod: Pod, container: Container | EphemeralContainer): Promise<ContainerAddition> {
    const cpuset = await this.#cpus.assign(pod, container);
    let addition: ContainerAddition = cpuset === undefined ? NO_ADDITION : { ...NO_ADDITION, cpuset };
    for (const [resource, quantity] of Object.entries(container.resources?.limits ?? {})) {
      const plugin = this.#plugins.get(resource);
      if (plugin === undefined) continue;
      addition = merge(addition, await this.#allocate(pod, container.name, resource, parseQuantity(quantity).value(), plugin));
    }
    return addition;
  }

  release(podUid: string): void {
    const hadCpus = this.#cpus.release(podUid);
    const hadDevices = this.#allocated[podUid] !== undefined;
    delete this.#allocated[podUid];
    if (hadCpus) void this.#cpus.save().catch((error: unknown) => this.#ctx.logger.error(error, 'The state of the CPU manager could not be written'));
    if (hadDevices) void this.#save().catch((error: unknown) => this.#ctx.logger.error(error, 'The allocated devices could not be written'));
  }

  async #register(directory: string, { version = '', endpoint = '', resourceName = '', options = {} }: RegisterRequest): Promise<object> {
    if (version !== VERSION) throw new Error(`requested API version ${JSON.stringify(version)} is not supported by kubelet. Supported version is ["${VERSION}"]`);
    if (!resourceName.includes('/')) throw new Error(`the ResourceName ${JSON.stringify(resourceName)} is invalid`);
    await Promise.resolve();
    this.#plugins.get(resourceName)?.stop.abort();
    const connection = connectGrpc(path.join(directory, path.basename(endpoint)));
    const plugin: Plugin = { connection, service: connection.service<DevicePlugin>(CONTRACT, 'DevicePlugin'), options, healthy: new Set(), all: new Set(), stop: new AbortController() };
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
        for (const { ID = '', health } of devices) {
          plugin.all.add(ID);
          if (health === 'Healthy') plugin.healthy.add(ID);
        }
        this.#onChange();
      }
    } catch (error) {
      this.#ctx.logger.v(1).info('A device plugin has ended', { resource, err: messageOf(error) });
    }
    // Its devices stay known, so that pods that want them wait for it to come back instead of being refused.
    plugin.healthy.clear();
    this.#onChange();
  }

  async #allocate(pod: Pod, container: string, resource: string, count: number, plugin: Plugin): Promise<ContainerAddition> {
    const ofContainer = ((this.#allocated[uidOf(pod)] ??= {})[container] ??= {});
    const before = ofContainer[resource];
    const ids = before ?? (await this.#choose(resource, count, plugin));
    ofContainer[resource] = ids;
    if (before === undefined) await this.#save();
    if (plugin.options.preStartRequired === true) await plugin.service.preStartContainer({ devicesIds: ids });
    const { containerResponses = [] } = await plugin.service.allocate({ containerRequests: [{ devicesIds: ids }] });
    const [{ envs = {}, mounts = [], devices = [], annotations = {}, cdiDevices = [] } = {}] = containerResponses;
    return {
      environment: envs,
      mounts: mounts.map(({ containerPath, hostPath, readOnly }) => ({ containerPath, hostPath, readonly: readOnly === true })),
      devices: devices.map(({ containerPath, hostPath, permissions }) => ({ containerPath, hostPath, permissions })),
      annotations,
      cdiDevices: cdiDevices.map(({ name = '' }) => name),
    };
  }

  async #choose(resource: string, count: number, plugin: Plugin): Promise<string[]> {
    const taken = new Set(Object.values(this.#allocated).flatMap((containers) => Object.values(containers).flatMap((resources) => resources[resource] ?? [])));
    const free = [...plugin.healthy].filter((id) => !taken.has(id));
    if (free.length < count) throw new Error(`requested number of devices unavailable for ${resource}. Requested: ${count}, Available: ${free.length}`);
    if (plugin.options.getPreferredAllocationAvailable !== true) return free.slice(0, count);
    const { containerResponses = [] } = await plugin.service.getPreferredAllocation({ containerRequests: [{ availableDeviceIDs: free, mustIncludeDeviceIDs: [], allocationSize: count }] });
    const preferred = (containerResponses[0]?.deviceIDs ?? []).filter((id) => free.includes(id));
    return [...new Set([...preferred, ...free])].slice(0, count);
  }

  async #load(): Promise<void> {
    const text = await fs.readFile(this.#checkpoint(), 'utf8').catch(() => undefined);
    if (text !== undefined) this.#allocated = (JSON.parse(text) as { allocated?: Allocated }).allocated ?? {};
  }

  async #save(): Promise<void> {
    const file = this.#checkpoint();
    await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o750 });
    await fs.writeFile(`${file}.tmp`, JSON.stringify({ allocated: this.#allocated }));
    await fs.rename(`${file}.tmp`, file);
  }

  #checkpoint(): string {
    return path.join(this.#config.rootDirectory, 'device-plugins', CHECKPOINT);
  }
}

function merge(a: ContainerAddition, b: ContainerAddition): ContainerAddition {
  return {
    environment: { ...a.environment, ...b.environment },
    mounts: [...a.mounts, ...b.mounts],
    devices: [...a.devices, ...b.devices],
    annotations: { ...a.annotations, ...b.annotations },
    cdiDevices: [...a.cdiDevices, ...b.cdiDevices],
    ...(a.cpuset === undefined ? {} : { cpuset: a.cpuset }),
  };
}

const reservedMilli = ({ kubeReserved, systemReserved }: KubeletConfig): number => [kubeReserved['cpu'], systemReserved['cpu']].reduce((sum, text) => sum + (text === undefined ? 0 : parseQuantity(text).milliValue()), 0);
