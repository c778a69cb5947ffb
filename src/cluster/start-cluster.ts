/** A cluster in this process: the store, the API server, and what runs on them. */
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { kubeconfigFor, openEncryption, openPki, openStore, startApiServer, type ApiServer, type StoreConfig } from '../apiserver/index.ts';
import { Client } from '../client/index.ts';
import { DEFAULT_CONFIG, run as runControllerManager } from '../controller-manager/index.ts';
import { childContext, RunGroup, type Context } from '../kernel/index.ts';
import { DEFAULT_CONFIG as DEFAULT_SCHEDULER_CONFIG, run as runScheduler } from '../scheduler/index.ts';
import { inProcessTransport } from './in-process-transport.ts';
import { untilDefaultAccount } from './until-ready.ts';

export interface ClusterOptions {
  /** Where data, keys and the kubeconfig live; without it the cluster is kept in memory. */
  readonly dataDirectory?: string;
  /** A real etcd instead of the embedded store. */
  readonly etcdServers?: readonly string[];
  readonly bindAddress: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly serviceClusterIpRange: string;
  readonly clusterCidr: string;
  /** `--controllers`; none at all when empty. */
  readonly controllers: readonly string[];
  /** Whether the scheduler runs; default true. */
  readonly scheduler?: boolean;
  /** Where the admin kubeconfig is written. */
  readonly kubeconfig?: string;
}

export interface Cluster {
  readonly server: string;
  readonly kubeconfig: string;
  readonly kubeconfigFile: string | undefined;
  readonly apiServer: ApiServer;
  /** Resolves when everything has ended. */
  readonly finished: Promise<void>;
}

/** Resolves when the cluster can be used; it ends with the context. */
export async function startCluster(ctx: Context, options: ClusterOptions): Promise<Cluster> {
  const { dataDirectory } = options;
  if (dataDirectory) await fs.mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const localAddress = options.bindAddress === '0.0.0.0' || options.bindAddress === '::' ? '127.0.0.1' : options.bindAddress;
  const advertiseAddress = isLoopback(localAddress) ? hostAddress() : localAddress;
  const [store, pki] = await Promise.all([
    openStore(ctx, storeConfig(options)),
    openPki(ctx, dataDirectory && path.join(dataDirectory, 'pki'), {
      dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'],
      addresses: [...new Set(['127.0.0.1', '::1', localAddress, advertiseAddress, firstServiceAddress(options.serviceClusterIpRange)])],
    }),
  ]);
  // Memory needs no key; whatever outlives the process does.
  const encryption = dataDirectory ? await openEncryption(ctx, path.join(dataDirectory, 'pki', 'encryption-config.yaml')) : undefined;
  const apiServer = await startApiServer(ctx, {
    store,
    pki,
    ...(encryption ? { encryption: encryption.transformer } : {}),
    host: options.bindAddress,
    port: options.port,
    advertiseAddress,
    serviceClusterIpRange: options.serviceClusterIpRange,
  }).catch(async (error: unknown) => {
    // Nobody else will: what follows the store ends with it, and the process can.
    await store.close();
    throw error;
  });
  const server = `https://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${apiServer.port}`;
  const kubeconfig = await kubeconfigFor(ctx, { server, ca: pki.ca, user: 'kubernetes-admin', organizations: ['system:masters'] });
  const kubeconfigFile = options.kubeconfig ?? (dataDirectory && path.join(dataDirectory, 'kubeconfig'));
  if (kubeconfigFile) await fs.writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 });
  const group = new RunGroup(ctx);
  if (options.controllers.length > 0) {
    const transport = inProcessTransport({ handle: apiServer.handle, user: { name: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] }, signal: ctx.signal });
    const client = new Client({ transport, clock: ctx.clock, userAgent: 'kube-controller-manager/v1.36.4' });
    const config = {
      ...DEFAULT_CONFIG,
      controllers: options.controllers,
      clusterCidr: options.clusterCidr,
      serviceClusterIpRange: options.serviceClusterIpRange,
      rootCa: pki.ca.certificate,
      clusterSigningCertificate: pki.ca.certificate,
      clusterSigningKey: pki.ca.key,
      serviceAccountPrivateKey: pki.serviceAccount.privateKey,
      leaderElect: false,
    };
    group.start('kube-controller-manager', () => runControllerManager(childContext(ctx, 'kube-controller-manager'), { client, config, identity: os.hostname() }));
    if (options.controllers.includes('*')) await untilDefaultAccount(ctx, apiServer);
  }
  if (options.scheduler !== false) {
    const transport = inProcessTransport({ handle: apiServer.handle, user: { name: 'system:kube-scheduler', groups: ['system:authenticated'] }, signal: ctx.signal });
    const client = new Client({ transport, clock: ctx.clock, userAgent: 'kube-scheduler/v1.36.4' });
    const config = { ...DEFAULT_SCHEDULER_CONFIG, leaderElect: false };
    group.start('kube-scheduler', () => runScheduler(childContext(ctx, 'kube-scheduler'), { client, config, identity: os.hostname() }));
  }
  const finished = (async () => {
    try {
      await Promise.all([group.wait(), apiServer.finished]);
    } finally {
      await store.close();
    }
  })();
  return { server, kubeconfig, kubeconfigFile, apiServer, finished };
}

function storeConfig({ etcdServers, dataDirectory }: ClusterOptions): StoreConfig {
  if (etcdServers && etcdServers.length > 0) return { type: 'etcd', endpoints: etcdServers };
  return dataDirectory ? { type: 'embedded', directory: path.join(dataDirectory, 'etcd') } : { type: 'memory' };
}

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1' || address === 'localhost';

/**
 * The address under which the Service "kubernetes" knows the server. Endpoints may not be loopback addresses, so a
 * machine without any other gets one that is reserved for documentation, which nodes translate.
 */
function hostAddress(): string {
  const addresses = Object.values(os.networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find((a) => !a.internal && a.family === 'IPv4')?.address ?? '192.0.2.1';
}

function firstServiceAddress(range: string): string {
  const [address = ''] = range.split(',')[0]!.split('/');
  return address.replace(/\d+$/, (last) => String(Number(last) + 1));
}
