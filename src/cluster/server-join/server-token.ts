/**
 * Tokens with which a machine becomes another server. Each has a Secret of its own with the sealed keys, which this token
 * alone may read, and which goes with the token. Tokens of workers can read none of them.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Role, RoleBinding } from '../../api/generated/rbac-v1.ts';
import { isNotFound, isForbidden, type Client } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { ClusterOptions } from '../cluster-options.ts';
import { createBootstrapToken, type BootstrapToken } from '../discovery/index.ts';
import { memberUrls } from '../managed-etcd/index.ts';
import { newCertificateKey, openKeys, SealedKeysError, sealKeys, type ServerKeys } from './sealed-keys.ts';
import { sharedOptions } from './shared-options.ts';

const RBAC = 'rbac.authorization.k8s.io';
const NAMESPACE = 'kube-system';
const KEYS = 'keys';

/** What servers share, as kubeadm copies it; every server issues the rest for itself. */
const SHARED_FILES = [
  ...['ca.crt', 'ca.key', 'front-proxy-ca.crt', 'front-proxy-ca.key', 'sa.key', 'sa.pub'],
  ...['encryption-config.yaml', 'etcd/ca.crt', 'etcd/ca.key'],
  // While the CAs are rotated.
  ...['next/ca.key', 'next/front-proxy-ca.key', 'next/etcd/ca.key'],
];

/** The client of an etcd that runs elsewhere. */
export const EXTERNAL_ETCD = {
  ca: 'etcd/external-ca.crt',
  cert: 'etcd/external-client.crt',
  key: 'etcd/external-client.key',
} as const;

const secretName = (id: string): string => `k8ts-server-keys-${id}`;

interface ServerToken {
  readonly token: BootstrapToken;
  readonly certificateKey: string;
}

interface ServerTokenOptions {
  readonly ttlMs: number;
  readonly options: ClusterOptions;
  /** Client URLs of the members that are known. */
  readonly endpoints: readonly string[];
}

/** The key is in the result and nowhere else. */
export async function createServerToken(
  ctx: Pick<Context, 'clock' | 'random'>,
  client: Client,
  { ttlMs, options, endpoints }: ServerTokenOptions,
): Promise<ServerToken> {
  const keys = serverKeys(options, endpoints);
  const certificateKey = newCertificateKey(ctx.random);
  const token = await createBootstrapToken(ctx, client, { ttlMs, description: 'Joins a server of the control plane' });
  const name = secretName(token.id);
  const { metadata: of } = await client
    .resource('v1/secrets')
    .get({ name: `bootstrap-token-${token.id}`, namespace: NAMESPACE });
  const metadata = {
    name,
    namespace: NAMESPACE,
    // All of it goes with the token.
    ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: of.name!, uid: of.uid!, blockOwnerDeletion: false }],
  };
  const sealed = sealKeys(ctx.random, keys, certificateKey, token.id);
  await client
    .resource('v1/secrets')
    .create({ type: 'Opaque', immutable: true, metadata, data: { [KEYS]: sealed.toString('base64') } });
  const role: Role = {
    metadata,
    rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: [name], verbs: ['get'] }],
  };
  const binding: RoleBinding = {
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'Role', name },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: `system:bootstrap:${token.id}` }],
  };
  await client.resource(`${RBAC}/v1/roles`).create(role);
  await client.resource(`${RBAC}/v1/rolebindings`).create(binding);
  return { token, certificateKey };
}

function serverKeys(options: ClusterOptions, endpoints: readonly string[]): ServerKeys {
  const { dataDirectory, managedEtcd, etcdServers, etcdTls } = options;
  if (dataDirectory === undefined) throw new SealedKeysError('the cluster is kept in memory alone');
  if (!managedEtcd && !etcdServers?.length)
    throw new SealedKeysError(
      'the store of this cluster is embedded, and one machine has it; "k8ts store move etcd" moves it, then other servers can join',
    );
  const pki = path.join(dataDirectory, 'pki');
  const files = Object.fromEntries(
    SHARED_FILES.filter((name) => fs.existsSync(path.join(pki, name))).map((name) => [
      name,
      fs.readFileSync(path.join(pki, name), 'utf8'),
    ]),
  );
  const external = Object.entries(EXTERNAL_ETCD).flatMap(([part, name]) => {
    const content = etcdTls?.[part as keyof typeof EXTERNAL_ETCD];
    return content === undefined ? [] : [[name, content.toString()] as const];
  });
  return {
    files: { ...files, ...Object.fromEntries(external) },
    options: sharedOptions(options),
    etcd: managedEtcd
      ? {
          kind: 'managed',
          port: managedEtcd.port,
          endpoints: [...new Set([memberUrls(managedEtcd).client, ...endpoints])],
        }
      : { kind: 'external', endpoints: etcdServers ?? [] },
  };
}

/** With the token's own client. */
export async function readServerKeys(client: Client, { token, certificateKey }: ServerToken): Promise<ServerKeys> {
  const { data } = await client
    .resource('v1/secrets')
    .get({ name: secretName(token.id), namespace: NAMESPACE })
    .catch((error: unknown) => {
      if (!isNotFound(error) && !isForbidden(error)) throw error;
      throw new SealedKeysError(
        `the token ${token.id} is one for workers, or has expired; "k8ts token create --control-plane" on a server makes another`,
        { cause: error },
      );
    });
  return openKeys(Buffer.from(data?.[KEYS] ?? '', 'base64'), certificateKey, token.id);
}
