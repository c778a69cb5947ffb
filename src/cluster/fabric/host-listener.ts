/** Listeners on the host's fabric addresses, so that a server on loopback is reached from nodes and pods too. */
import net from 'node:net';
import { listenIn } from '../../net/netns/index.ts';
import type { HostListener } from './fabric.ts';

interface HostAddresses {
  readonly netns: string | undefined;
  readonly addresses: readonly string[];
  readonly port: number;
}

/** Calls `onConnection` for every connection; closing stops listening and leaves open connections alone. */
export async function listenOnHost(
  { netns, addresses, port }: HostAddresses,
  onConnection: (socket: net.Socket) => void,
): Promise<HostListener> {
  const servers: net.Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  };
  try {
    for (const host of addresses) {
      const server = net.createServer({ noDelay: true }, onConnection);
      await listenIn(server, { netns, host, port, ipv6Only: true });
      servers.push(server);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { addresses, close };
}

/** Whether a server that is bound to one address accepts connections to another. */
export const serves = (boundTo: string | undefined, address: string): boolean =>
  boundTo === '::' || boundTo === address || (boundTo === '0.0.0.0' && net.isIPv4(address));

/** For `serveOnHost`: passes connections on to a server of another process, such as an API server on loopback. */
export function forwardTo(target: { readonly host: string; readonly port: number }): (socket: net.Socket) => void {
  return (client) => joinSockets(client, net.connect({ ...target, noDelay: true, allowHalfOpen: true }));
}

/** Passes bytes on in both directions. Either side may half-close. */
export function joinSockets(client: net.Socket, server: net.Socket): void {
  client.allowHalfOpen = true;
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  client.on('error', end);
  server.on('error', end);
  client.pipe(server);
  server.pipe(client);
  client.once('close', () => server.destroySoon());
  server.once('close', () => client.destroySoon());
}
