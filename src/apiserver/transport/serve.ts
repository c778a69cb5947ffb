/**
 * HTTP/2 and HTTP/1.1 on one TLS port. On a machine with several cores a server of its own process lets a second thread
 * have the port: TLS and HTTP/2 are as much work as the pipeline is for most requests.
 */
import type net from 'node:net';
import type { Context } from '../../kernel/index.ts';
import { serveConnections } from './connections.ts';
import { RunningRequests } from './running-requests.ts';
import { SendBudget } from './send-budget.ts';
import { listenInThread } from './thread/listen-in-thread.ts';
import type { Handler, Transport, TransportOptions } from './transport.ts';

export async function listen(ctx: Context, options: TransportOptions, handler: Handler): Promise<Transport> {
  const running = new RunningRequests(ctx);
  const budget = new SendBudget(ctx.clock, options.sendLimits);
  const connections = serveConnections(ctx, options, { running, handler, budget });
  if (options.tls && options.thread) {
    const { tls, thread } = options;
    return listenInThread(ctx, { ...options, tls, thread }, { running, handler, budget, connections });
  }
  const { server } = connections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { ...connections, port: (server.address() as net.AddressInfo).port };
}
