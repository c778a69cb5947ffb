/**
 * The kernel's side of speaking. The addresses are on the loopback interface, so that the kernel answers ARP for them, but
 * a rule drops requests for addresses of the pool unless a set has them; its elements expire when nobody renews them.
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

const elements = (addresses: readonly string[]): SetElements => ({
  family: 'arp',
  table: TABLE,
  set: 'speaking',
  keys: addresses.map((address) => [addressBytes(address)]),
});

const replace = (family: string): string => `table ${family} ${TABLE}\ndelete table ${family} ${TABLE}\n`;

export class SpeakingTable {
  readonly #routes = new NetlinkSocket(undefined);
  readonly #filter = new NetlinkSocket(undefined, 'netfilter');
  readonly #pool: readonly AddressRange[];
  #loopback = 1;

  private constructor(pool: readonly AddressRange[]) {
    this.#pool = pool;
  }

  static async open(pool: readonly string[]): Promise<SpeakingTable> {
    const ranges = pool.map((cidr) => AddressRange.parse(cidr));
    const table = new SpeakingTable(ranges);
    const list = ranges.map(String).join(', ');
    await runIn('nft', ['-f', '-'], {
      input: `${replace('arp')}${replace('ip')}table arp ${TABLE} {
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
`,
    });
    table.#loopback = (await findLink(table.#routes, 'lo'))?.index ?? 1;
    return table;
  }

  /** Speaks for these addresses until the next call, or for a second and a half. */
  async speak(addresses: readonly string[]): Promise<void> {
    const present = (await listAddresses(this.#routes))
      .filter(({ index, address }) => index === this.#loopback && this.#pool.some((range) => range.contains(address)))
      .map(({ address }) => address);
    const gone = present.filter((address) => !addresses.includes(address));
    await this.#routes.send([
      ...addresses
        .filter((address) => !present.includes(address))
        .map((address) => addAddress(this.#loopback, `${address}/32`)),
      ...gone.map((address) => deleteAddress(this.#loopback, `${address}/32`)),
    ]);
    if (gone.length > 0) await deleteSetElements(this.#filter, [elements(gone)]);
    for (const address of addresses) await this.#renew(address);
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
    await runIn('nft', ['-f', '-'], { input: `${replace('arp')}${replace('ip')}` });
    const table = new SpeakingTable(pool.map((cidr) => AddressRange.parse(cidr)));
    try {
      const socket = table.#routes;
      const own = (await listAddresses(socket)).filter(
        ({ index, address }) => index === table.#loopback && table.#pool.some((range) => range.contains(address)),
      );
      await socket.send(own.map(({ address, length }) => deleteAddress(table.#loopback, `${address}/${length}`)));
    } finally {
      table.close();
    }
  }
}
