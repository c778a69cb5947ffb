/** The node's side of the built-in pod network: bridge, gateway addresses, IP forwarding, masquerading. */
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

interface NodeBridgeOptions {
  readonly name: string;
  readonly nodeNetns: string | undefined;
  readonly mtu: number;
  /** Whether settings that also affect other bridges of the namespace may be changed. */
  readonly ownsNamespace: boolean;
}

export interface NodeBridge extends Link {
  /**
   * Whether netfilter sees bridged frames (bridge-nf-call-iptables). A frame that such a rule DNATs to another pod is
   * bridged, not routed, even back to its source, so ports must not be isolated and need hairpin mode.
   */
  readonly filtersFrames: boolean;
}

/** Creates or repairs the bridge, with one gateway address per pool. */
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
    throw new Error(`the interface ${name} of the node is not a bridge`);
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
  enableForwarding(nodeNetns, name, pools);
  if (ownsNamespace) for (const sysctl of FRAME_FILTERS) ensureSysctl(nodeNetns, sysctl, '0');
  return { ...bridge, filtersFrames: FRAME_FILTERS.some((sysctl) => readSysctl(nodeNetns, sysctl) === '1') };
}

/**
 * A fixed MAC address: pods have it as a permanent neighbour, so it must not ensureSysctl when ports are added or
 * removed.
 */
function bridgeMac(pools: readonly AddressPool[]): string {
  return podMac(pools[0]!.gateway);
}

/** A MAC address derived from the IP address, with the prefix 0a:58 as in other pod networks. */
export function podMac(address: string): string {
  const range = AddressRange.parse(`${address}/0`);
  const low = Number(range.offsetOf(address)! & 0xffff_ffffn);
  return ['0a', '58', ...[24, 16, 8, 0].map((shift) => ((low >>> shift) & 0xff).toString(16).padStart(2, '0'))].join(
    ':',
  );
}

const FRAME_FILTERS = ['net/bridge/bridge-nf-call-iptables', 'net/bridge/bridge-nf-call-ip6tables'];

/** Sets a sysctl if the kernel has it and its value differs. */
function ensureSysctl(netns: string | undefined, name: string, value: string): void {
  const now = readSysctl(netns, name);
  if (now !== undefined && now !== value) writeSysctl(netns, name, value);
}

function enableForwarding(netns: string | undefined, bridge: string, pools: readonly AddressPool[]): void {
  const set = (name: string, value: string): void => ensureSysctl(netns, name, value);
  for (const { range } of pools) {
    if (range.family === 4) set('net/ipv4/ip_forward', '1');
    else set('net/ipv6/conf/all/forwarding', '1');
  }
  // The node routes packets between pods back to the same interface, for which it must not send ICMP redirects.
  set(`net/ipv4/conf/${bridge}/send_redirects`, '0');
  // Lets the node reach host ports on 127.0.0.1; a rule drops packets from pods to 127.0.0.0/8.
  set(`net/ipv4/conf/${bridge}/route_localnet`, '1');
}

/** Pod addresses that the kernel has as permanent neighbours, possibly of an earlier process without records. */
export async function addressesInUse(node: NetlinkSocket, bridge: Link): Promise<string[]> {
  return (await listNeighbours(node))
    .filter(({ index, permanent }) => index === bridge.index && permanent)
    .map(({ address }) => address);
}

/**
 * Removes veth ports of the bridge and ifb devices that are not in use. `namesToKeep` is read after the links are
 * listed.
 */
export async function removeLeftoverLinks(
  node: NetlinkSocket,
  bridge: Link,
  namesToKeep: () => ReadonlySet<string>,
): Promise<string[]> {
  const links = await listLinks(node);
  const keep = namesToKeep();
  const leftovers = links.filter(
    ({ name, master, kind }) =>
      !keep.has(name) && ((master === bridge.index && kind === 'veth') || (kind === 'ifb' && IFB_NAME.test(name))),
  );
  if (leftovers.length > 0) await node.send(leftovers.map(({ name }) => deleteLink({ name })));
  return leftovers.map(({ name }) => name);
}

const IFB_NAME = /^ifb[0-9a-f]{11}$/;

export const MASQUERADE_TABLE = 'k8ts-masquerade';

/** Masquerades pods' traffic that leaves the cluster; traffic to pods and to the `except` CIDRs keeps its source. */
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
