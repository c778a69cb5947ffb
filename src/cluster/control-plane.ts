/** The store, the keys and the API server of a cluster. */
import path from 'node:path';
import {
  kubeconfigFor,
  openEncryption,
  openAuditLog,
  openPki,
  openStore,
  servedApis,
  startApiServer,
  type ApiServer,
  type ClusterPki,
  type NodeConnections,
  type SimulatedNetwork,
  type StoreConfig,
  type UserInfo,
} from '../apiserver/index.ts';
import { errorMessage, AddressRange } from '../base/index.ts';
import { Client } from '../client/index.ts';
import { createEtcdStore, createMemoryStore, type Store } from '../etcd/index.ts';
import { makeDirectoryDurably, writeFileDurably, type Context } from '../kernel/index.ts';
import { machineAddresses } from '../net/interfaces/index.ts';
import { Certificates } from './certificates.ts';
import { isLoopbackHost, listenAddress, type ClusterOptions } from './cluster-options.ts';
import { ADMIN } from './identities.ts';
import { inProcessTransports } from './in-process-transport.ts';
import { startManagedEtcd, type ManagedEtcd } from './managed-etcd/index.ts';
import { cisApiServer } from './profile/index.ts';

export interface ControlPlane {
  readonly server: string;
  readonly kubeconfig: string;
  readonly kubeconfigFile: string | undefined;
  /** Undefined for a cluster in memory. */
  readonly dataDirectory: string | undefined;
  readonly apiServer: ApiServer;
  readonly pki: ClusterPki;
  readonly store: Store;
  readonly certificates: Certificates;
  /** This machine's member of etcd. */
  readonly etcd: ManagedEtcd | undefined;
  /** The address under which nodes reach the API server. */
  readonly advertiseAddress: string;
  /** An in-process client. */
  clientAs(user: UserInfo, userAgent: string, signal?: AbortSignal): Client;
  /** In-process clients for many users that share one lifetime. */
  clientsAs(userAgent: string, signal?: AbortSignal): (user: UserInfo) => Client;
  /** Resolves when the API server has ended and the store is closed. */
  readonly finished: Promise<void>;
}

const DEFAULT_HISTORY_MS = 60 * 60_000;

export async function startControlPlane(
  ctx: Context,
  options: ClusterOptions,
  { connectToNode, ...simulated }: NodeConnections & SimulatedNetwork,
): Promise<ControlPlane> {
  const { dataDirectory, onProgress } = options;
  if (dataDirectory) makeDirectoryDurably(dataDirectory, 0o700);
  const localAddress =
    options.bindAddress === '0.0.0.0' || options.bindAddress === '::' ? '127.0.0.1' : options.bindAddress;
  const advertiseAddress = options.advertiseAddress ?? (isLoopbackHost(localAddress) ? hostAddress() : localAddress);
  const serving = {
    ...(options.signingKey ? { signingKey: options.signingKey } : {}),
    dnsNames: [
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ],
    addresses: [
      ...new Set([
        '127.0.0.1',
        '::1',
        localAddress,
        advertiseAddress,
        firstServiceAddress(options.serviceClusterIpRange),
      ]),
    ],
  };
  const opening = openClusterStore(ctx, options);
  const [opened, pki] = await Promise.all([
    opening,
    options.from?.pki ?? openKeys(ctx, dataDirectory && path.join(dataDirectory, 'pki'), serving),
  ]).catch(async (error: unknown) => {
    await opening.then(closeStore, () => undefined);
    throw error;
  });
  const { store, etcd } = opened;
  try {
    onProgress?.('store open');
    /** Only data on disk is encrypted. */
    const encryption = dataDirectory
      ? await openEncryption(ctx, path.join(dataDirectory, 'pki', 'encryption-config.yaml'))
      : undefined;
    const { authentication, kubelet, ...strict } = options.profile === 'cis' ? cisApiServer(pki.ca.certificate) : {};
    const { audit = options.auditFile && openAuditLog(ctx, options.auditFile.policy, options.auditFile) } = options;
    const apiServer = await startApiServer(ctx, {
      store,
      pki,
      ...strict,
      ...(encryption ? { encryption: encryption.transformer } : {}),
      host: listenAddress(options),
      port: options.port,
      advertiseAddress,
      serviceClusterIpRange: options.serviceClusterIpRange,
      ...servedApis(options.runtimeConfig ?? {}, options.featureGates ?? {}),
      authentication: { ...authentication, ...(options.addons?.includes('join') ? { bootstrapTokens: true } : {}) },
      // Addresses before host names: node names are not in any DNS.
      dial: simulated,
      kubelet: {
        ...kubelet,
        ...(connectToNode ? { connectToNode } : {}),
        preferredAddressTypes: ['InternalIP', 'ExternalIP', 'Hostname'],
      },
      ...(options.ownThread ? { ownThread: true } : {}),
      historyMs: options.historyMs ?? DEFAULT_HISTORY_MS,
      ...(audit ? { audit } : {}),
      ...(options.intercept ? { intercept: options.intercept } : {}),
    });
    onProgress?.('API server answers');
    const server = `https://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${apiServer.port}`;
    const kubeconfigFile = options.kubeconfig ?? (dataDirectory && path.join(dataDirectory, 'kubeconfig'));
    const writeKubeconfig = async (): Promise<string> => {
      const admin = { server, ca: pki.ca, user: ADMIN.name, organizations: ['system:masters'] };
      const text = await kubeconfigFor(ctx, admin);
      if (kubeconfigFile) await writeFileDurably(kubeconfigFile, text);
      return text;
    };
    const kubeconfig = await writeKubeconfig();
    const certificates = new Certificates(ctx, {
      apiServer,
      pki,
      serving,
      directory: options.from ? undefined : dataDirectory && path.join(dataDirectory, 'pki'),
      kubeconfig,
      etcd,
      renewKubeconfig: async () => {
        const renewed = await writeKubeconfig();
        await options.onKubeconfig?.(renewed);
        return renewed;
      },
    });
    const clientsAs = (userAgent: string, signal = ctx.signal): ((user: UserInfo) => Client) => {
      const transportAs = inProcessTransports({ handle: apiServer.handle, signal });
      return (user) => new Client({ transport: transportAs(user), clock: ctx.clock, userAgent });
    };
    return {
      server,
      kubeconfig,
      kubeconfigFile,
      dataDirectory,
      apiServer,
      pki,
      store,
      etcd,
      advertiseAddress,
      clientAs: (user, userAgent, signal) => clientsAs(userAgent, signal)(user),
      clientsAs,
      certificates,
      finished: Promise.all([untilClosed(apiServer, opened), certificates.run()]).then(() => undefined),
    };
  } catch (error) {
    /** After a failed start the store is closed here; its watchers end with it. */
    await closeStore(opened);
    throw error;
  }
}

