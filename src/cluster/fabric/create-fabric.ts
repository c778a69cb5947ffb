/** The fabric of this machine: namespaces, a switch, routes and rules made by the kernel. */
import { createHash } from 'node:crypto';
import type net from 'node:net';
import path from 'node:path';
import { AddressRange } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import { fabricInterface } from '../../net/interfaces/index.ts';
import {
  addAddress,
  addRoute,
  createNetns,
  deleteAddress,
  deleteLink,
  deleteNetns,
  deleteRoute,
  findLink,
  inNetns,
  isNetns,
  listRoutes,
  NetlinkSocket,
  readSysctl,
  routeChanges,
  runIn,
  setLink,
  tryLockFile,
  writeSysctl,
  type FileLock,
  type Link,
  type ListedRoute,
  type Route,
} from '../../net/netns/index.ts';
import { BalancerRoutes, hostRange } from './balancer-routes.ts';
import { claim, fabricDirectory, fabricId, listClaims, releaseClaim, type Claim } from './claims.ts';
import {
  FabricError,
  type AddNodeOptions,
  type Fabric,
  type FabricNode,
  type FabricOptions,
  type FabricRanges,
  type HostListener,
  type PodRoute,
} from './fabric.ts';
import { enableForwarding, restoreForwarding } from './host-forwarding.ts';
import { listenOnHost, serves } from './host-listener.ts';
import { loadBalancerRange, NodeRecords, type NodeRecord } from './node-records.ts';
import { hostTable, renderHostRules, renderNodeRules } from './rules.ts';
import { Switch } from './switch.ts';
import { blackholeMetric, FABRIC_PROTOCOL, hostRoutes, nodeRoutes } from './wanted-routes.ts';

export const DEFAULT_STATE_DIRECTORY = '/run/k8ts';
const HOST_PORT = 'host';
const NODE_INTERFACE = 'eth0';

/**
 * Makes the fabric of a cluster, or takes up the one that an earlier process left, and repairs it: namespaces, cables,
 * addresses, routes and rules of every recorded node are as they should be when it resolves. One process has it at a
 * time, until it closes it or ends.
 */
export async function createFabric(ctx: Context, options: FabricOptions): Promise<Fabric> {
  const stateDirectory = options.stateDirectory ?? DEFAULT_STATE_DIRECTORY;
  const host = new NetlinkSocket(options.hostNetns);
  let fabric: LocalFabric | undefined;
  try {
    const claimed = claim(options, { stateDirectory, routedRanges: await routedRanges(host, fabricId(options.name)) });
    const owner = tryLockFile(path.join(fabricDirectory(stateDirectory, options.name), 'owner.lock'));
    if (owner === undefined)
      throw new FabricError('in-use', `the fabric of the cluster ${options.name} belongs to a running process`);
    fabric = new LocalFabric(ctx, { claimed, stateDirectory, host, owner, hostNetns: options.hostNetns });
    await fabric.repair();
    return fabric;
  } catch (error) {
    // A fabric that never came up leaves nothing; one that carries nodes stays for another try.
    if (fabric !== undefined && fabric.nodes.size === 0)
      await fabric.destroy().catch((again: unknown) => ctx.logger.error(again, 'The fabric could not be removed'));
    else if (fabric !== undefined) await fabric.close();
    else host.close();
    throw error;
  }
}

/**
 * The fabric that a dead process left behind, to be destroyed. Undefined when there is none, or when a live process
 * owns it.
 */
export function takeUpFabric(
  ctx: Context,
  {
    name,
    stateDirectory = DEFAULT_STATE_DIRECTORY,
    hostNetns,
  }: Pick<FabricOptions, 'name' | 'stateDirectory' | 'hostNetns'>,
): Fabric | undefined {
  const claimed = listClaims(stateDirectory).find(({ cluster }) => cluster === name);
  const owner = claimed && tryLockFile(path.join(fabricDirectory(stateDirectory, name), 'owner.lock'));
  return (
    owner && new LocalFabric(ctx, { claimed, stateDirectory, host: new NetlinkSocket(hostNetns), owner, hostNetns })
  );
}

