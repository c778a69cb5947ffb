/**
 * Addresses and ports of Services: reserved before a write, kept when it succeeds, given back when it fails. A dry run sees
 * what it would see but takes nothing.
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
  /** One range, or one of each family separated by a comma, the default family's first. */
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

  /** Takes stock of the Services that there are: called once, when they are in the cache and before requests are served. */
  start(): void {
    const stop = this.#ports.follow(this.registry.require('', 'v1', 'services').cache);
    this.ctx.signal.addEventListener('abort', stop, { once: true });
  }

  /** Puts right what a crash left behind; it writes, so the watch cache must be running. */
  async repair(): Promise<void> {
    await repairClusterIps(this.ctx, this.registry, this.addresses);
  }

  /** Completes the Service in place with what it is given. */
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

  /** Gives back the addresses of a Service that is gone; its ports are free with it. */
  async release(service: Service): Promise<void> {
    if (service.spec?.type !== 'ExternalName' && !isHeadless(service))
      await this.#release(service.spec?.clusterIPs ?? []);
  }

  /** Whether a node port is in use, for those who look. */
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

  /** An address of each family from the place `from` on: the one that stands there, or any. */
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
