import dgram from 'node:dgram';

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
