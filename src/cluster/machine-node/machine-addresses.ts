import dgram from 'node:dgram';
import os from 'node:os';

/** The first address of each IP family that other machines may reach; `first` goes before all. */
export function machineAddresses(first?: string): string[] {
  const all = Object.values(os.networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid);
  const familyOf = (address: string): string => (address.includes(':') ? 'IPv6' : 'IPv4');
  const families = first === undefined ? ['IPv4', 'IPv6'] : [familyOf(first) === 'IPv4' ? 'IPv6' : 'IPv4'];
  const others = families.flatMap((family) => all.find((address) => address.family === family)?.address ?? []);
  return first === undefined ? others : [first, ...others];
}

/** The address that this machine has where it reaches the server; undefined when the server's name is unknown. */
export function addressTowards(server: string): Promise<string | undefined> {
  const { hostname, port } = new URL(server);
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = dgram.createSocket(host.includes(':') ? 'udp6' : 'udp4');
  return new Promise((resolve) => {
    const done = (address: string | undefined): void => {
      socket.close();
      resolve(address);
    };
    socket.once('error', () => done(undefined));
    // Nothing is sent: the kernel only chooses the route.
    socket.connect(Number(port) || 443, host, () => done(socket.address().address));
  });
}
