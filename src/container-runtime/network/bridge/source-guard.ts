/**
 * Anti-spoofing: pods can only send from their own addresses. Bridge ports are locked to the pods' MAC addresses; this
 * nftables table drops packets whose source address does not belong to the MAC address. So a pod cannot evade
 * NetworkPolicies with forged packets.
 */
import net from 'node:net';
import { addressBytes } from '../../../base/index.ts';
import {
  addSetElements,
  deleteSetElements,
  macBytes,
  NetlinkSocket,
  runIn,
  type SetElements,
} from '../../../net/netns/index.ts';

export const GUARD_TABLE = 'k8ts-source-guard';

interface GuardedPod {
  readonly mac: string;
  readonly ips: readonly string[];
}

export class SourceGuard {
  readonly #netns: string | undefined;
  readonly #bridge: string;
  readonly #netlink: NetlinkSocket;

  constructor(netns: string | undefined, bridge: string) {
    this.#netns = netns;
    this.#bridge = bridge;
    this.#netlink = new NetlinkSocket(netns, 'netfilter');
  }

  /** Replaces the whole table. */
  async write(pods: Iterable<GuardedPod>): Promise<void> {
    const elements = (family: 4 | 6): string => {
      const list = [...pods].flatMap(({ mac, ips }) =>
        ips.filter((ip) => net.isIP(ip) === family).map((ip) => `${mac} . ${ip}`),
      );
      return list.length === 0 ? '' : `\n\t\telements = { ${list.join(', ')} }`;
    };
    const input = `table inet ${GUARD_TABLE}
delete table inet ${GUARD_TABLE}
table inet ${GUARD_TABLE} {
	set pods4 {
		type ether_addr . ipv4_addr${elements(4)}
	}
	set pods6 {
		type ether_addr . ipv6_addr${elements(6)}
	}
	chain prerouting {
		type filter hook prerouting priority raw - 10; policy accept;
		iifname != "${this.#bridge}" accept
		ether saddr . ip saddr @pods4 accept
		ether saddr . ip6 saddr @pods6 accept
		ip6 saddr { ::, fe80::/10 } accept
		counter drop
	}
}
`;
    await runIn('nft', ['-f', '-'], { netns: this.#netns, input });
  }

  async add(pod: GuardedPod): Promise<void> {
    await addSetElements(this.#netlink, elementsOf(pod));
  }

  async remove(pod: GuardedPod): Promise<void> {
    await deleteSetElements(this.#netlink, elementsOf(pod));
  }

  close(): void {
    this.#netlink.close();
  }
}

function elementsOf({ mac, ips }: GuardedPod): SetElements[] {
  return ips.map((ip) => ({
    table: GUARD_TABLE,
    set: net.isIPv6(ip) ? 'pods6' : 'pods4',
    keys: [[macBytes(mac), addressBytes(ip)]],
  }));
}
