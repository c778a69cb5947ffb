/** Pure: how the routes that a component owns become those that it wants. */
import { AddressRange } from '../../base/index.ts';
import type { ListedRoute, Route } from './routes.ts';

const familyOf = (cidr: string): 4 | 6 => AddressRange.parse(cidr).family;

/** Differences between what is wanted and what the kernel lists; only routes of the protocol, which names their owner, are deleted. */
export function routeChanges(
  wanted: readonly Route[],
  listed: readonly ListedRoute[],
  owner: number,
): { add: Route[]; remove: ListedRoute[] } {
  const own = listed.filter(({ protocol }) => protocol === owner);
  const present = new Set(own.map(identity));
  const kept = new Set(wanted.map(identity));
  return {
    add: wanted.filter((route) => !present.has(identity(route))),
    remove: own.filter((route) => !kept.has(identity(route))),
  };
}

function identity({ type = 'unicast', destination, family, gateway, interfaceIndex, metric }: Route): string {
  const version = destination === 'default' ? (family ?? familyOf(`${gateway ?? '0.0.0.0'}/0`)) : familyOf(destination);
  // The kernel names a metric and, for blackholes of IPv6, the loopback interface where we named none.
  const through = type === 'blackhole' ? metric : `${gateway} ${interfaceIndex}`;
  return [version, type, destination, through].join(' ');
}
