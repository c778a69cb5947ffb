/** The network interfaces of the machine, and which of their addresses others may reach. */
import os from 'node:os';

const FABRIC_PREFIX = 'k8f';

/** The machine's interface to the nodes of the cluster on it that has this id. */
export const fabricInterface = (cluster: string): string => `${FABRIC_PREFIX}${cluster}`;

/**
 * The first address of each IP family that is not a loopback or link-local address; `first` goes before all. Interfaces to the
 * nodes of clusters on this machine come and go with them, and lead nowhere else.
 */
export function machineAddresses(first?: string): string[] {
  const all = Object.entries(os.networkInterfaces())
    .filter(([name]) => !name.startsWith(FABRIC_PREFIX))
    .flatMap(([, list]) => list ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid);
  const familyOf = (address: string): string => (address.includes(':') ? 'IPv6' : 'IPv4');
  const families = ['IPv4', 'IPv6'].filter((family) => first === undefined || family !== familyOf(first));
  const others = families.flatMap((family) => all.find((address) => address.family === family)?.address ?? []);
  return first === undefined ? others : [first, ...others];
}
