/**
 * One world: a store, two API servers on it, two controller managers, schedulers and operators with leader election,
 * simulated nodes, and clients, all in this thread on a virtual clock. The same plan gives the same world, step by step.
 */
import type { ClusterPki, UserInfo } from '../../apiserver/index.ts';
import { Client, type Transport } from '../../client/index.ts';
import {
  DEFAULT_CONFIG as MANAGER_CONFIG,
  run as runControllerManager,
  serviceAccountOf,
} from '../../controller-manager/index.ts';
import { createMemoryStore, type MemoryState, type MemoryStore } from '../../etcd/index.ts';
import { SeededRandom, VirtualClock, type Logger } from '../../kernel/index.ts';
import { DEFAULT_CONFIG as SCHEDULER_CONFIG, run as runScheduler } from '../../scheduler/index.ts';
import { MANAGERS, OPERATORS, SCHEDULERS, SERVERS, CLIENT_PROCESSES, KUBE_PROXY, KUBELETS } from '../faults/fault.ts';
import { ApiServerProcess } from './api-server-process.ts';
import { ELECTION } from './election.ts';
import { openHttpGateway } from './http-gateway.ts';
import { Network, type NetworkObserver } from './network.ts';
import { WorldNodes } from './nodes.ts';
import { OLDER_GATES, OLDER_MANAGER } from './older-release.ts';
import { runOperator } from './operator.ts';
import { WorldProcess, type ProcessContext } from './processes.ts';
import { WorldProxy } from './proxy.ts';
import { StoreLog, type Change } from './store-log.ts';
import { adminUser, componentUser, serviceAccountUser } from './users.ts';
import { WorldWebhook } from './webhook.ts';

/** Where worlds begin: a store with the objects of a fresh cluster, and the cluster's keys. */
export interface Origin {
  readonly state: MemoryState;
  readonly pki: ClusterPki;
  /** When it was made, on the clock that worlds continue. */
  readonly startTime: number;
  readonly elapsedMs: number;
}

interface WorldOptions {
  readonly origin: Origin;
  readonly seed: string;
  readonly nodes: number;
  readonly logger: Logger;
  readonly observer: NetworkObserver & {
    committed(change: Change): void;
    crashed(process: string, error: unknown): void;
  };
  /** Runs instead of the example's operator. */
  readonly operator?: (client: Client, ctx: ProcessContext) => Promise<void>;
  readonly operatorOverHttp?: (kubeconfig: string, ctx: ProcessContext) => Promise<void>;
}

export class World {
  readonly clock: VirtualClock;
  readonly store: MemoryStore;
  readonly log: StoreLog;
  readonly network: Network;
  readonly nodes: WorldNodes;
  readonly webhook: WorldWebhook;
  readonly proxy = new WorldProxy();
  readonly servers = new Map<string, ApiServerProcess>();
  readonly processes = new Map<string, WorldProcess>();
  /** A client past the network and its faults. */
  readonly bystander: Client;
  readonly random: SeededRandom;
  readonly #options: WorldOptions;
  #following: Promise<void> = Promise.resolve();

  constructor(options: WorldOptions) {
    const { origin, seed, observer, logger } = options;
    this.#options = options;
    this.clock = new VirtualClock({ startTime: origin.startTime, elapsed: origin.elapsedMs });
    this.random = new SeededRandom(seed);
    this.store = createMemoryStore({ clock: this.clock, state: origin.state });
    this.log = new StoreLog(this.store, this.clock, (change) => observer.committed(change));
    this.network = new Network(this.clock, this.random.fork('network'), observer);
    this.nodes = new WorldNodes(options.nodes);
    this.webhook = new WorldWebhook(this.random.fork('webhook'));
    for (const [i, name] of SERVERS.entries())
      this.servers.set(
        name,
        new ApiServerProcess({
          name,
          clock: this.clock,
          random: this.random,
          logger,
          store: this.store,
          pki: origin.pki,
          advertiseAddress: `192.0.2.${i + 1}`,
          webhook: this.webhook,
          onCrash: (error) => observer.crashed(name, error),
          onKill: () => this.network.breakServer(name),
        }),
      );
    this.bystander = this.#bystander();
    this.#addProcesses();
  }

  /** Starts everything; the clock must be moved for it to come up. */
  async start(): Promise<void> {
    const follow = await this.log.follow();
    this.#following = follow();
    this.startAll();
  }

  /** Starts every process that does not run. */
  startAll(): void {
    for (const server of this.servers.values()) server.start();
    for (const process of this.processes.values()) if (!process.isRunning) process.start();
  }

  get isUp(): boolean {
    return [...this.servers.values()].every((server) => server.isServing);
  }

  /** The client of a client process. */
  clientOf(index: number): Client {
    return this.#clients[index % this.#clients.length]!;
  }

  readonly #clients: Client[] = [];

