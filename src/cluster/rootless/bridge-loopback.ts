import net from 'node:net';
import { joinSockets } from '../fabric/index.ts';
import type { HostNetwork } from './host-network.ts';

/** Makes the servers of URLs on the user's loopback reachable on the loopback inside, until the signal aborts. */
export async function bridgeLoopback(
  network: HostNetwork,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const ports = new Set(urls.map(loopbackPort).filter((port) => port !== undefined));
  for (const port of ports) {
    const server = net.createServer({ pauseOnConnect: true, noDelay: true }, (client) => {
      client.on('error', () => client.destroy());
      network.connect({ host: '127.0.0.1', port }).then(
        (outside) => {
          outside.allowHalfOpen = true;
          joinSockets(client, outside);
        },
        () => client.destroy(),
      );
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
    signal.addEventListener('abort', () => void server.close(), { once: true });
  }
}

/** Undefined for URLs of other machines. */
export function loopbackPort(url: string): number | undefined {
  const { hostname, port, protocol } = new URL(url.includes('://') ? url : `http://${url}`);
  if (hostname !== 'localhost' && !hostname.startsWith('127.')) return undefined;
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
