/**
 * Allocates cluster IPs. An address is allocated when an IPAddress object of its name exists: creating that object
 * decides between several servers, so no other lock is needed. Ranges come from the ServiceCIDR objects.
 */
import type { IPAddress, ServiceCIDR } from '../../api/generated/networking-v1.ts';
import { formatIp, formatTime, parseIp } from '../../base/index.ts';
import type { Context, Span } from '../../kernel/index.ts';
import { updateManagedFields } from '../../machinery/apply/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { ClusterIpMetrics } from './allocation-metrics.ts';
import { ClusterIpRange, type IpFamily } from './cluster-ip-range.ts';

/** The Service that gets an address, and the request that gives it one. */
export interface AddressOwner extends ServiceName {
  readonly span?: Span | undefined;
}

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

export class AllocationError extends Error {
  readonly code = 'allocation';
}

const FAMILY_LABEL = 'ipaddress.kubernetes.io/ip-family';
const MANAGED_BY_LABEL = 'ipaddress.kubernetes.io/managed-by';
const MANAGED_BY = 'ipallocator.k8s.io';

export class ClusterIpAllocator {
  readonly #ctx: Context;
  readonly #registry: Registry;
  /** The ranges that the server was started with, the default family's first. */
  readonly #configured: readonly string[];
  #ranges = new Map<string, ClusterIpRange>();
  readonly #random: Context['random'];
  readonly #metrics: ClusterIpMetrics;

