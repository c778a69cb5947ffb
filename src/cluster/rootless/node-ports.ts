/** NodePorts of Services on the user's loopback: nodes' own addresses exist only in the namespaces. */
import net from 'node:net';
import type { Service } from '../../api/generated/core-v1.ts';
import { InformerFactory, type Client } from '../../client/index.ts';
import { RunGroup, runWorkers, WorkQueue, type Context } from '../../kernel/index.ts';
import { joinSockets } from '../fabric/index.ts';
import type { HostListener, HostNetwork } from './host-network.ts';

interface NodePortsOptions {
  readonly client: Client;
  readonly network: HostNetwork;
  /** Addresses of nodes, in the order in which they are tried. */
  readonly nodeAddresses: () => readonly string[];
}

const LOOPBACK = '127.0.0.1';
/** A node without an endpoint of its own drops connections to a Service whose traffic policy is Local. */
const CONNECT_MS = 1000;
const SYNC = '';

export async function publishNodePorts(ctx: Context, options: NodePortsOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const informers = new InformerFactory({ ...ctx, signal: group.signal }, { client: options.client });
  const services = informers.informer('v1/services');
  const queue = new WorkQueue<string>({ name: 'node-ports', clock: ctx.clock, metrics: ctx.metrics });
  const changed = (): void => queue.add(SYNC);
  services.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
  const listeners = new Map<number, HostListener>();
  /** Ports that another program has; each is reported once. */
  const taken = new Set<number>();
  const sync = async (): Promise<void> => {
    const wanted = new Set(services.list().flatMap(nodePortsOf));
    for (const [port, listener] of listeners)
      if (!wanted.has(port)) {
        listener.close();
        listeners.delete(port);
      }
    for (const port of wanted) {
      if (listeners.has(port)) continue;
      try {
        const forward = (socket: net.Socket): void => void forwardToNode(ctx, socket, options.nodeAddresses(), port);
        listeners.set(port, await options.network.listen({ host: LOOPBACK, port }, forward));
        taken.delete(port);
      } catch (error) {
        if (!taken.has(port)) ctx.logger.error(error, 'NodePort is not available on loopback', { port });
        taken.add(port);
      }
    }
  };
  group.start('informers', () => informers.run());
  group.start('node-ports', async (signal) => {
    await informers.waitForSync(signal);
    await runWorkers({ queue, workers: 1, signal, logger: ctx.logger, handle: sync });
  });
  try {
    await group.wait();
  } finally {
    for (const listener of listeners.values()) listener.close();
  }
}

/** TCP only: datagrams have no connection that could be given away. */
function nodePortsOf({ spec }: Service): number[] {
  return (spec?.ports ?? []).flatMap(({ nodePort, protocol = 'TCP' }) =>
    nodePort !== undefined && nodePort > 0 && protocol === 'TCP' ? [nodePort] : [],
  );
}

async function forwardToNode(
  ctx: Context,
  client: net.Socket,
  addresses: readonly string[],
  port: number,
): Promise<void> {
  client.on('error', () => client.destroy());
  for (const host of addresses) {
    const server = await connected(ctx, { host, port });
    if (!server) continue;
    client.setNoDelay(true);
    joinSockets(client, server);
    return;
  }
  client.destroy();
}

function connected(ctx: Context, address: { host: string; port: number }): Promise<net.Socket | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({ ...address, noDelay: true, allowHalfOpen: true });
    const done = (result: net.Socket | undefined): void => {
      late.cancel();
      if (!result) socket.destroy();
      resolve(result);
    };
    const late = ctx.clock.after(CONNECT_MS, () => done(undefined));
    socket.on('error', () => done(undefined));
    socket.once('connect', () => done(socket));
  });
}
