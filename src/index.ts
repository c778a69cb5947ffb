/**
 * The library: a whole cluster inside a program or a test.
 *
 *     const cluster = await Cluster.start();
 *     await cluster.client.resource('v1/namespaces').create({ metadata: { name: 'demo' } });
 *     await cluster.stop();
 */
import { Client } from './client/index.ts';
import { inProcessTransport, startCluster, type Cluster as RunningCluster } from './cluster/index.ts';
import { createContext } from './kernel/index.ts';

export * from './client/index.ts';

export interface ClusterStartOptions {
  /** Where the cluster lives and survives restarts; in memory without it. */
  readonly dataDirectory?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Default: loopback. */
  readonly bindAddress?: string;
  readonly serviceClusterIpRange?: string;
  readonly clusterCidr?: string;
  /** As `--controllers`; an empty list runs none. Default: all. */
  readonly controllers?: readonly string[];
  /** Takes log lines; default: none are written. */
  readonly log?: (line: string) => void;
}

export class Cluster {
  private constructor(
    private readonly running: RunningCluster,
    private readonly stopped: AbortController,
    /** Cluster admin, in this process: no sockets, and the objects are the server's own, frozen. */
    readonly client: Client,
  ) {}

  /** Resolves when the cluster can be used. */
  static async start(options: ClusterStartOptions = {}): Promise<Cluster> {
    const stopped = new AbortController();
    const ctx = createContext({ signal: stopped.signal, writeLog: options.log ?? (() => undefined) });
    const running = await startCluster(ctx, {
      ...(options.dataDirectory ? { dataDirectory: options.dataDirectory } : {}),
      bindAddress: options.bindAddress ?? '127.0.0.1',
      port: options.port ?? 0,
      serviceClusterIpRange: options.serviceClusterIpRange ?? '10.96.0.0/16',
      clusterCidr: options.clusterCidr ?? '10.244.0.0/16',
      controllers: options.controllers ?? ['*'],
    });
    const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
    const transport = inProcessTransport({ handle: running.apiServer.handle, user, signal: stopped.signal });
    return new Cluster(running, stopped, new Client({ transport, clock: ctx.clock, userAgent: 'k8ts' }));
  }

  /** The API server's address. */
  get server(): string {
    return this.running.server;
  }

  /** A kubeconfig of a cluster admin, for kubectl and client libraries. */
  get kubeconfig(): string {
    return this.running.kubeconfig;
  }

  /** Ends everything; resolves when it has. */
  async stop(): Promise<void> {
    this.stopped.abort(new Error('the cluster was stopped'));
    await this.running.finished;
  }
}
