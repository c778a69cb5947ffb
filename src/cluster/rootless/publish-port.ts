import type net from 'node:net';
import { forwardTo } from '../fabric/index.ts';
import type { Address, HostNetwork } from './host-network.ts';

/** Serves an address of the user with the server that listens, or will, on the same port of loopback inside. */
export async function publishPort(network: HostNetwork, address: Address): Promise<number> {
  let forward: ((socket: net.Socket) => void) | undefined;
  const { port } = await network.listen(address, (socket) => forward?.(socket));
  forward = forwardTo({ host: '127.0.0.1', port });
  return port;
}
