/**
 * HTTP/2 and HTTP/1.1 on one TLS port. On a machine with several cores a server of its own process lets a second thread
 * have the port: TLS and HTTP/2 are as much work as the pipeline is for most requests.
 */
import type net from 'node:net';
import type tls from 'node:tls';
import type { Worker } from 'node:worker_threads';
import type { Context } from '../../kernel/index.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { serveConnections } from './connections.ts';
import { RunningRequests } from './running-requests.ts';
import { SendBudget, type SendLimits } from './send-budget.ts';
import { listenInThread } from './thread/listen-in-thread.ts';

export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

export interface TlsOptions {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
  readonly clientCa?: string | Buffer;
  readonly minVersion?: tls.SecureVersion;
}

export interface TransportOptions {
  readonly host: string;
  readonly port: number;
  /** Without it the port speaks plain HTTP/1.1; only for loopback. */
  readonly tls?: TlsOptions;
  readonly maxBodyBytes: number;
  /** What may wait for slow clients. */
  readonly sendLimits?: SendLimits;
  /** Gets the port, and ends with the server; without one the port is served in this thread. */
  readonly thread?: Worker | undefined;
}

export interface Transport {
  readonly port: number;
  /** Takes a renewed certificate into use for new connections. */
  renew(tls: TlsOptions): void;
  /** Serves a connection that came in elsewhere, such as on another address, like those of its own port. */
  accept(socket: net.Socket): void;
  /** Stops listening, lets requests finish for `graceMs`, then closes what is left. */
  close(graceMs: number): Promise<void>;
  /** Rejects when the port is lost for a reason of its own. */
  readonly failed?: Promise<never>;
}

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