  constructor(ctx: Context, registry: Registry, configured: readonly string[]) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#configured = configured;
    this.#random = ctx.random.fork('cluster-ip-allocator');
    this.#metrics = new ClusterIpMetrics(ctx, () => this.#usage());
  }

  get families(): IpFamily[] {
    return this.#configured.map((cidr) => this.#range(cidr).family);
  }

  /** Allocates the address that the client chose. */
  async allocate(address: string, owner: AddressOwner, dryRun: boolean): Promise<void> {
    const ip = parseIp(address);
    const range = ip && this.#rangesOf(ip.family === 6 ? 'IPv6' : 'IPv4').find((r) => r.contains(address));
    if (!ip || !range) throw this.#outside(address, dryRun);
    if (dryRun) return;
    const name = formatIp(ip);
    const startedAt = this.#ctx.clock.monotonic();
    if (this.#addresses().cache.get('', name) || !(await this.#take(name, range.family, owner))) {
      this.#metrics.failed(range.cidr, 'static');
      throw new AllocationError('provided IP is already allocated');
    }
    this.#metrics.allocated(range.cidr, 'static', startedAt);
  }

  /** A dry run asks the configured range alone. */
  #outside(address: string, dryRun: boolean): AllocationError {
    if (!dryRun) return new AllocationError('the provided network does not match the current range');
    const family = parseIp(address)?.family === 6 ? 'IPv6' : 'IPv4';
    const configured = this.#configured.find((cidr) => this.#range(cidr).family === family) ?? this.#configured[0];
    const range = `The range of valid IPs is ${configured}`;
    return new AllocationError(`the provided IP (${address}) is not in the valid range. ${range}`);
  }

  async allocateNext(family: IpFamily, owner: AddressOwner, dryRun: boolean): Promise<string> {
    const ranges = this.#rangesOf(family);
    if (ranges.length === 0) throw new AllocationError('allocator not ready');
    // A dry run allocates no address: by the time of the real write another one may be free.
    if (dryRun) return ranges[0]!.networkAddress;
    const startedAt = this.#ctx.clock.monotonic();
    for (const range of ranges) {
      const found =
        (await this.#search(range, range.staticSize, range.size, owner)) ??
        (await this.#search(range, 0n, range.staticSize, owner));
      if (found !== undefined) {
        this.#metrics.allocated(range.cidr, 'dynamic', startedAt);
        return found;
      }
      this.#metrics.failed(range.cidr, 'dynamic');
    }
    throw new AllocationError('range is full');
  }

  async release(address: string, span?: Span): Promise<void> {
    const served = this.#addresses();
    const ip = parseIp(address);
    if (!ip) return;
    const place = { namespace: '', name: formatIp(ip) };
    for (;;) {
      const entry = served.cache.get('', place.name);
      if (!entry || (await this.#registry.objects.remove(served, place, entry, false, span)) !== undefined) return;
      // Another write came first: retry with the current state.
      await this.#registry.objects.untilCurrent();
    }
  }

  /** The Service that has the address, if any. */
  ownerOf(address: string): ServiceName | undefined {
    const ip = parseIp(address);
    const entry = ip && this.#addresses().cache.get('', formatIp(ip));
    const ref = entry && (entry.object as KubeObject & IPAddress).spec?.parentRef;
    return ref && { namespace: ref.namespace ?? '', name: ref.name ?? '' };
  }

  /** From a random offset to the end of the range, then from its beginning. */
  async #search(range: ClusterIpRange, from: bigint, to: bigint, owner: AddressOwner): Promise<string | undefined> {
    const end = to > range.size ? range.size : to;
    const length = end - from;
    if (length <= 0n) return undefined;
    const start = BigInt(Math.floor(this.#random.next() * Number(length)));
    for (let i = 0n; i < length; i++) {
      const address = range.at(from + ((start + i) % length));
      if (this.#addresses().cache.get('', address)) continue;
      if (await this.#take(address, range.family, owner)) return address;
    }
    return undefined;
  }

  async #take(address: string, family: IpFamily, owner: AddressOwner): Promise<boolean> {
    const served = this.#addresses();
    const now = formatTime(this.#ctx.clock.now());
    const object: KubeObject & IPAddress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: {
        name: address,
        uid: this.#ctx.random.uid(),
        creationTimestamp: now,
        labels: { [FAMILY_LABEL]: family, [MANAGED_BY_LABEL]: MANAGED_BY },
      },
      spec: { parentRef: { resource: 'services', namespace: owner.namespace, name: owner.name } },
    };
    const tracked = updateManagedFields({
      live: undefined,
      updated: object,
      manager: 'kube-apiserver',
      apiVersion: object.apiVersion,
      subresource: '',
      schemaMessage: served.message,
      now,
      resetFields: [],
    });
    try {
      const place = { namespace: '', name: address };
      await this.#registry.objects.create(served, place, tracked, false, undefined, owner.span);
      return true;
    } catch (error) {
      if (isStatusError(error, 'AlreadyExists')) return false;
      throw error;
    }
  }

  /** How many addresses of each configured range are allocated. */
  #usage(): { readonly cidr: string; readonly allocated: number; readonly size: number }[] {
    const addresses = [...this.#addresses().cache.entries()].map(({ name }) => name);
    return this.#configured.map((cidr) => {
      const range = this.#range(cidr);
      const allocated = addresses.filter((address) => range.contains(address)).length;
      return { cidr, allocated, size: Number(range.size) };
    });
  }

  /** The configured ranges, and those of every ServiceCIDR that is ready and not being deleted. */
  #rangesOf(family: IpFamily): ClusterIpRange[] {
    const cidrs = new Set(this.#configured);
    for (const { object } of this.#registry.require('networking.k8s.io', 'v1', 'servicecidrs').cache.list()) {
      const { metadata, spec, status } = object as KubeObject & ServiceCIDR;
      const ready = status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True');
      if (ready && !metadata.deletionTimestamp) for (const cidr of spec?.cidrs ?? []) cidrs.add(cidr);
    }
    return [...cidrs].map((cidr) => this.#range(cidr)).filter((range) => range.family === family);
  }

  #range(cidr: string): ClusterIpRange {
    let range = this.#ranges.get(cidr);
    if (!range) this.#ranges.set(cidr, (range = new ClusterIpRange(cidr)));
    return range;
  }

  #addresses(): ServedResource {
    return this.#registry.require('networking.k8s.io', 'v1', 'ipaddresses');
  }
}
