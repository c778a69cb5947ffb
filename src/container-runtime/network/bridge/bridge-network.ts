/** The built-in pod network: a bridge in the node's network namespace and a veth pair per sandbox. */
import { createHash } from 'node:crypto';
import { errorMessage } from '../../../base/index.ts';
import type { Context } from '../../../kernel/index.ts';
import { deleteNeighbour, findLink, isNetns, NetlinkSocket, runIn } from '../../../net/netns/index.ts';
import { KeyedLock } from '../../records/keyed-lock.ts';
import {
  PodNetworkError,
  type Attachment,
  type NetworkSandbox,
  type NetworkStatus,
  type PodNetwork,
  type PodNetworkConfig,
} from '../pod-network.ts';
import { AddressPool } from './address-pool.ts';
import { AttachmentRecords, type AttachmentRecord } from './attachment-records.ts';
import { bandwidthOf } from './bandwidth.ts';
import { conflictingPort, mappedPorts, renderHostPorts } from './host-ports.ts';
import { LinkRemoval } from './link-removal.ts';
import {
  addressesInUse,
  ensureBridge,
  masquerade,
  podMac,
  removeLeftoverLinks,
  type NodeBridge,
} from './node-bridge.ts';
import { connectSandbox, disconnectSandbox, INTERFACE_NAME } from './sandbox-links.ts';
import { SourceGuard } from './source-guard.ts';

export interface BridgeNetworkOptions {
  /** The node's pinned network namespace; the process's own when absent. */
  readonly nodeNetns?: string | undefined;
  /**
   * Whether the namespace belongs to the node alone, so that host-wide settings may be changed. Default: if it was
   * given.
   */
  readonly ownsNamespace?: boolean;
  /** The directory of attachment records. It must survive as long as sandboxes. */
  readonly stateDirectory: string;
  /** Default "k8ts0". */
  readonly bridgeName?: string;
  /** Default 1500. */
  readonly mtu?: number;
  /** Pods' traffic is masqueraded except to the node's pod CIDRs and these CIDRs; undefined disables masquerading. */
  readonly masqueradeExcept?: readonly string[];
}

/** The owner of addresses that the kernel has as neighbours but no record has. */
const UNKNOWN_OWNER = '(unknown)';

export class BridgeNetwork implements PodNetwork {
  readonly kind = 'bridge';
  readonly #ctx: Context;
  readonly #options: Required<Pick<BridgeNetworkOptions, 'bridgeName' | 'mtu'>> & BridgeNetworkOptions;
  readonly #records: AttachmentRecords;
  readonly #node: NetlinkSocket;
  /** A socket for deletions, which are slow, so that attaching does not wait for them. */
  readonly #deletions: NetlinkSocket;
  readonly #removal: LinkRemoval;
  readonly #guard: SourceGuard;
  readonly #locks = new KeyedLock();
  #pools: AddressPool[] = [];
  #bridge: NodeBridge | undefined;
  #portsWritten: Promise<void> = Promise.resolve();

  private constructor(ctx: Context, options: BridgeNetworkOptions) {
    this.#ctx = ctx;
    this.#options = { ...options, bridgeName: options.bridgeName ?? 'k8ts0', mtu: options.mtu ?? 1500 };
    this.#records = new AttachmentRecords(options.stateDirectory);
    this.#node = new NetlinkSocket(options.nodeNetns);
    this.#deletions = new NetlinkSocket(options.nodeNetns);
    this.#removal = new LinkRemoval(this.#deletions);
    this.#guard = new SourceGuard(options.nodeNetns, this.#options.bridgeName);
  }

