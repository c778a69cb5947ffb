/**
 * Reserves the cluster IPs and node ports of Services before a write, keeps them when it succeeds and releases them
 * when it fails. A dry run checks the same and reserves nothing.
 */
import type { Service } from '../../api/generated/core-v1.ts';
import type { MaybePromise } from '../../base/index.ts';
import type { Store } from '../../etcd/index.ts';
import type { Context, Span } from '../../kernel/index.ts';
import { internalError, invalid, invalidValue, path } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import { isHeadless } from '../registry/service-needs.ts';
import type { Reservation } from '../registry/strategy.ts';
import { identityTransformer, type Transformer } from '../storage/transformer.ts';
import { NodePortMetrics } from './allocation-metrics.ts';
import { AllocationError, ClusterIpAllocator, type AddressOwner } from './cluster-ip-allocator.ts';
import type { IpFamily } from './cluster-ip-range.ts';
import { CountedNodePorts } from './counted-node-ports.ts';
import { syncClusterIps, fillAllocated } from './fill-allocated.ts';
import { completeIpFamilies, keepsDualStackPreference } from './ip-families.ts';
import { nodePortsOf, type NodePortAllocator } from './node-port-allocator.ts';
import { PortOperation, reserveForCreate, reserveForUpdate } from './node-ports.ts';
import { PortRange } from './port-range.ts';
import { NodePortRepair } from './repair-node-ports.ts';
import { repairClusterIps } from './repair.ts';
import { StoredNodePorts } from './stored-node-ports.ts';

const REPAIR_INTERVAL_MS = 180_000;

interface ServiceAllocatorOptions {
  readonly store: Store;
  readonly encryption?: Transformer;
  /** One range, or one of each family separated by a comma; the first is the default family's. */
  readonly serviceClusterIpRange: string;
  /** Default 30000-32767. */
  readonly nodePortRange?: string;
}

type ServiceObject = Service & KubeObject;

/** The request that reserves. */
interface Writer {
  readonly span?: Span | undefined;
}

export class ServiceAllocator {
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly addresses: ClusterIpAllocator;
  readonly #ports: NodePortAllocator;
  readonly #portMetrics: NodePortMetrics;
  readonly #portRepair: NodePortRepair | undefined;

