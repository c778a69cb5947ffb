/**
 * Reserves the cluster IPs and node ports of Services before a write, keeps them when it succeeds and releases them
 * when it fails. A dry run checks the same and reserves nothing.
 */
import type { Service } from '../../api/generated/core-v1.ts';
import type { Context } from '../../kernel/index.ts';
import { internalError, invalid, invalidValue, path } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import { isHeadless } from '../registry/service-needs.ts';
import type { Reservation } from '../registry/strategy.ts';
import type { IpFamily } from './address-range.ts';
import { AllocationError, ClusterIpAllocator, type ServiceName } from './cluster-ip-allocator.ts';
import { agreeOnClusterIps, fillAllocated } from './fill-allocated.ts';
import { completeIpFamilies, keepsDualStackPreference } from './ip-families.ts';
import { NodePortAllocator } from './node-port-allocator.ts';
import { PortOperation, reserveForCreate, reserveForUpdate } from './node-ports.ts';
import { repairClusterIps } from './repair.ts';

export interface ServiceAllocatorOptions {
  /** One range, or one of each family separated by a comma; the first is the default family's. */
  readonly serviceClusterIpRange: string;
  /** Default 30000-32767. */
  readonly nodePortRange?: string;
}

type ServiceObject = Service & KubeObject;

export class ServiceAllocator {
  readonly addresses: ClusterIpAllocator;
  readonly #ports: NodePortAllocator;

  constructor(
    private readonly ctx: Context,
    private readonly registry: Registry,
    options: ServiceAllocatorOptions,
  ) {
    this.addresses = new ClusterIpAllocator(
      ctx,
      registry,
      options.serviceClusterIpRange.split(',').map((cidr) => cidr.trim()),
    );
    this.#ports = new NodePortAllocator(options.nodePortRange ?? '30000-32767', ctx.random.fork('node-port-allocator'));
  }

  /**
   * Counts the ports of existing Services: to be called once, when the cache is loaded and before requests are served.
   */
  start(): void {
    const stop = this.#ports.follow(this.registry.require('', 'v1', 'services').cache);
    this.ctx.signal.addEventListener('abort', stop, { once: true });
  }

  /** Repairs what a crash left behind; it writes, so the watch cache must be running. */
  async repair(): Promise<void> {
    await repairClusterIps(this.ctx, this.registry, this.addresses);
  }

  /** Fills in what it reserves; changes the Service in place. */
  async reserve(service: ServiceObject, old: ServiceObject | undefined, dryRun: boolean): Promise<Reservation> {
    if (old) fillAllocated(service, old);
    agreeOnClusterIps(service, old);
    completeIpFamilies(service, old, this.addresses.families);
    const addresses = await this.#reserveAddresses(service, old, dryRun);
    const ports = new PortOperation(this.#ports, dryRun);
    try {
      if (old) reserveForUpdate(service, old, ports);
      else reserveForCreate(service, ports);
    } catch (error) {
      ports.settle();
      await this.#release(addresses.taken);
      throw error;
    }
    return {
      commit: async () => {
        ports.settle();
        await this.#release(addresses.letGo);
      },
      rollback: async () => {
        ports.settle();
        await this.#release(addresses.taken);
      },
    };
  }

  /** Releases the addresses of a deleted Service; its ports are free already. */
  async release(service: Service): Promise<void> {
    if (service.spec?.type !== 'ExternalName' && !isHeadless(service))
      await this.#release(service.spec?.clusterIPs ?? []);
  }

  isNodePortTaken(port: number): boolean {
    return this.#ports.isTaken(port);
  }

  async #release(addresses: readonly string[]): Promise<void> {
    for (const address of addresses) await this.addresses.release(address);
  }

  async #reserveAddresses(
    service: ServiceObject,
    old: ServiceObject | undefined,
    dryRun: boolean,
  ): Promise<{ taken: string[]; letGo: string[] }> {
    const spec = service.spec!;
    const none = { taken: [], letGo: [] };
    if (!old || old.spec?.type === 'ExternalName') {
      if (spec.type === 'ExternalName' || spec.clusterIPs?.[0] === 'None') return none;
      return { taken: await this.#take(service, 0, dryRun), letGo: [] };
    }
    if (keepsDualStackPreference(service, old) || isHeadless(old)) return none;
    const before = { ips: old.spec?.clusterIPs ?? [], families: old.spec?.ipFamilies ?? [] };
    if (spec.type === 'ExternalName') return { taken: [], letGo: [...before.ips] };
    const now = spec.ipFamilies ?? [];
    if (before.families.length === 1 && now.length === 2)
      return { taken: await this.#take(service, 1, dryRun), letGo: [] };
    if (before.families.length === 2 && now.length === 1) return { taken: [], letGo: before.ips.slice(1) };
    return none;
  }

  /** Allocates an address of each family from index `from` on: the one that the Service names, or any. */
  async #take(service: ServiceObject, from: number, dryRun: boolean): Promise<string[]> {
    const spec = service.spec!;
    const asked = [...(spec.clusterIPs ?? [])];
    const owner: ServiceName = { namespace: service.metadata.namespace ?? '', name: service.metadata.name ?? '' };
    const taken: string[] = [];
    const clusterIps = asked.slice(0, from);
    try {
      for (const [i, family] of (spec.ipFamilies ?? []).entries()) {
        if (i < from) continue;
        const address = asked[i] || (await this.#takeAny(family as IpFamily, owner, dryRun));
        if (asked[i]) await this.#takeChosen(service, asked, asked[i], owner, dryRun);
        if (!dryRun) taken.push(address);
        clusterIps.push(address);
      }
    } catch (error) {
      await this.#release(taken);
      throw error;
    }
    spec.clusterIPs = clusterIps;
    spec.clusterIP = clusterIps[0] ?? '';
    return taken;
  }

  async #takeAny(family: IpFamily, owner: ServiceName, dryRun: boolean): Promise<string> {
    try {
      return await this.addresses.allocateNext(family, owner, dryRun);
    } catch (error) {
      if (error instanceof AllocationError) throw internalError(`failed to allocate a serviceIP: ${error.message}`);
      throw error;
    }
  }

  async #takeChosen(
    service: ServiceObject,
    asked: readonly string[],
    address: string,
    owner: ServiceName,
    dryRun: boolean,
  ): Promise<void> {
    try {
      await this.addresses.allocate(address, owner, dryRun);
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      const detail = `failed to allocate IP ${address}: ${error.message}`;
      throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [
        invalidValue(path('spec', 'clusterIPs'), asked, detail),
      ]);
    }
  }
}
