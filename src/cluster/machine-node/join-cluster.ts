/** Makes this machine a node of a cluster elsewhere, and runs it until it is stopped. */
import fs from 'node:fs';
import path from 'node:path';
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { bearerToken, connect, loadKubeconfig, type Client, type ClientConfig } from '../../client/index.ts';
import type { RegistryOptions } from '../../container-runtime/index.ts';
import { makeDirectoryDurably, RunGroup, writeFileDurably, type Context } from '../../kernel/index.ts';
import {
  bootstrapClientCertificate,
  hasClientCertificate,
  renewableCredentials,
  rotateClientCertificate,
  writeClientKubeconfig,
} from '../../kubelet/index.ts';
import { followServers, startApiBalancer, type ApiBalancer } from '../api-balancer/index.ts';
import { discoverCluster, readClusterConfig, type BootstrapToken, type ClusterConfig } from '../discovery/index.ts';
import { untilNodesReady } from '../until-ready.ts';
import { untilAuthoritiesChange } from './follow-authorities.ts';
import {
  cniOf,
  kubeconfigOf,
  machineRecordOf,
  nodeDirectoryOf,
  pkiDirectoryOf,
  serversOf,
  writeMachineRecord,
  type MachineRecord,
} from './machine-record.ts';
import { startMachineNode, type MachineNode } from './start-machine-node.ts';

interface JoinOptions {
  readonly directory: string;
  /** Where to join; a machine that has joined before knows. */
  readonly first?:
    | {
        readonly server: string;
        readonly token: BootstrapToken;
        readonly caHash?: string | undefined;
        readonly nodeName: string;
        readonly addresses: readonly string[];
        readonly cniConfDir?: string;
        readonly cniBinDir?: readonly string[];
        readonly encrypt?: boolean;
      }
    | undefined;
  readonly registries?: RegistryOptions;
  readonly onProgress?: (step: string) => void;
}

export interface JoinedMachine {
  readonly record: MachineRecord;
  readonly node: MachineNode;
  /** Resolves when the Node is Ready. */
  readonly ready: Promise<void>;
  /**
   * Resolves when everything has ended, which it does with the context; containers go on. `changed`: the machine has to be
   * started again, because the cluster's CA has changed.
   */
  readonly finished: Promise<'stopped' | 'changed'>;
}

class JoinError extends Error {
  override readonly name = 'JoinError';
  readonly code = 'join';
}

/** How long a start waits for the cluster's present configuration before it uses the remembered one. */
const CONFIG_WAIT_MS = 2000;

export async function joinCluster(ctx: Context, options: JoinOptions): Promise<JoinedMachine> {
  const { directory } = options;
  makeDirectoryDurably(pkiDirectoryOf(directory), 0o700);
  const isKnown = await hasClientCertificate(pkiDirectoryOf(directory), ctx.clock.now());
  const known = machineRecordOf(directory);
  const record = known && isKnown ? known : await join(ctx, options);
  const group = new RunGroup(ctx);
  const ca = fs.readFileSync(caFileOf(directory), 'utf8');
  const balancer = await startApiBalancer(ctx, { servers: serversOf(record), ca, machine: record.nodeName });
  const clients = await nodeClients({ ...ctx, signal: group.signal }, directory, balancer);
  try {
    const current = record === known ? await refreshed(ctx, { directory, record, clients }) : record;
    options.onProgress?.('cluster known');
    const node = await startMachineNode(ctx, {
      directory: nodeDirectoryOf(directory),
      nodeName: current.nodeName,
      addresses: current.addresses,
      cluster: current.cluster,
      clientOf: clients.clientOf,
      clientCa: ca,
      issuer: ca,
      certificateDirectory: pkiDirectoryOf(directory),
      cni: cniOf(current),
      encrypt: current.encrypt,
      ...(options.registries ? { registries: options.registries } : {}),
    });
    group.start('client certificate', (signal) =>
      rotateClientCertificate(
        { ...ctx, signal },
        {
          client: clients.clientOf('kubelet'),
          directory: pkiDirectoryOf(directory),
          nodeName: current.nodeName,
          issuer: ca,
          onRenewed: clients.renewed,
        },
      ),
    );
    group.start('servers', (signal) =>
      followServers({ ...ctx, signal }, clients.clientOf('machine-network'), (servers) => {
        balancer.update(servers);
        // For a start at which the server that it joined is gone.
        writeMachineRecord(directory, { ...current, servers }).catch((error: unknown) =>
          ctx.logger.error(error, 'The API servers could not be remembered'),
        );
      }),
    );
    const outcome: { changed?: boolean } = {};
    group.start('authorities', async (signal) => {
      const client = clients.clientOf('machine-network');
      const { nodeName } = current;
      const followed = { client, nodeName, directory: pkiDirectoryOf(directory), ca };
      const next = await untilAuthoritiesChange({ ...ctx, signal }, followed);
      if (next === undefined) return;
      ctx.logger.info('The CAs of the cluster have changed; the machine starts again with them');
      await writeAuthorities(directory, current, next);
      outcome.changed = true;
      group.stop(new Error('the CAs of the cluster have changed'));
    });
    group.start('agents', () => node.agentsEnded);
    const ready = node.ready.then(() => untilNodesReady(ctx, clients.clientOf('kubelet'), [current.nodeName]));
    ready.catch(() => undefined);
    const finished = untilEnded({ ctx, group, node, clients, balancer }).then(() =>
      outcome.changed && !ctx.signal.aborted ? ('changed' as const) : ('stopped' as const),
    );
    return { record: current, node, ready, finished };
  } catch (error) {
    await clients.close();
    await balancer.close();
    throw error;
  }
}