/** Fabrics that are on this machine, of running clusters and of dead ones. */
export function listFabrics(stateDirectory = DEFAULT_STATE_DIRECTORY): string[] {
  return listClaims(stateDirectory).map(({ cluster }) => cluster);
}

/** What the machine's routes lead to, but for those that an earlier process made for this very cluster. */
async function routedRanges(host: NetlinkSocket, id: string): Promise<string[]> {
  const link = await findLink(host, fabricInterface(id));
  const isOwn = ({ type, metric, interfaceIndex, protocol }: ListedRoute): boolean =>
    type === 'blackhole'
      ? protocol === FABRIC_PROTOCOL && metric === blackholeMetric(id)
      : link !== undefined && interfaceIndex === link.index;
  return (await listRoutes(host))
    .filter((route) => !isOwn(route))
    .map(({ destination }) => destination)
    .filter(
      (destination) =>
        destination !== 'default' && !destination.startsWith('fe80:') && !destination.startsWith('ff00:'),
    );
}

interface LocalFabricOptions {
  readonly claimed: Claim;
  readonly stateDirectory: string;
  readonly host: NetlinkSocket;
  readonly owner: FileLock;
  readonly hostNetns: string | undefined;
}

class LocalFabric implements Fabric {
  readonly name: string;
  readonly ranges: FabricRanges;
  readonly hostAddresses: readonly string[];
  readonly loadBalancerRanges: readonly string[];
  readonly hostInterface: string;
  readonly mtu: number;
  readonly #ctx: Context;
  readonly #claim: Claim;
  readonly #stateDirectory: string;
  readonly #directory: string;
  readonly #host: NetlinkSocket;
  readonly #hostNetns: string | undefined;
  readonly #owner: FileLock;
  readonly #records: NodeRecords;
  readonly #balancers: BalancerRoutes;
  readonly #netlinks = new Map<string, NetlinkSocket>();
  readonly #listeners = new Set<HostListener>();
  #switch: Switch | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(ctx: Context, { claimed, stateDirectory, host, owner, hostNetns }: LocalFabricOptions) {
    this.#ctx = ctx;
    this.#claim = claimed;
    this.#stateDirectory = stateDirectory;
    this.#directory = fabricDirectory(stateDirectory, claimed.cluster);
    this.#host = host;
    this.#hostNetns = hostNetns;
    this.#owner = owner;
    this.name = claimed.cluster;
    this.ranges = claimed.ranges;
    this.mtu = claimed.mtu;
    this.hostInterface = fabricInterface(claimed.id);
    this.hostAddresses = claimed.ranges.nodes.map((range) => AddressRange.parse(range).at(1));
    this.loadBalancerRanges = claimed.ranges.nodes.map(loadBalancerRange);
    this.#balancers = new BalancerRoutes(host, this.loadBalancerRanges);
    this.#records = new NodeRecords(path.join(this.#directory, 'nodes'), claimed.ranges.nodes);
  }

  get nodes(): ReadonlyMap<string, FabricNode> {
    return this.#records.all;
  }

  repair(): Promise<void> {
    return this.#exclusively(() => this.#repair());
  }

  async #repair(): Promise<void> {
    const { id, egress, families } = this.#claim;
    await runIn('nft', ['-f', '-'], {
      netns: this.#hostNetns,
      input: renderHostRules({ id, hostInterface: this.hostInterface, ranges: this.ranges, egress }),
    });
    const netns = this.#switchNetns;
    if (!isNetns(netns)) {
      // The host's end of a cable whose switch is gone leads nowhere.
      await this.#host.send([deleteLink({ name: this.hostInterface })]);
      this.#switch?.close();
      this.#switch = undefined;
    }
    this.#switch ??= await Switch.open(this.#ctx.clock, netns, this.mtu);
    await this.#connectHost();
    if (egress) enableForwarding({ stateDirectory: this.#stateDirectory, hostNetns: this.#hostNetns, families });
    for (const record of this.#records.all.values()) await this.#joinNode(record);
    await this.#switch.keepOnly(new Set([HOST_PORT, ...[...this.#records.all.values()].map(({ port }) => port)]));
    await this.#syncRoutes();
  }

  get #switchNetns(): string {
    return path.join(this.#directory, 'switch');
  }

  async #connectHost(): Promise<void> {
    const balancers = this.loadBalancerRanges.map((range) => AddressRange.parse(range));
    await this.#switch!.connect(HOST_PORT, {
      interfaceName: this.hostInterface,
      addresses: this.#onFabric(1),
      mac: macOf(`${this.#claim.id}/host`),
      netns: this.#hostNetns,
      other: this.#host,
      keep: (address) => balancers.some((range) => range.contains(address)),
    });
    await this.#host.send([setLink({ name: this.hostInterface, alias: `k8ts cluster ${this.name}` })]);
  }

  addNode(name: string, { podCidrs = [] }: AddNodeOptions = {}): Promise<FabricNode> {
    return this.#exclusively(async () => {
      const known = this.#records.all.has(name);
      this.#checkPodCidrs(name, podCidrs);
      const obtained = this.#records.obtain(name, podCidrs);
      const record =
        podCidrs.length > 0 && podCidrs.join() !== obtained.podCidrs.join()
          ? this.#records.put({ ...obtained, podCidrs })
          : obtained;
      try {
        await this.#joinNode(record);
        await this.#syncRoutes();
      } catch (error) {
        if (!known)
          await this.#removeNode(record).catch((again: unknown) =>
            this.#ctx.logger.error(again, 'A node that could not be added could not be removed', { node: name }),
          );
        throw error;
      }
      return record;
    });
  }

  /** The node's namespace as it should be, but for routes. */
  async #joinNode(record: NodeRecord): Promise<void> {
    const { netnsPath, port } = record;
    if (!isNetns(netnsPath)) {
      this.#forgetNetlink(record.name);
      createNetns(netnsPath);
    }
    writeNodeSysctls(netnsPath);
    const netlink = this.#netlinkOf(record);
    await netlink.send([setLink({ name: 'lo', up: true })]);
    await this.#switch!.connect(port, {
      interfaceName: NODE_INTERFACE,
      addresses: this.#onFabric(record.number),
      mac: macOf(`${this.#claim.id}/${record.number}`),
      netns: netnsPath,
      other: netlink,
    });
    await runIn('nft', ['-f', '-'], {
      netns: netnsPath,
      input: renderNodeRules({ ranges: this.ranges, egress: this.#claim.egress }),
    });
  }

  removeNode(name: string): Promise<void> {
    return this.#exclusively(async () => {
      const record = this.#records.all.get(name);
      if (record === undefined) return;
      await this.#removeNode(record);
      await this.#syncRoutes();
    });
  }

  async #removeNode(record: NodeRecord): Promise<void> {
    this.#forgetNetlink(record.name);
    // The cable is removed first: the kernel removes namespaces with a delay, and the address must not answer
    // meanwhile.
    await this.#switch?.disconnect(record.port);
    deleteNetns(record.netnsPath);
    this.#records.delete(record.name);
  }

  unplugNode(name: string): Promise<void> {
    return this.#exclusively(() => this.#switch!.unplug(this.#recordOf(name).port));
  }

  #recordOf(node: string): NodeRecord {
    const record = this.#records.all.get(node);
    if (record === undefined)
      throw new FabricError('unknown-node', `the cluster ${this.name} has no node ${node} on this machine`);
    return record;
  }

  setPodCidrs(node: string, podCidrs: readonly string[]): Promise<void> {
    return this.#exclusively(async () => {
      const record = this.#recordOf(node);
      this.#checkPodCidrs(node, podCidrs);
      if (podCidrs.join() === record.podCidrs.join()) return;
      this.#records.put({ ...record, podCidrs });
      await this.#syncRoutes();
    });
  }

  #checkPodCidrs(node: string, podCidrs: readonly string[]): void {
    for (const cidr of podCidrs) {
      const range = AddressRange.parse(cidr);
      if (
        !this.ranges.pods.some(
          (pods) =>
            AddressRange.parse(pods).overlaps(range) && AddressRange.parse(pods).prefixLength <= range.prefixLength,
        )
      ) {
        throw new FabricError(
          'bad-configuration',
          `the pod range ${cidr} of the node ${node} is not in the cluster's ${this.ranges.pods.join()}`,
        );
      }
      const rival = [...this.#records.all.values()].find(
        (other) => other.name !== node && other.podCidrs.some((taken) => AddressRange.parse(taken).overlaps(range)),
      );
      if (rival !== undefined)
        throw new FabricError(
          'range-taken',
          `the pod range ${cidr} of the node ${node} overlaps ${rival.podCidrs.join()} of the node ${rival.name}`,
        );
    }
  }

  async listPodRoutes(): Promise<readonly PodRoute[]> {
    const byAddress = new Map(
      [...this.#records.all.values()].flatMap(({ name, addresses }) =>
        addresses.map((address) => [address, name] as const),
      ),
    );
    const link = await findLink(this.#host, this.hostInterface);
    return (await listRoutes(this.#host)).flatMap(({ destination, gateway, interfaceIndex, protocol }) => {
      const node =
        protocol === FABRIC_PROTOCOL && interfaceIndex === link?.index ? byAddress.get(gateway ?? '') : undefined;
      return node === undefined ? [] : [{ node, podCidr: destination }];
    });
  }

  async #syncRoutes(): Promise<void> {
    const view = {
      blackholeMetric: blackholeMetric(this.#claim.id),
      ranges: this.ranges,
      nodes: [...this.#records.all.values()],
      hostAddresses: this.hostAddresses,
    };
    await this.#changeRoutes(this.#host, this.hostInterface, (interfaceIndex) =>
      hostRoutes({ ...view, interfaceIndex }),
    );
    for (const record of view.nodes) {
      await this.#changeRoutes(this.#netlinkOf(record), NODE_INTERFACE, (interfaceIndex) =>
        nodeRoutes({ ...view, interfaceIndex }, record),
      );
    }
  }

  /** Brings this fabric's routes of a namespace to what is wanted; others', also of other fabrics, stay. */
  async #changeRoutes(
    netlink: NetlinkSocket,
    interfaceName: string,
    wanted: (interfaceIndex: number) => Route[],
  ): Promise<void> {
    const link = await findLink(netlink, interfaceName);
    const own = blackholeMetric(this.#claim.id);
    const listed = (await listRoutes(netlink)).filter(({ type, metric, interfaceIndex }) =>
      type === 'blackhole' ? metric === own : interfaceIndex === link?.index,
    );
    const { add, remove } = routeChanges(link === undefined ? [] : wanted(link.index), listed, FABRIC_PROTOCOL);
    const requests = [...remove.map(deleteRoute), ...add.map(addRoute)];
    if (requests.length > 0) await netlink.send(requests);
  }

  routeHostAddress(address: string, nodeAddresses: readonly string[]): Promise<void> {
    return this.#exclusively(async () => {
      this.#checkHostAddress(address);
      await this.#balancers.route(address, { nodeAddresses, interfaceIndex: (await this.#hostLink()).index });
    });
  }

  unrouteHostAddress(address: string): Promise<void> {
    return this.#exclusively(() => this.#balancers.unroute(address));
  }

  #checkHostAddress(address: string): void {
    if (this.loadBalancerRanges.some((range) => AddressRange.parse(range).contains(address))) return;
    throw new FabricError(
      'bad-configuration',
      `${address} is not in ${this.loadBalancerRanges.join()}, which is for addresses of the host`,
    );
  }

  addHostAddress(address: string): Promise<void> {
    return this.#exclusively(async () => {
      this.#checkHostAddress(address);
      await this.#host.send([addAddress((await this.#hostLink()).index, hostRange(address))]);
    });
  }

  removeHostAddress(address: string): Promise<void> {
    return this.#exclusively(async () => {
      if (this.hostAddresses.includes(address))
        throw new FabricError('bad-configuration', `${address} is the host's own address`);
      await this.#host.send([deleteAddress((await this.#hostLink()).index, hostRange(address))]);
    });
  }

  async #hostLink(): Promise<Link> {
    const link = await findLink(this.#host, this.hostInterface);
    if (link === undefined)
      throw new FabricError(
        'bad-configuration',
        `the interface ${this.hostInterface} of the cluster ${this.name} is gone`,
      );
    return link;
  }

  async serveOnHost(port: number, onConnection: (socket: net.Socket) => void, boundTo?: string): Promise<HostListener> {
    const addresses = this.hostAddresses.filter((address) => !serves(boundTo, address));
    const listener = await listenOnHost({ netns: this.#hostNetns, addresses, port }, onConnection);
    const tracked: HostListener = {
      addresses: listener.addresses,
      close: async () => {
        this.#listeners.delete(tracked);
        await listener.close();
      },
    };
    this.#listeners.add(tracked);
    return tracked;
  }

  async destroy(): Promise<void> {
    await this.#closeListeners();
    await this.#exclusively(async () => {
      for (const record of [...this.#records.all.values()]) await this.#removeNode(record);
      await this.#changeRoutes(this.#host, this.hostInterface, () => []);
      await this.#balancers.removeAll();
      await this.#host.send([deleteLink({ name: this.hostInterface })]);
      this.#switch?.close();
      this.#switch = undefined;
      deleteNetns(this.#switchNetns);
      const table = hostTable(this.#claim.id);
      await runIn('nft', ['-f', '-'], {
        netns: this.#hostNetns,
        input: `table inet ${table}\ndelete table inet ${table}\n`,
      });
      releaseClaim(this.#stateDirectory, this.name);
      if (!listClaims(this.#stateDirectory).some(({ egress }) => egress))
        restoreForwarding({ stateDirectory: this.#stateDirectory, hostNetns: this.#hostNetns });
    });
    await this.close();
  }

  async close(): Promise<void> {
    await this.#closeListeners();
    await this.#queue;
    if (this.#closed) return;
    this.#closed = true;
    for (const name of [...this.#netlinks.keys()]) this.#forgetNetlink(name);
    this.#switch?.close();
    this.#host.close();
    this.#owner.release();
  }

  async #closeListeners(): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener.close()));
  }

  #netlinkOf({ name, netnsPath }: NodeRecord): NetlinkSocket {
    const existing = this.#netlinks.get(name);
    if (existing !== undefined) return existing;
    const made = new NetlinkSocket(netnsPath);
    this.#netlinks.set(name, made);
    return made;
  }

  #forgetNetlink(name: string): void {
    this.#netlinks.get(name)?.close();
    this.#netlinks.delete(name);
  }

  /** The addresses of an interface on the fabric. Neighbours of IPv6 are found from a link-local one, so it has that too. */
  #onFabric(number: number): string[] {
    const ranges = this.ranges.nodes.map((range) => AddressRange.parse(range));
    const linkLocal = ranges.some(({ family }) => family === 6)
      ? [`${AddressRange.parse('fe80::/64').at(number)}/64`]
      : [];
    return [...ranges.map((range) => `${range.at(number)}/${range.prefixLength}`), ...linkLocal];
  }

  /** One change at a time. */
  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(() => {
      if (this.#closed) throw new FabricError('closed', `the fabric of the cluster ${this.name} is closed`);
      return work();
    });
    this.#queue = result.catch(() => {});
    return result;
  }
}

/** Stable across restarts, so that neighbours never look for a node in the wrong place. */
function macOf(text: string): string {
  const digest = createHash('sha256').update(text).digest('hex');
  return ['02', ...[0, 2, 4, 6, 8].map((at) => digest.slice(at, at + 2))].join(':');
}

/** A node routes for its pods, believes no router and detects no duplicates of addresses that are its own by record. */
function writeNodeSysctls(netns: string): void {
  const wanted = {
    'net/ipv4/ip_forward': '1',
    'net/ipv6/conf/all/forwarding': '1',
    'net/ipv6/conf/default/accept_dad': '0',
    'net/ipv6/conf/default/accept_ra': '0',
    'net/ipv4/conf/all/send_redirects': '0',
    'net/ipv4/conf/default/send_redirects': '0',
    'net/bridge/bridge-nf-call-iptables': '0',
    'net/bridge/bridge-nf-call-ip6tables': '0',
  };
  inNetns(netns, () => {
    for (const [name, value] of Object.entries(wanted)) {
      const now = readSysctl(undefined, name);
      if (now !== undefined && now !== value) writeSysctl(undefined, name, value);
    }
  });
}
