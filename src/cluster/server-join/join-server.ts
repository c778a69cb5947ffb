/** Makes this machine another server of a cluster: it gets the keys, and remembers what it is started with. */
import fs from 'node:fs';
import path from 'node:path';
import { KUBERNETES_VERSION } from '../../api/kubernetes-version.ts';
import { certificatesIn } from '../../apiserver/index.ts';
import { bearerToken, connect } from '../../client/index.ts';
import { makeDirectoryDurably, writeFileDurably, type Context } from '../../kernel/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { readClusterRecord, updateClusterRecord, type ClusterRecord } from '../data-directory.ts';
import { discoverCluster, type BootstrapToken } from '../discovery/index.ts';
import { DEFAULT_SNAPSHOTS, type ManagedEtcdOptions } from '../managed-etcd/index.ts';
import { SealedKeysError, type ServerKeys } from './sealed-keys.ts';
import { EXTERNAL_ETCD, readServerKeys } from './server-token.ts';
import { optionsOf } from './shared-options.ts';

interface JoinServerOptions {
  readonly directory: string;
  /** `https://HOST:PORT` */
  readonly server: string;
  readonly token: BootstrapToken;
  readonly caHash?: string | undefined;
  readonly certificateKey: string;
  readonly nodeName: string;
  readonly addresses: readonly string[];
  readonly encrypt?: boolean;
  readonly etcdBinary?: string | undefined;
  readonly snapshots?: ManagedEtcdOptions['snapshots'];
  readonly onProgress?: (step: string) => void;
}

/** After it the machine needs no token: `serverOptions` has everything. Nothing runs yet. */
export async function joinServer(ctx: Context, options: JoinServerOptions): Promise<void> {
  const { directory, server, token, addresses, nodeName, encrypt, onProgress } = options;
  const { ca } = await discoverCluster(ctx, options);
  onProgress?.('CA verified');
  const config = { server, ca, credentials: bearerToken(`${token.id}.${token.secret}`), namespace: '' };
  const client = connect(ctx, config, { userAgent: `k8ts/${KUBERNETES_VERSION}` });
  let keys: ServerKeys;
  try {
    keys = await readServerKeys(client, options);
  } finally {
    await client.close();
  }
  if (!isSameBundle(keys.files['ca.crt'] ?? '', ca))
    throw new SealedKeysError(`the keys are not those of the cluster at ${server}`);
  const pki = path.join(directory, 'pki');
  for (const [name, content] of Object.entries(keys.files)) {
    const file = path.join(pki, name);
    makeDirectoryDurably(path.dirname(file), 0o700);
    await writeFileDurably(file, content, { mode: 0o600 });
  }
  const { etcd } = keys;
  const managedEtcd: ManagedEtcdOptions | undefined =
    etcd.kind === 'managed'
      ? {
          binary: options.etcdBinary,
          memberName: nodeName,
          address: addresses[0]!,
          port: etcd.port,
          snapshots: options.snapshots ?? DEFAULT_SNAPSHOTS,
          join: etcd.endpoints,
        }
      : undefined;
  await updateClusterRecord(directory, {
    nodes: [],
    managedEtcd,
    joined: {
      server,
      options: keys.options,
      machineNode: { nodeName, addresses, ...(encrypt ? { encrypt } : {}) },
      ...(etcd.kind === 'external' ? { etcdServers: etcd.endpoints } : {}),
    },
  });
  onProgress?.('keys received');
}

/** In whatever order: the one that signs comes first, and that may have changed. */
const isSameBundle = (one: string, other: string): boolean =>
  certificatesIn(one).sort().join('') === certificatesIn(other).sort().join('');

/** What a server that has joined is started with; undefined for other machines. */
export function serverOptions(directory: string): ClusterOptions | undefined {
  const record: ClusterRecord | undefined = readClusterRecord(directory);
  const joined = record?.joined;
  if (!joined) return undefined;
  const { machineNode, etcdServers } = joined;
  const address = machineNode.addresses[0]!;
  return {
    ...optionsOf(joined.options, directory),
    dataDirectory: directory,
    bindAddress: address,
    advertiseAddress: address,
    machineNode,
    isJoined: true,
    nodes: 0,
    simulatedNodes: 0,
    ...(record.managedEtcd ? { managedEtcd: record.managedEtcd } : {}),
    ...(etcdServers ? { etcdServers, etcdTls: externalTls(path.join(directory, 'pki')) } : {}),
  };
}

function externalTls(pki: string): NonNullable<ClusterOptions['etcdTls']> {
  const parts = Object.entries(EXTERNAL_ETCD).flatMap(([part, name]) => {
    const file = path.join(pki, name);
    return fs.existsSync(file) ? [[part, fs.readFileSync(file)] as const] : [];
  });
  return Object.fromEntries(parts);
}