interface Running {
  readonly ctx: Context;
  readonly group: RunGroup;
  readonly node: MachineNode;
  readonly clients: NodeClients;
  readonly balancer: ApiBalancer;
}

async function untilEnded({ group, node, clients, balancer }: Running): Promise<void> {
  await new Promise<void>((resolve) => {
    if (group.signal.aborted) resolve();
    else group.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await node.stop();
  await clients.close();
  await balancer.close();
  await group.wait();
}

const caFileOf = (directory: string): string => path.join(pkiDirectoryOf(directory), 'ca.crt');

/** The CA last: a start with the file of before finds the change again. */
async function writeAuthorities(directory: string, { server }: MachineRecord, ca: string): Promise<void> {
  await writeClientKubeconfig(kubeconfigOf(directory), { server, ca, directory: pkiDirectoryOf(directory) });
  await writeFileDurably(caFileOf(directory), ca);
}

/** Discovery and TLS bootstrap; what it finds is remembered. */
async function join(ctx: Context, { directory, first, onProgress }: JoinOptions): Promise<MachineRecord> {
  if (first === undefined)
    throw new JoinError(
      `this machine has not joined a cluster, or its certificate has expired; "k8ts token create" on the server prints the line that joins it`,
    );
  const { server, token, nodeName, addresses } = first;
  const { ca } = await discoverCluster(ctx, first);
  onProgress?.('CA verified');
  await writeFileDurably(caFileOf(directory), ca);
  const config: ClientConfig = {
    server,
    ca,
    credentials: bearerToken(`${token.id}.${token.secret}`),
    namespace: '',
  };
  const [cluster] = await Promise.all([
    readWithToken(ctx, config),
    bootstrapClientCertificate(ctx, {
      config,
      nodeName,
      directory: pkiDirectoryOf(directory),
      kubeconfig: kubeconfigOf(directory),
    }),
  ]);
  const record: MachineRecord = {
    server,
    nodeName,
    addresses,
    cluster,
    ...(first.cniConfDir === undefined ? {} : { cniConfDir: first.cniConfDir }),
    ...(first.encrypt ? { encrypt: true } : {}),
    ...(first.cniBinDir === undefined ? {} : { cniBinDir: first.cniBinDir }),
  };
  await writeMachineRecord(directory, record);
  return record;
}

async function readWithToken(ctx: Context, config: ClientConfig): Promise<ClusterConfig> {
  const client = connect(ctx, config, { userAgent: `k8ts/${KUBERNETES_VERSION}` });
  try {
    return await readClusterConfig(client);
  } finally {
    await client.close();
  }
}

/** The cluster may have changed since the last start; without an answer the machine starts as it was. */
async function refreshed(
  ctx: Context,
  { directory, record, clients }: { directory: string; record: MachineRecord; clients: NodeClients },
): Promise<MachineRecord> {
  const present = await Promise.race([
    readClusterConfig(clients.clientOf('kubelet')).catch(() => undefined),
    ctx.clock.sleep(CONFIG_WAIT_MS).then(() => undefined),
  ]);
  if (present === undefined || JSON.stringify(present) === JSON.stringify(record.cluster)) return record;
  const current = { ...record, cluster: present };
  await writeMachineRecord(directory, current);
  return current;
}

interface NodeClients {
  /** All of them act as the node: see SECURITY.md. */
  readonly clientOf: (agent: string, signal?: AbortSignal) => Client;
  /** New connections use the new certificate. */
  readonly renewed: () => void;
  close(): Promise<void>;
}

async function nodeClients(ctx: Context, directory: string, { url }: ApiBalancer): Promise<NodeClients> {
  const config = {
    ...(await loadKubeconfig({ clock: ctx.clock, file: kubeconfigOf(directory) })),
    server: url,
    // Every API server has this name, wherever it is.
    tlsServerName: 'kubernetes.default.svc',
  };
  const all = new Map<string, { client: Client; renewed: () => void }>();
  return {
    clientOf: (agent) => {
      const found = all.get(agent);
      if (found) return found.client;
      const { credentials, renewed } = renewableCredentials(config.credentials);
      const client = connect(ctx, { ...config, credentials }, { userAgent: `${agent}/${KUBERNETES_VERSION}` });
      all.set(agent, { client, renewed });
      return client;
    },
    renewed: () => {
      for (const { renewed } of all.values()) renewed();
    },
    close: async () => {
      await Promise.all(Array.from(all.values(), ({ client }) => client.close()));
    },
  };
}