interface OpenStore {
  readonly store: Store;
  readonly etcd: ManagedEtcd | undefined;
}

async function openClusterStore(ctx: Context, options: ClusterOptions): Promise<OpenStore> {
  const { clock } = ctx;
  const { from, managedEtcd, dataDirectory } = options;
  if (from) return { store: createMemoryStore({ clock, state: from.store }), etcd: undefined };
  if (!managedEtcd) return { store: await openStore(ctx, storeConfig(options)), etcd: undefined };
  if (!dataDirectory) throw new Error('a member of etcd needs a data directory');
  const etcd = await startManagedEtcd(ctx, dataDirectory, managedEtcd);
  const store = createEtcdStore({ endpoints: etcd.endpoints, tls: etcd.tls, clock });
  etcd.serve(store);
  return { store, etcd };
}

async function closeStore({ store, etcd }: OpenStore): Promise<void> {
  await store.close();
  await etcd?.stop();
}

/** Unreadable keys are not replaced: existing credentials would stop working. */
async function openKeys(
  ctx: Context,
  directory: string | undefined,
  serving: Parameters<typeof openPki>[2],
): Promise<ClusterPki> {
  try {
    return await openPki(ctx, directory, serving);
  } catch (error) {
    if (directory === undefined || (error instanceof Error && 'syscall' in error)) throw error;
    throw new Error(
      `the keys in ${directory} cannot be read (${errorMessage(error)}); restore them from a snapshot, or start with another --data-dir`,
      { cause: error },
    );
  }
}

async function untilClosed(apiServer: ApiServer, store: OpenStore): Promise<void> {
  try {
    await apiServer.finished;
  } finally {
    await closeStore(store);
  }
}

function storeConfig({ etcdServers, etcdTls, dataDirectory }: ClusterOptions): StoreConfig {
  if (etcdServers && etcdServers.length > 0)
    return { type: 'etcd', endpoints: etcdServers, ...(etcdTls ? { tls: etcdTls } : {}) };
  return dataDirectory ? { type: 'embedded', directory: path.join(dataDirectory, 'etcd') } : { type: 'memory' };
}

/**
 * The API server's address in the endpoints of the Service "kubernetes". Endpoints may not be loopback addresses, so a
 * machine without any other uses one reserved for documentation (192.0.2.1), which nodes translate.
 */
function hostAddress(): string {
  return machineAddresses().find((address) => !address.includes(':')) ?? '192.0.2.1';
}

const firstServiceAddress = (range: string): string => AddressRange.parse(range.split(',')[0]!).at(1);
