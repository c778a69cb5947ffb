/** The switch between the nodes: a bridge in a namespace of its own, and cables from it to others. */
import fs from 'node:fs';
import type { Clock } from '../../kernel/index.ts';
import {
  addAddress,
  addBridge,
  addVeth,
  createNetns,
  deleteAddress,
  deleteLink,
  findLink,
  isNetns,
  listAddresses,
  listLinks,
  NetlinkSocket,
  openNetns,
  readSysctl,
  setLink,
  untilOperational,
  withoutLinkLocal,
  writeSysctl,
  type Link,
} from '../../net/netns/index.ts';

const BRIDGE = 'fabric';

export class Switch {
  readonly #clock: Clock;
  readonly #netlink: NetlinkSocket;
  readonly #bridge: Link;
  readonly #mtu: number;

  private constructor(clock: Clock, netlink: NetlinkSocket, options: { bridge: Link; mtu: number }) {
    this.#clock = clock;
    this.#netlink = netlink;
    this.#bridge = options.bridge;
    this.#mtu = options.mtu;
  }

  /** Opens the switch, or creates it. */
  static async open(clock: Clock, netns: string, mtu: number): Promise<Switch> {
    if (!isNetns(netns)) createNetns(netns);
    for (const sysctl of [
      'net/bridge/bridge-nf-call-iptables',
      'net/bridge/bridge-nf-call-ip6tables',
      'net/bridge/bridge-nf-call-arptables',
    ]) {
      if (readSysctl(netns, sysctl) !== undefined) writeSysctl(netns, sysctl, '0');
    }
    const netlink = new NetlinkSocket(netns);
    try {
      if ((await findLink(netlink, BRIDGE)) === undefined)
        await netlink.send([addBridge({ name: BRIDGE }), withoutLinkLocal(BRIDGE)]);
      await netlink.send([setLink({ name: BRIDGE, up: true, mtu })]);
      return new Switch(clock, netlink, { bridge: (await findLink(netlink, BRIDGE))!, mtu });
    } catch (error) {
      netlink.close();
      throw error;
    }
  }

  /**
   * Connects `port` with an interface that has these addresses and none else, in the namespace of `other`; repairs what
   * is there. Both ends of a cable disappear together, so one that is half there is made anew.
   */
  async connect(
    port: string,
    cable: {
      interfaceName: string;
      addresses: readonly string[];
      mac: string;
      netns: string | undefined;
      other: NetlinkSocket;
      keep?: (address: string) => boolean;
    },
  ): Promise<Link> {
    const { interfaceName, addresses, mac, netns, other, keep = () => false } = cable;
    let [near, far] = [await findLink(this.#netlink, port), await findLink(other, interfaceName)];
    if (near === undefined || far === undefined) {
      if (near !== undefined) await this.#netlink.send([deleteLink({ name: port })]);
      if (far !== undefined) await other.send([deleteLink({ name: interfaceName })]);
      const target = openNetns(netns ?? '/proc/self/ns/net');
      try {
        await this.#netlink.send([
          addVeth({ name: port, mtu: this.#mtu }, { name: interfaceName, netnsFd: target, mac, mtu: this.#mtu }),
          withoutLinkLocal(port),
        ]);
      } finally {
        fs.closeSync(target);
      }
      await other.send([withoutLinkLocal(interfaceName)]);
      far = await findLink(other, interfaceName);
    }
    if (far === undefined) throw new Error(`the interface ${interfaceName} disappeared while it was being connected`);
    const { index } = far;
    const present = (await listAddresses(other)).filter((each) => each.index === index);
    const wrong = present.filter(
      ({ address, length }) => !addresses.includes(`${address}/${length}`) && !keep(address),
    );
    await other.send([
      setLink({ index, name: interfaceName, up: true, mtu: this.#mtu }),
      ...wrong.map(({ address, length }) => deleteAddress(index, `${address}/${length}`)),
      ...addresses.map((address) => addAddress(index, address)),
    ]);
    // The switch's end comes up last: its port forwards at once when the other end is up already.
    near = (await findLink(this.#netlink, port))!;
    await this.#netlink.send([
      setLink({ index: near.index, name: port, master: this.#bridge.index, up: true, mtu: this.#mtu }),
    ]);
    await untilOperational(this.#clock, [
      { socket: this.#netlink, name: port },
      {
        socket: other,
        name: interfaceName,
        addresses: addresses.map((cidr) => cidr.split('/')[0]!).filter((address) => !address.startsWith('fe80:')),
      },
    ]);
    return far;
  }

  /** The cable stays and carries nothing until `connect`. */
  async unplug(port: string): Promise<void> {
    await this.#netlink.send([setLink({ name: port, up: false })]);
  }

  async disconnect(port: string): Promise<void> {
    await this.#netlink.send([deleteLink({ name: port })]);
  }

  /** Removes ports of unknown nodes. */
  async keepOnly(ports: ReadonlySet<string>): Promise<void> {
    const strays = (await listLinks(this.#netlink)).filter(({ kind, name }) => kind === 'veth' && !ports.has(name));
    if (strays.length > 0) await this.#netlink.send(strays.map(({ name }) => deleteLink({ name })));
  }

  close(): void {
    this.#netlink.close();
  }
}
