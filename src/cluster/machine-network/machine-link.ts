/** The interface of a machine that other machines reach it by. */
import { listAddresses, listLinks, NetlinkSocket, type Link } from '../../net/netns/index.ts';

/** Ethernet, IP, UDP and VXLAN headers around a frame, by the family of the machines' addresses. */
const POD_NETWORK_OVERHEAD = { IPv4: 50, IPv6: 70 } as const;

export interface MachineLink extends Link {
  readonly address: string;
}

/** Throws when the address is not this machine's. */
export async function linkOf(address: string): Promise<MachineLink> {
  const socket = new NetlinkSocket(undefined);
  try {
    const own = (await listAddresses(socket)).find((each) => each.address === address);
    const link = own && (await listLinks(socket)).find(({ index }) => index === own.index);
    if (link === undefined)
      throw new Error(`${address} is not an address of this machine; "ip address" lists those that it has`);
    return { ...link, address };
  } finally {
    socket.close();
  }
}

/** WireGuard's headers, with IPv6 around. */
const ENCRYPTION_OVERHEAD = 80;

/** So that what a pod sends also fits between links, where it is packed into VXLAN, or into WireGuard. */
export const podMtu = ({ mtu, address }: Pick<MachineLink, 'mtu' | 'address'>, encrypt = false): number =>
  mtu - (encrypt ? ENCRYPTION_OVERHEAD : POD_NETWORK_OVERHEAD[address.includes(':') ? 'IPv6' : 'IPv4']);
