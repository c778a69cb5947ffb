/** The host's routes to addresses of load balancers: to several nodes at once, or to nobody. */
import net from 'node:net';
import { AddressRange } from '../../base/index.ts';
import {
  addRoute,
  deleteRoute,
  listRoutes,
  type NetlinkRequest,
  type NetlinkSocket,
  type Route,
} from '../../net/netns/index.ts';

/** Marks them: they come and go with Services, not with the fabric's own routes. */
const BALANCER_PROTOCOL = 84;

export class BalancerRoutes {
  readonly #host: NetlinkSocket;
  readonly #ranges: readonly string[];

  constructor(host: NetlinkSocket, ranges: readonly string[]) {
    this.#host = host;
    this.#ranges = ranges;
  }

  /** Each of the nodes gets its share of the connections; with none of them, callers learn at once that nobody is there. */
  async route(
    address: string,
    { nodeAddresses, interfaceIndex }: { nodeAddresses: readonly string[]; interfaceIndex: number },
  ): Promise<void> {
    const destination = hostRange(address);
    const route: Route =
      nodeAddresses.length === 0
        ? { destination, type: 'unreachable', protocol: BALANCER_PROTOCOL }
        : { destination, gateways: nodeAddresses, interfaceIndex, protocol: BALANCER_PROTOCOL };
    // A route of one type does not replace one of another.
    await this.#host.send([...removals(address), addRoute(route)]);
  }

  async unroute(address: string): Promise<void> {
    await this.#host.send(removals(address));
  }

  /** Also what an earlier process left; routes to nobody do not go with the interface. */
  async removeAll(): Promise<void> {
    const ranges = this.#ranges.map((range) => AddressRange.parse(range));
    const addresses = (await listRoutes(this.#host))
      .filter(({ protocol }) => protocol === BALANCER_PROTOCOL)
      .map(({ destination }) => destination.split('/')[0]!);
    const own = addresses.filter((address) => ranges.some((range) => range.contains(address)));
    if (own.length > 0) await this.#host.send(own.flatMap(removals));
  }
}

/** Of whichever type. */
const removals = (address: string): NetlinkRequest[] =>
  (['unicast', 'unreachable'] as const).map((type) =>
    deleteRoute({ destination: hostRange(address), type, protocol: BALANCER_PROTOCOL }),
  );

/** An address as a range. */
export const hostRange = (address: string): string => `${address}/${net.isIPv6(address) ? 128 : 32}`;
