import { createHash } from 'node:crypto';
/**
 * A port on loopback that leads to an API server that is ready. TLS goes through: the balancer sees nothing of what is said.
 * Connections stay with the first healthy server of this machine's order; those to a server that fell ill are closed, so
 * that clients connect again and get another one.
 */
import net from 'node:net';
import { RunGroup, type Context } from '../../kernel/index.ts';
import { watchHealth } from './health.ts';

interface BalancerOptions {
  /** `https://HOST:PORT`; there is at least one. */
  readonly servers: readonly string[];
  /** PEM; verifies the servers when they are asked for their health. */
  readonly ca: string;
  /** Machines have different orders, so that not all use the same server. */
  readonly machine: string;
  readonly preferredPort?: number;
}

export interface ApiBalancer {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** The servers that are known, in the order in which they are tried. */
  readonly servers: readonly string[];
  readonly healthy: readonly string[];
  update(servers: readonly string[]): void;
  close(): Promise<void>;
}

const DEFAULT_PORT = 6444;
const CONNECT_MS = 2000;

interface Server {
  readonly url: string;
  healthy: boolean;
  readonly connections: Set<net.Socket>;
  readonly stop: () => void;
}

export async function startApiBalancer(parent: Context, options: BalancerOptions): Promise<ApiBalancer> {
  const group = new RunGroup({ logger: parent.logger });
  const ctx: Context = { ...parent, signal: group.signal };
  const servers = new Map<string, Server>();
  const ordered = (): Server[] =>
    [...servers.values()].sort((a, b) => (rank(options.machine, a.url) < rank(options.machine, b.url) ? -1 : 1));
  const add = (url: string): void => {
    const stopped = new AbortController();
    const server: Server = { url, healthy: true, connections: new Set(), stop: () => stopped.abort() };
    servers.set(url, server);
    group.start(`health of ${url}`, (signal) =>
      watchHealth(
        { ...ctx, signal: AbortSignal.any([signal, stopped.signal]) },
        {
          server: url,
          ca: options.ca,
          onChange: (healthy) => {
            server.healthy = healthy;
            ctx.logger.info('An API server has changed', { server: url, healthy });
            if (!healthy && ordered().some((other) => other.healthy)) closeAll(server);
          },
        },
      ),
    );
  };
  for (const url of new Set(options.servers)) add(url);
  /** Healthy ones first; when none is, any may have recovered since it was asked. */
  const candidates = (): Server[] => {
    const all = ordered();
    return [...all.filter(({ healthy }) => healthy), ...all.filter(({ healthy }) => !healthy)];
  };
  const listener = net.createServer((client) => {
    client.on('error', () => client.destroy());
    lead(ctx, client, candidates());
  });
  const port = await listen(listener, options.preferredPort ?? DEFAULT_PORT);
  return {
    url: `https://127.0.0.1:${port}`,
    get servers() {
      return ordered().map(({ url }) => url);
    },
    get healthy() {
      return ordered()
        .filter(({ healthy }) => healthy)
        .map(({ url }) => url);
    },
    update: (urls) => {
      if (urls.length === 0) return;
      const wanted = new Set(urls);
      for (const url of wanted) if (!servers.has(url)) add(url);
      for (const [url, server] of servers) {
        if (wanted.has(url)) continue;
        servers.delete(url);
        server.stop();
        closeAll(server);
      }
    },
    close: async () => {
      group.stop(new Error('the balancer was closed'));
      for (const server of servers.values()) closeAll(server);
      await new Promise((resolve) => listener.close(resolve));
      await group.wait();
    },
  };
}

function closeAll({ connections }: Server): void {
  for (const socket of connections) socket.destroy();
}

/** Tries one server after the other until one accepts. */
function lead(ctx: Context, client: net.Socket, [server, ...others]: readonly Server[]): void {
  if (server === undefined || client.destroyed || ctx.signal.aborted) return void client.destroy();
  const { hostname, port } = new URL(server.url);
  const upstream = net.connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 443, noDelay: true });
  let connected = false;
  const late = ctx.clock.after(CONNECT_MS, () => upstream.destroy());
  upstream.once('connect', () => {
    connected = true;
    late.cancel();
    server.connections.add(client);
    client.setNoDelay(true);
    client.pipe(upstream).pipe(client);
  });
  upstream.on('error', () => upstream.destroy());
  upstream.once('close', () => {
    late.cancel();
    if (connected) client.destroy();
    else lead(ctx, client, others);
  });
  client.once('close', () => {
    server.connections.delete(client);
    upstream.destroy();
  });
}

/** Any free port when the preferred one is taken. */
function listen(listener: net.Server, preferred: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const isListening = (): void => resolve((listener.address() as net.AddressInfo).port);
    listener.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      listener.once('error', reject);
      listener.listen(0, '127.0.0.1', isListening);
    });
    listener.listen(preferred, '127.0.0.1', isListening);
  });
}

const rank = (machine: string, url: string): string => createHash('sha256').update(`${machine} ${url}`).digest('hex');
