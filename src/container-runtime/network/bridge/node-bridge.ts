/**
 * The node's side of the built-in network: the bridge, its addresses, forwarding, and what belongs to nobody any more.
 */
import { AddressRange } from '../../../base/index.ts';
import {
  addAddress,
  addBridge,
  deleteAddress,
  deleteLink,
  findLink,
  listAddresses,
  listLinks,
  listNeighbours,
  readSysctl,
  runIn,
  setLink,
  writeSysctl,
  type Link,
  type NetlinkSocket,
} from '../../../net/netns/index.ts';
import type { AddressPool } from './address-pool.ts';

export interface NodeBridgeOptions {
  readonly name: string;
  readonly nodeNetns: string | undefined;
  readonly mtu: number;
  /** Whether settings of the namespace that concern other bridges too may be changed. */
  readonly ownsNamespace: boolean;
}

export interface NodeBridge extends Link {
  /**
   * The namespace shows bridged frames to its rules (bridge-nf-call-iptables). A frame whose destination such a rule
   * changes to another pod is bridged to it instead of routed, even back to where it came from: ports must let it.
   */
  readonly filtersFrames: boolean;
}

/** Makes the bridge as it should be, whatever part of it is there: one gateway address per pool. */
export async function ensureBridge(
  node: NetlinkSocket,
  pools: readonly AddressPool[],
  { name, nodeNetns, mtu, ownsNamespace }: NodeBridgeOptions,
): Promise<NodeBridge> {
  let bridge = await findLink(node, name);
  if (bridge === undefined) {
    await node.send([addBridge({ name, mac: bridgeMac(pools), up: true, mtu })]);
    bridge = await findLink(node, name);
  }
  if (bridge === undefined || bridge.kind !== 'bridge')
    throw new Error(`the interface ${name} of the node is no bridge`);
  const wanted = new Set(pools.map(({ gateway, range }) => `${gateway}/${range.prefixLength}`));
  const present = (await listAddresses(node)).filter(
    ({ index, address }) => index === bridge.index && !address.startsWith('fe80:'),
  );
  await node.send([
    setLink({ index: bridge.index, name, up: true, mtu }),
    ...present
      .filter(({ address, length }) => !wanted.has(`${address}/${length}`))
      .map(({ address, length }) => deleteAddress(bridge.index, `${address}/${length}`)),
    ...[...wanted].map((cidr) => addAddress(bridge.index, cidr)),
  ]);
  routeForPods(nodeNetns, name, pools);
  if (ownsNamespace) for (const sysctl of FRAME_FILTERS) change(nodeNetns, sysctl, '0');
  return { ...bridge, filtersFrames: FRAME_FILTERS.some((sysctl) => readSysctl(nodeNetns, sysctl) === '1') };
}

/** The hardware address is written into pods as their gateway's, so it must not change when ports come and go. */
function bridgeMac(pools: readonly AddressPool[]): string {
  return podMac(pools[0]!.gateway);
}

/** A hardware address of our own (0a:58) that follows from the address, as other pod networks have them. */
export function podMac(address: string): string {
  const range = AddressRange.parse(`${address}/0`);
  const low = Number(range.offsetOf(address)! & 0xffff_ffffn);
  return ['0a', '58', ...[24, 16, 8, 0].map((shift) => ((low >>> shift) & 0xff).toString(16).padStart(2, '0'))].join(
    ':',
  );
}

const FRAME_FILTERS = ['net/bridge/bridge-nf-call-iptables', 'net/bridge/bridge-nf-call-ip6tables'];

/** Sets a sysctl where the kernel has it and it says something else. */
function change(netns: string | undefined, name: string, value: string): void {
  const now = readSysctl(netns, name);
  if (now !== undefined && now !== value) writeSysctl(netns, name, value);
}

function routeForPods(netns: string | undefined, bridge: string, pools: readonly AddressPool[]): void {
  const set = (name: string, value: string): void => change(netns, name, value);
  for (const { range } of pools) {
    if (range.family === 4) set('net/ipv4/ip_forward', '1');
    else set('net/ipv6/conf/all/forwarding', '1');
  }
  // Pods reach their neighbours through us on the interface they came from: no reason to tell them a shorter way.
  set(`net/ipv4/conf/${bridge}/send_redirects`, '0');
  // Lets connections of the node itself to 127.0.0.1 go to the pod behind a host port; the way back in is closed by a
  // rule.
  set(`net/ipv4/conf/${bridge}/route_localnet`, '1');
}

/** Addresses that pods of unknown records have: written down as neighbours, by an earlier life of ours. */
export async function addressesInUse(node: NetlinkSocket, bridge: Link): Promise<string[]> {
  return (await listNeighbours(node))
    .filter(({ index, permanent }) => index === bridge.index && permanent)
    .map(({ address }) => address);
}

/** Removes ports of the bridge, and their shaping devices, that are not among those to keep once they are listed. */
export async function removeStrayLinks(
  node: NetlinkSocket,
  bridge: Link,
  namesToKeep: () => ReadonlySet<string>,
): Promise<string[]> {
  const links = await listLinks(node);
  const keep = namesToKeep();
  const strays = links.filter(
    ({ name, master, kind }) =>
      !keep.has(name) && ((master === bridge.index && kind === 'veth') || (kind === 'ifb' && SHAPER_NAME.test(name))),
  );
  if (strays.length > 0) await node.send(strays.map(({ name }) => deleteLink({ name })));
  return strays.map(({ name }) => name);
}

const SHAPER_NAME = /^ifb[0-9a-f]{11}$/;

const MASQUERADE_TABLE = 'k8ts-masquerade';

/** What pods send out of the cluster leaves with the node's address; nothing between pods and the ranges named does. */
export async function masquerade(
  nodeNetns: string | undefined,
  pools: readonly AddressPool[],
  except: readonly string[],
): Promise<void> {
  const rules = pools.map(({ range }) => {
    const family = range.family === 6 ? 'ip6' : 'ip';
    const inside = [range, ...except.map((cidr) => AddressRange.parse(cidr))].filter(
      (each) => each.family === range.family,
    );
    const widest = inside.filter(
      (each, index) =>
        !inside.some(
          (other, at) =>
            at !== index &&
            other.prefixLength <= each.prefixLength &&
            other.overlaps(each) &&
            (other.prefixLength < each.prefixLength || at < index),
        ),
    );
    return `\t\t${family} saddr ${range.toString()} ${family} daddr != { ${widest.join(', ')} } masquerade\n`;
  });
  const input = `table inet ${MASQUERADE_TABLE}
delete table inet ${MASQUERADE_TABLE}
table inet ${MASQUERADE_TABLE} {
	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
${rules.join('')}	}
}
`;
  await runIn('nft', ['-f', '-'], { netns: nodeNetns, input });
}