  constructor(ctx: Context, registry: Registry, options: ServiceAllocatorOptions) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.addresses = new ClusterIpAllocator(
      ctx,
      registry,
      options.serviceClusterIpRange.split(',').map((cidr) => cidr.trim()),
    );
    this.#portMetrics = new NodePortMetrics(ctx.metrics, () => this.#ports);
    const range = new PortRange(options.nodePortRange ?? '30000-32767');
    const random = ctx.random.fork('node-port-allocator');
    const { store, encryption: transformer = identityTransformer } = options;
    if (store.isShared) {
      const ports = new StoredNodePorts({ store, transformer, range, random });
      this.#ports = ports;
      this.#portRepair = new NodePortRepair(ctx, registry, ports);
    } else {
      const ports = new CountedNodePorts(range, random);
      this.#ports = ports;
      // The cache is loaded, and no request is served yet.
      ctx.signal.addEventListener('abort', ports.follow(registry.require('', 'v1', 'services').cache), { once: true });
    }
  }

  /** Repairs what a crash left behind; it writes, so the watch cache must be running. */
  async repair(): Promise<void> {
    await repairClusterIps(this.#ctx, this.#registry, this.addresses);
    await this.#portRepair?.run();
  }

  /** Repairs now and, where other servers share the store, from time to time. */
  async start(): Promise<void> {
    await this.repair();
    if (!this.#portRepair) return;
    const timer = this.#ctx.clock.every(REPAIR_INTERVAL_MS, () => {
      this.repair().catch((error: unknown) => {
        if (!this.#ctx.signal.aborted) this.#ctx.logger.error(error, 'Repairing cluster IPs and node ports failed');
      });
    });
    this.#ctx.signal.addEventListener('abort', () => timer.cancel(), { once: true });
  }

  /** Fills in what it reserves; changes the Service in place. */
  async reserve(
    service: ServiceObject,
    old: ServiceObject | undefined,
    { dryRun, span }: Writer & { readonly dryRun: boolean },
  ): Promise<Reservation> {
    if (old) fillAllocated(service, old);
    syncClusterIps(service, old);
    completeIpFamilies(service, old, this.addresses.families);
    const addresses = await this.#reserveAddresses(service, old, { dryRun, span });
    const ports = new PortOperation(this.#ports, dryRun, this.#portMetrics);
    try {
      if (old) await reserveForUpdate(service, old, ports);
      else await reserveForCreate(service, ports);
    } catch (error) {
      await ports.cancel();
      await this.#release(addresses.allocated, span);
      throw error;
    }
    return {
      commit: async () => {
        await this.#orLog(ports.commit(service, old));
        await this.#release(addresses.released, span);
      },
      rollback: async () => {
        await ports.cancel();
        await this.#release(addresses.allocated, span);
      },
    };
  }

  /** Releases the addresses and ports of a deleted Service. */
  async release(service: Service, { span }: Writer): Promise<void> {
    await this.#orLog(this.#ports.commit([], nodePortsOf(service)));
    if (service.spec?.type !== 'ExternalName' && !isHeadless(service))
      await this.#release(service.spec?.clusterIPs ?? [], span);
  }

  /** The Service is written: ports that cannot be released now are left to the repair loop. */
  async #orLog(released: MaybePromise<void>): Promise<void> {
    try {
      await released;
    } catch (error) {
      this.#ctx.logger.error(error, 'Could not release node ports');
    }
  }

  async #release(addresses: readonly string[], span: Span | undefined): Promise<void> {
    for (const address of addresses) await this.addresses.release(address, span);
  }

  async #reserveAddresses(
    service: ServiceObject,
    old: ServiceObject | undefined,
    request: Writer & { readonly dryRun: boolean },
  ): Promise<{ allocated: string[]; released: string[] }> {
    const spec = service.spec!;
    const none = { allocated: [], released: [] };
    if (!old || old.spec?.type === 'ExternalName') {
      if (spec.type === 'ExternalName' || spec.clusterIPs?.[0] === 'None') return none;
      return { allocated: await this.#allocate(service, 0, request), released: [] };
    }
    if (keepsDualStackPreference(service, old) || isHeadless(old)) return none;
    const before = { ips: old.spec?.clusterIPs ?? [], families: old.spec?.ipFamilies ?? [] };
    if (spec.type === 'ExternalName') return { allocated: [], released: [...before.ips] };
    const now = spec.ipFamilies ?? [];
    if (before.families.length === 1 && now.length === 2)
      return { allocated: await this.#allocate(service, 1, request), released: [] };
    if (before.families.length === 2 && now.length === 1) return { allocated: [], released: before.ips.slice(1) };
    return none;
  }

  /** Allocates an address of each family from index `from` on: the one that the Service names, or any. */
  async #allocate(
    service: ServiceObject,
    from: number,
    { dryRun, span }: Writer & { readonly dryRun: boolean },
  ): Promise<string[]> {
    const spec = service.spec!;
    const requested = [...(spec.clusterIPs ?? [])];
    const { namespace = '', name = '' } = service.metadata;
    const owner: AddressOwner = { namespace, name, span };
    const allocated: string[] = [];
    const clusterIps = requested.slice(0, from);
    try {
      for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
        if (i < from) continue;
        const address = requested[i] || (await this.#allocateAny(family as IpFamily, owner, dryRun));
        if (requested[i]) await this.#allocateChosen(service, requested, requested[i], owner, dryRun);
        if (!dryRun) allocated.push(address);
        clusterIps.push(address);
      }
    } catch (error) {
      await this.#release(allocated, span);
      throw error;
    }
    spec.clusterIPs = clusterIps;
    spec.clusterIP = clusterIps[0] ?? '';
    return allocated;
  }

  async #allocateAny(family: IpFamily, owner: AddressOwner, dryRun: boolean): Promise<string> {
    try {
      return await this.addresses.allocateNext(family, owner, dryRun);
    } catch (error) {
      if (error instanceof AllocationError) throw internalError(`failed to allocate a serviceIP: ${error.message}`);
      throw error;
    }
  }

  async #allocateChosen(
    service: ServiceObject,
    requested: readonly string[],
    address: string,
    owner: AddressOwner,
    dryRun: boolean,
  ): Promise<void> {
    try {
      await this.addresses.allocate(address, owner, dryRun);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      const detail = `failed to allocate IP ${address}: ${error.message}`;
      throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [
        invalidValue(path('spec', 'clusterIPs'), requested, detail),
      ]);
    }
  }
}