  /** Ends everything. Returns what has not ended: it waits for something that no clock of the world tells. */
  async stop(): Promise<readonly string[]> {
    for (const process of this.processes.values()) process.kill();
    for (const server of this.servers.values()) server.kill();
    await this.store.close();
    const running = new Set<string>();
    const ending: (readonly [string, Promise<void>])[] = [
      ...[...this.processes, ...this.servers].map(([name, process]) => [name, process.ended()] as const),
      ['store', this.#following],
    ];
    const ended = ending.map(([name, end]) => {
      running.add(name);
      const remove = (): void => void running.delete(name);
      return end.then(remove, remove);
    });
    await this.clock.drive(Promise.all(ended)).catch(() => undefined);
    return [...running];
  }

  #addProcesses(): void {
    for (const name of MANAGERS) this.#add(name, (ctx) => this.#runManager(ctx, name));
    for (const name of SCHEDULERS)
      this.#add(name, (ctx) =>
        runScheduler(ctx, {
          client: ctx.clientAs(componentUser('kube-scheduler'), 'kube-scheduler'),
          config: {
            ...SCHEDULER_CONFIG,
            ...(ctx.isOlder ? { featureGates: OLDER_GATES } : {}),
            leaderElection: { ...SCHEDULER_CONFIG.leaderElection, ...ELECTION },
          },
          identity: name,
        }),
      );
    for (const name of OPERATORS)
      this.#add(name, (ctx) => this.#runOperator(ctx), { mayEnd: this.#options.operatorOverHttp !== undefined });
    this.#add(KUBE_PROXY, (ctx) => this.proxy.run(ctx));
    this.#add(KUBELETS, (ctx) => this.nodes.run(ctx));
    for (const name of CLIENT_PROCESSES) {
      const transport = this.#transport(name, adminUser, () => true);
      this.#clients.push(new Client({ transport, clock: this.clock, userAgent: name }));
    }
  }

  async #runOperator(ctx: ProcessContext): Promise<void> {
    const { operator = runOperator, operatorOverHttp } = this.#options;
    if (!operatorOverHttp) return operator(ctx.clientAs(adminUser, 'operator'), ctx);
    const gateway = await openHttpGateway(ctx.transportAs(adminUser));
    try {
      await operatorOverHttp(gateway.kubeconfig, ctx);
    } finally {
      await gateway.close();
    }
  }

  #runManager(ctx: ProcessContext, identity: string): Promise<void> {
    const { pki } = this.#options.origin;
    const client = ctx.clientAs(componentUser('kube-controller-manager'), 'kube-controller-manager');
    return runControllerManager(ctx, {
      client,
      clientFor: (controller) => {
        const account = serviceAccountOf(controller);
        return account === undefined ? client : ctx.clientAs(serviceAccountUser(account), 'kube-controller-manager');
      },
      identity,
      config: {
        ...MANAGER_CONFIG,
        ...(ctx.isOlder ? OLDER_MANAGER : {}),
        leaderElection: { ...MANAGER_CONFIG.leaderElection, ...ELECTION },
        controllers: ['*'],
        clusterCidr: '10.244.0.0/16',
        allocateNodeCidrs: true,
        serviceClusterIpRange: '10.96.0.0/16',
        rootCa: pki.ca.certificate,
        clusterSigningCertificate: pki.ca.certificate,
        clusterSigningKey: pki.ca.key,
        serviceAccountPrivateKey: pki.serviceAccount.privateKey,
        hostPathProvisionerDirectory: '/simulated-volumes',
        removeVolumeDirectory: () => Promise.resolve(),
      },
    });
  }

  #add(name: string, run: (ctx: ProcessContext) => Promise<void>, { mayEnd = false } = {}): void {
    const { observer, logger } = this.#options;
    this.processes.set(
      name,
      new WorldProcess({
        name,
        clock: this.clock,
        random: this.random,
        logger,
        run,
        connect: (user, isAlive) => this.#transport(name, user, isAlive),
        onCrash: (error) => {
          // Many programs end when they lose their API server, and are started again.
          if (!mayEnd) observer.crashed(name, error);
        },
      }),
    );
  }

  #transport(process: string, user: UserInfo, isAlive: () => boolean): Transport {
    const servers = [...this.servers].map(([name, server]) => ({ name, transport: () => server.transport(user) }));
    // Half of the processes begin with the other server.
    if (/[13579]$/.test(process)) servers.reverse();
    return this.network.transport({ process, user: user.name, servers, isAlive });
  }

  #bystander(): Client {
    const transport = {
      request: (request: Parameters<Client['request']>[0]) => this.#anyServer().request(request),
      watch: () => Promise.reject(new Error('a bystander does not watch')),
      stream: () => Promise.reject(new Error('a bystander does not stream')),
      close: () => Promise.resolve(),
    };
    return new Client({ transport, clock: this.clock, userAgent: 'bystander' });
  }

  #anyServer() {
    for (const server of this.servers.values()) {
      const transport = server.transport(adminUser);
      if (transport) return transport;
    }
    throw new Error('no API server runs');
  }
}
