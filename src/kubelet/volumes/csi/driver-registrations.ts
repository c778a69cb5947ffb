/** The CSI drivers that have registered, and how often each is asked how many volumes the node can have. */
import type { CSIDriver } from '../../../api/generated/storage-v1.ts';
import type { Client, InformerFactory, SharedInformer } from '../../../client/index.ts';
import { connectGrpc, type GrpcConnection } from '../../../grpc/index.ts';
import { Backoff, type Context, type Timer } from '../../../kernel/index.ts';
import type { PluginRegistry } from '../../devices/plugin-registry.ts';
import { VolumeError } from '../volume.ts';
import { CsiNodeObject } from './csi-node-object.ts';
import { descriptor, PACKAGE, type Node as NodeService, type NodeCapabilityType } from './csi-v1.generated.ts';

const CONTRACT = { package: PACKAGE, descriptor };
const CALL_TIMEOUT_MS = 2 * 60_000;

export interface Driver {
  readonly connection: GrpcConnection;
  readonly node: NodeService;
  readonly capabilities: ReadonlySet<NodeCapabilityType>;
}

interface DriverRegistrationsOptions {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly nodeName: string;
  readonly plugins: PluginRegistry;
}

interface PeriodicUpdate {
  readonly seconds: number;
  readonly timer: Timer;
}

export class DriverRegistrations {
  readonly #ctx: Context;
  readonly #options: DriverRegistrationsOptions;
  readonly #object: CsiNodeObject;
  readonly #drivers = new Map<string, Driver>();
  /** Started when the first driver registers. */
  #csiDrivers: SharedInformer<CSIDriver> | undefined;
  readonly #updates = new Map<string, PeriodicUpdate>();
  #isInitialized = false;

  constructor(ctx: Context, options: DriverRegistrationsOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#object = new CsiNodeObject(ctx, options);
    options.plugins.handle('CSIPlugin', {
      register: ({ name, endpoint }) => this.#register(name, endpoint),
      deregister: (name) => this.#deregister(name),
    });
  }

  /** The node is not ready before it has a CSINode. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  async initialize(): Promise<void> {
    const { clock, random, signal, logger } = this.#ctx;
    const backoff = new Backoff({ baseMs: 30, factor: 8, capMs: 60_000, jitter: 0.1, random });
    while (!this.#isInitialized) {
      try {
        await this.#object.initialize();
        this.#isInitialized = true;
      } catch (error) {
        signal.throwIfAborted();
        logger.error(error, 'Failed to initialize CSINode');
        await clock.sleep(backoff.next(), signal);
      }
    }
  }

  driver(name: string): Driver {
    const driver = this.#drivers.get(name);
    if (driver === undefined)
      throw new VolumeError(`driver name ${name} not found in the list of registered CSI drivers`);
    return driver;
  }

  /** Asks the driver how many volumes the node can have. */
  async refresh(name: string): Promise<void> {
    const { node } = this.driver(name);
    const signal = this.#ctx.clock.deadline(CALL_TIMEOUT_MS, this.#ctx.signal);
    await this.#object.update(name, await node.nodeGetInfo({}, { signal }));
  }

  stop(): void {
    for (const { timer } of this.#updates.values()) timer.cancel();
    this.#updates.clear();
  }

  async #register(name: string, endpoint: string): Promise<void> {
    const connection = connectGrpc(endpoint);
    const node = connection.service<NodeService>(CONTRACT, 'Node');
    try {
      const [info, { capabilities = [] }] = await Promise.all([node.nodeGetInfo({}), node.nodeGetCapabilities({})]);
      this.#drivers.get(name)?.connection.close();
      this.#drivers.set(name, {
        connection,
        node,
        capabilities: new Set(capabilities.flatMap(({ rpc }) => rpc?.type ?? [])),
      });
      await this.#object.install(name, info);
    } catch (error) {
      this.#forget(name);
      connection.close();
      throw error;
    }
    this.#followCsiDrivers();
    this.#schedule(name);
  }

  async #deregister(name: string): Promise<void> {
    this.#forget(name);
    await this.#object.uninstall(name);
  }

  #forget(name: string): void {
    this.#drivers.get(name)?.connection.close();
    this.#drivers.delete(name);
    this.#schedule(name);
  }

  #followCsiDrivers(): void {
    if (this.#csiDrivers !== undefined) return;
    this.#csiDrivers = this.#options.informers.informer('storage.k8s.io/v1/csidrivers');
    const changed = ({ metadata }: CSIDriver): void => this.#schedule(metadata.name ?? '');
    this.#csiDrivers.addHandler({ onAdd: changed, onUpdate: (_, driver) => changed(driver), onDelete: changed });
  }

  /** By `nodeAllocatableUpdatePeriodSeconds` of the CSIDriver, while the driver is registered. */
  #schedule(name: string): void {
    const { clock, logger, signal } = this.#ctx;
    const seconds = this.#drivers.has(name)
      ? (this.#csiDrivers?.get(name)?.spec.nodeAllocatableUpdatePeriodSeconds ?? 0)
      : 0;
    const update = this.#updates.get(name);
    if ((update?.seconds ?? 0) === seconds) return;
    update?.timer.cancel();
    this.#updates.delete(name);
    if (seconds === 0 || signal.aborted) return;
    const refresh = (): void =>
      void this.refresh(name).catch((error: unknown) =>
        logger.error(error, 'Failed to update CSIDriver', { driver: name }),
      );
    this.#updates.set(name, { seconds, timer: clock.every(seconds * 1000, refresh) });
  }
}