  /** Opens the network and recovers the CIDRs, attachments and host ports of an earlier process. */
  static async open(ctx: Context, options: BridgeNetworkOptions): Promise<BridgeNetwork> {
    const network = new BridgeNetwork(ctx, options);
    try {
      const { podCidrs } = network.#records;
      if (podCidrs !== undefined) await network.configure({ podCidrs });
      if (network.#records.all().some(({ portMappings }) => portMappings.length > 0)) await network.#writeHostPorts();
    } catch (error) {
      await network.close();
      throw error;
    }
    return network;
  }

  async configure({ podCidrs }: PodNetworkConfig): Promise<void> {
    if (podCidrs.length === 0) throw new PodNetworkError('bad-configuration', 'a node needs at least one pod range');
    if (this.#bridge !== undefined && podCidrs.join() === this.#records.podCidrs?.join()) return;
    const pools = podCidrs.map((cidr) => new AddressPool(cidr));
    for (const { ips, sandboxId } of this.#records.all())
      for (const ip of ips) for (const pool of pools) pool.reserve(ip, sandboxId);
    const { bridgeName, nodeNetns, mtu, masqueradeExcept, ownsNamespace = nodeNetns !== undefined } = this.#options;
    const bridge = await ensureBridge(this.#node, pools, { name: bridgeName, nodeNetns, mtu, ownsNamespace });
    for (const address of await addressesInUse(this.#node, bridge))
      for (const pool of pools) pool.reserve(address, UNKNOWN_OWNER);
    await this.#guard.write(this.#records.all());
    if (masqueradeExcept !== undefined) await masquerade(nodeNetns, pools, masqueradeExcept);
    this.#records.setPodCidrs(podCidrs);
    this.#pools = pools;
    this.#bridge = bridge;
  }

  async ready(): Promise<NetworkStatus> {
    if (this.#bridge !== undefined) return { ready: true };
    return { ready: false, reason: 'NetworkPluginNotReady', message: 'the node has no pod range (podCIDR) yet' };
  }

  attachment(id: string): Attachment | undefined {
    const record = this.#records.get(id);
    return record?.complete === true ? record : undefined;
  }

  attach(sandbox: NetworkSandbox): Promise<Attachment> {
    return this.#locks.run(sandbox.id, () => this.#attach(sandbox));
  }

  async #attach(sandbox: NetworkSandbox): Promise<Attachment> {
    const { id, netnsPath } = sandbox;
    const existing = this.#records.get(id);
    if (existing?.complete === true && (await findLink(this.#node, existing.hostInterface)) !== undefined)
      return existing;
    if (existing !== undefined) await this.#release(existing);
    if (netnsPath === undefined || !isNetns(netnsPath))
      throw new PodNetworkError('kernel-refused', `${titleOf(sandbox)}: there is no network namespace at ${netnsPath}`);
    const bandwidth = bandwidthOf(sandbox.annotations);
    const bridge = this.#bridge;
    if (bridge === undefined)
      throw new PodNetworkError('not-configured', `${titleOf(sandbox)}: the node has no pod range (podCIDR) yet`);
    const record = this.#reserve(sandbox, bandwidth.egress !== undefined);
    try {
      const place = {
        clock: this.#ctx.clock,
        node: this.#node,
        nodeNetns: this.#options.nodeNetns,
        bridge,
        sandboxNetns: netnsPath,
      };
      await this.#guard.add(record);
      await connectSandbox(place, record, { mtu: this.#options.mtu, bandwidth, sysctls: sandbox.sysctls });
      if (record.portMappings.length > 0) await this.#writeHostPorts();
      const complete = { ...record, complete: true };
      this.#records.put(complete);
      return complete;
    } catch (error) {
      // If the cleanup fails, the record stays and the next detach or reconcile cleans up.
      await this.#release(record).catch((again: unknown) =>
        this.#ctx.logger.error(again, 'Failed to clean up a failed network attachment', { sandbox: id }),
      );
      if (error instanceof PodNetworkError) throw error;
      throw new PodNetworkError('kernel-refused', `${titleOf(sandbox)}: ${errorMessage(error)}`, { cause: error });
    }
  }

  /** Allocates addresses and host ports and records them. Synchronous, so that concurrent calls cannot interfere. */
  #reserve(sandbox: NetworkSandbox, shaped: boolean): AttachmentRecord {
    const portMappings = (sandbox.portMappings ?? []).filter(({ hostPort }) => (hostPort ?? 0) > 0);
    for (const other of this.#records.all()) {
      const conflict = conflictingPort(portMappings, other.portMappings);
      if (conflict !== undefined) {
        throw new PodNetworkError(
          'host-port-taken',
          `${titleOf(sandbox)}: the host port ${conflict.hostPort}/${conflict.protocol} belongs to the pod ${other.pod}`,
        );
      }
    }
    const pools = this.#pools;
    const ips: string[] = [];
    const releaseAddresses = (): void => ips.forEach((ip, index) => pools[index]!.release(ip, sandbox.id));
    for (const pool of pools) {
      const address = pool.allocate(sandbox.id);
      if (address === undefined) {
        releaseAddresses();
        throw new PodNetworkError(
          'no-address-left',
          `${titleOf(sandbox)}: no address is left in the pod range ${pool.range.toString()}`,
        );
      }
      ips.push(address);
    }
    const suffix = createHash('sha256').update(sandbox.id).digest('hex').slice(0, 11);
    const record: AttachmentRecord = {
      sandboxId: sandbox.id,
      pod: `${sandbox.namespace}/${sandbox.name}`,
      ips,
      gateways: pools.map(({ gateway }) => gateway),
      mac: podMac(ips[0]!),
      mtu: this.#options.mtu,
      interfaceName: INTERFACE_NAME,
      hostInterface: `veth${suffix}`,
      portMappings,
      ...(shaped ? { ifbDevice: `ifb${suffix}` } : {}),
      complete: false,
    };
    try {
      this.#records.put(record);
    } catch (error) {
      releaseAddresses();
      throw error;
    }
    return record;
  }

  detach({ id }: NetworkSandbox): Promise<void> {
    return this.#locks.run(id, async () => {
      const record = this.#records.get(id);
      if (record !== undefined) await this.#release(record);
    });
  }

  /** Releases the addresses last, when nothing answers to them any more. */
  async #release(record: AttachmentRecord): Promise<void> {
    await disconnectSandbox({ node: this.#node, bridge: this.#bridge, removal: this.#removal }, record);
    await this.#guard.remove(record);
    if (record.portMappings.length > 0) await this.#writeHostPorts(record.sandboxId);
    this.#records.delete(record.sandboxId);
    for (const pool of this.#pools) for (const ip of record.ips) pool.release(ip, record.sandboxId);
  }

  async check(sandbox: NetworkSandbox): Promise<void> {
    const record = this.attachment(sandbox.id) && this.#records.get(sandbox.id);
    if (record === undefined)
      throw new PodNetworkError('not-attached', `${titleOf(sandbox)} is not attached to the network`);
    const link = await findLink(this.#node, record.hostInterface);
    if (link === undefined || !link.up || link.master !== this.#bridge?.index) {
      throw new PodNetworkError(
        'not-attached',
        `${titleOf(sandbox)}: the interface ${record.hostInterface} is ${link === undefined ? 'gone' : 'not up on the bridge'}`,
      );
    }
  }

  async reconcile(liveSandboxIds: Iterable<string>): Promise<void> {
    const live = new Set(liveSandboxIds);
    for (const { sandboxId, pod, ips } of this.#records.all()) {
      if (live.has(sandboxId) || this.#locks.isBusy(sandboxId)) continue;
      this.#ctx.logger.info('Releasing the network of a sandbox that is gone', {
        sandbox: sandboxId,
        pod,
        ips: ips.join(),
      });
      await this.detach({ id: sandboxId, name: '', namespace: '', uid: '' });
    }
    const bridge = this.#bridge;
    if (bridge === undefined) return;
    const leftovers = await removeLeftoverLinks(
      this.#deletions,
      bridge,
      () => new Set(this.#records.all().flatMap(({ hostInterface, ifbDevice }) => [hostInterface, ifbDevice ?? ''])),
    );
    if (leftovers.length > 0)
      this.#ctx.logger.info('Removed interfaces that belong to no sandbox', { interfaces: leftovers.join() });
    for (const address of await addressesInUse(this.#deletions, bridge)) {
      if (this.#pools.some((pool) => ![undefined, UNKNOWN_OWNER].includes(pool.ownerOf(address)))) continue;
      await this.#deletions.send([deleteNeighbour({ index: bridge.index, address })]);
      for (const pool of this.#pools) pool.release(address, UNKNOWN_OWNER);
    }
  }

  /** Writes the whole host port table from the records; writes are serialized. */
  #writeHostPorts(except?: string): Promise<void> {
    const write = this.#portsWritten
      .catch(() => {})
      .then(async () => {
        const ports = this.#records
          .all()
          .flatMap(({ sandboxId, ips, portMappings }) => (sandboxId === except ? [] : mappedPorts(ips, portMappings)));
        await runIn('nft', ['-f', '-'], {
          netns: this.#options.nodeNetns,
          input: renderHostPorts(ports, this.#options.bridgeName),
        });
      });
    this.#portsWritten = write;
    return write;
  }

  async close(): Promise<void> {
    await this.#locks.idle();
    this.#node.close();
    this.#deletions.close();
    this.#guard.close();
  }
}

const titleOf = ({ namespace, name, id }: NetworkSandbox): string =>
  `the sandbox ${id.slice(0, 13)} of the pod ${namespace}/${name}`;
