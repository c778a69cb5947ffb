/**
 * The kernel's side of speaking. IPv4 addresses are on the loopback interface, so that the kernel answers ARP for them, but
 * a rule drops requests for addresses of the pool unless a set has them; its elements expire when nobody renews them.
 * NDP is answered only for addresses of the link itself: there IPv6 addresses are, and expire when nobody renews them.
 * Another rule refuses what no Service of the address takes: it must not reach the machine's own ports.
 */
import { AddressRange, addressBytes } from '../../base/index.ts';
import {
  addAddress,
  addSetElements,
  changeElements,
  deleteAddress,
  deleteSetElements,
  findLink,
  listAddresses,
  NetlinkSocket,
  runIn,
  type SetElements,
} from '../../net/netns/index.ts';

const TABLE = 'k8ts-load-balancer';
const EXPIRES = '1500ms';
/** The kernel counts whole seconds. */
const VALID_SECONDS = 2;

const isIpv6 = (address: string): boolean => address.includes(':');

const elements = (addresses: readonly string[]): SetElements => ({
  family: 'arp',
  table: TABLE,
  set: 'speaking',
  keys: addresses.map((address) => [addressBytes(address)]),
});

const FAMILIES = ['arp', 'ip', 'ip6'] as const;

const cidrOf = (address: string): string => `${address}/${isIpv6(address) ? 128 : 32}`;

function ipv4Rules(pool: readonly string[]): string {
  const list = pool.filter((range) => !isIpv6(range)).join(', ');
  if (list === '') return '';
  return `table arp ${TABLE} {
	set speaking {
		type ipv4_addr
		flags timeout
		timeout ${EXPIRES}
	}
	chain input {
		type filter hook input priority filter; policy accept;
		arp operation request arp daddr ip { ${list} } arp daddr ip != @speaking drop
	}
}
table ip ${TABLE} {
	chain input {
		type filter hook input priority filter; policy accept;
		ip daddr { ${list} } reject
	}
}
`;
}

/** Neighbors ask the address itself whether it is still there. */
function ipv6Rules(pool: readonly string[]): string {
  const list = pool.filter(isIpv6).join(', ');
  if (list === '') return '';
  return `table ip6 ${TABLE} {
	chain input {
		type filter hook input priority filter; policy accept;
		icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
		ip6 daddr { ${list} } reject
	}
}
`;
}

const replace = (family: string): string => `table ${family} ${TABLE}\ndelete table ${family} ${TABLE}\n`;

export class SpeakingTable {
  readonly #routes = new NetlinkSocket(undefined);
  readonly #filter = new NetlinkSocket(undefined, 'netfilter');
  readonly #pool: readonly AddressRange[];
  readonly #link: number;
  #loopback = 1;

  private constructor(pool: readonly AddressRange[], link: number) {
    this.#pool = pool;
    this.#link = link;
  }

  /** `link` is the index of the interface that the machines share. */
  static async open(pool: readonly string[], link: number): Promise<SpeakingTable> {
    const ranges = pool.map((cidr) => AddressRange.parse(cidr));
    const table = new SpeakingTable(ranges, link);
    await runIn('nft', ['-f', '-'], {
      input: [...FAMILIES.map(replace), ipv4Rules(pool), ipv6Rules(pool)].join(''),
    });
    table.#loopback = (await findLink(table.#routes, 'lo'))?.index ?? 1;
    return table;
  }

  /** Speaks for these addresses until the next call, or for a second and a half. */
  async speak(addresses: readonly string[]): Promise<void> {
    const present = (await listAddresses(this.#routes))
      .filter(
        ({ index, address }) => index === this.#place(address) && this.#pool.some((range) => range.contains(address)),
      )
      .map(({ address }) => address);
    const gone = present.filter((address) => !addresses.includes(address));
    await this.#routes.send([
      ...addresses
        .filter((address) => isIpv6(address) || !present.includes(address))
        .map((address) =>
          isIpv6(address)
            ? addAddress(this.#link, `${address}/128`, VALID_SECONDS)
            : addAddress(this.#loopback, `${address}/32`),
        ),
      ...gone.map((address) => deleteAddress(this.#place(address), cidrOf(address))),
    ]);
    const silent = gone.filter((address) => !isIpv6(address));
    if (silent.length > 0) await deleteSetElements(this.#filter, [elements(silent)]);
    for (const address of addresses) if (!isIpv6(address)) await this.#renew(address);
  }

  /** The interface that an address is put on. */
  #place(address: string): number {
    return isIpv6(address) ? this.#link : this.#loopback;
  }

  /** Adding an element again would not make it last longer. */
  async #renew(address: string): Promise<void> {
    const element = [elements([address])];
    await changeElements(this.#filter, { remove: element, add: element }).catch(() =>
      addSetElements(this.#filter, element),
    );
  }

  close(): void {
    this.#routes.close();
    this.#filter.close();
  }

  static async remove(pool: readonly string[]): Promise<void> {
    await runIn('nft', ['-f', '-'], { input: FAMILIES.map(replace).join('') });
    const ranges = pool.map((cidr) => AddressRange.parse(cidr));
    const socket = new NetlinkSocket(undefined);
    try {
      const own = (await listAddresses(socket)).filter(({ address }) =>
        ranges.some((range) => range.contains(address)),
      );
      await socket.send(own.map(({ index, address }) => deleteAddress(index, cidrOf(address))));
    } finally {
      socket.close();
    }
  }
}
