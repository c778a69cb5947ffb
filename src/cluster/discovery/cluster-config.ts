/** What joining machines read: `cluster-info`, which everybody may, and `k8ts-cluster`, for tokens and nodes. */
import { parse } from 'yaml';
import type { Role, RoleBinding } from '../../api/generated/rbac-v1.ts';
import { isRecord } from '../../base/index.ts';
import { isConflict, isNotFound, type Client } from '../../client/index.ts';
import { ensure } from '../component-access.ts';
import type { DnsServer } from '../node/index.ts';
import type { Profile } from '../profile/index.ts';
import { caOf } from './discover-cluster.ts';

const RBAC = 'rbac.authorization.k8s.io';
const INFO = { name: 'cluster-info', namespace: 'kube-public' };
const CONFIG = { name: 'k8ts-cluster', namespace: 'kube-system' };
const CONFIG_KEY = 'cluster';
const ATTEMPTS = 10;

/** What every machine of a cluster has to know. */
export interface ClusterConfig {
  readonly clusterCidr: string;
  readonly serviceClusterIpRange: string;
  /** The addresses that pods ask; none without DNS. */
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** Where DNS listens, on which machines. */
  readonly dnsServers: readonly DnsServer[];
  /** The VXLAN network identifier of the pod network between links. */
  readonly vxlanId: number;
  /** Addresses for LoadBalancer Services that machines announce on their link. */
  readonly loadBalancerPool: readonly string[];
  /** URLs of the API servers. */
  readonly servers: readonly string[];
  readonly profile?: Profile;
}

interface DiscoveryObjects {
  /** PEM */
  readonly ca: string;
  /** This server's part: its own URL and DNS server; others' stay. */
  readonly config: ClusterConfig;
  /** Another server has made the cluster: what it says to everybody stays. */
  readonly isJoined?: boolean | undefined;
}

export async function createDiscoveryObjects(
  client: Client,
  { ca, config, isJoined }: DiscoveryObjects,
): Promise<void> {
  const [server] = config.servers;
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: '', cluster: { server, [AUTHORITY_DATA]: Buffer.from(ca).toString('base64') } }],
    contexts: null,
    'current-context': '',
    preferences: {},
    users: null,
  });
  await Promise.all([
    putConfigMap(client, INFO, (data) => ({
      ...data,
      kubeconfig: isJoined && data['kubeconfig'] ? withAuthority(data['kubeconfig'], ca) : kubeconfig,
    })),
    putConfigMap(client, CONFIG, (data) => ({ ...data, [CONFIG_KEY]: JSON.stringify(merged(data, config)) })),
    allowReading(client, INFO, ['system:unauthenticated', 'system:authenticated']),
    allowReading(client, CONFIG, ['system:bootstrappers', 'system:nodes']),
  ]);
}

interface InfoKubeconfig {
  readonly clusters?: readonly { readonly cluster?: Readonly<Record<string, unknown>> }[];
}

const AUTHORITY_DATA = 'certificate-authority-data';

/** The CA may be in rotation, and any server may be the first to know. */
function withAuthority(text: string, ca: string): string {
  const kubeconfig = parse(text) as InfoKubeconfig;
  const data = Buffer.from(ca).toString('base64');
  const clusters = (kubeconfig.clusters ?? []).map((one) => ({
    ...one,
    cluster: { ...one.cluster, [AUTHORITY_DATA]: data },
  }));
  return JSON.stringify({ ...kubeconfig, clusters });
}

/** The CAs (PEM) that `cluster-info` tells of, the one that signs first. */
export async function readAuthorities(client: Client, signal?: AbortSignal): Promise<string> {
  const { data } = await client.resource('v1/configmaps').get(INFO, signal ? { signal } : {});
  return caOf(data?.['kubeconfig'] ?? '');
}

/** Several servers write the same object, each its own address. */
function merged(data: Readonly<Record<string, string>>, own: ClusterConfig): ClusterConfig {
  const before = data[CONFIG_KEY] === undefined ? undefined : parseConfig(data[CONFIG_KEY]);
  const isOwn = ({ address }: DnsServer): boolean => own.dnsServers.some((server) => server.address === address);
  return {
    ...own,
    vxlanId: before?.vxlanId ?? own.vxlanId,
    servers: [...new Set([...(before?.servers ?? []), ...own.servers])],
    dnsServers: [...(before?.dnsServers ?? []).filter((server) => !isOwn(server)), ...own.dnsServers],
  };
}

/** The server at the address has left. */
export async function forgetServer(client: Client, address: string): Promise<void> {
  const isOther = (url: string): boolean => new URL(url).hostname.replace(/^\[|\]$/g, '') !== address;
  await putConfigMap(client, CONFIG, (data) => {
    const config = parseConfig(data[CONFIG_KEY] ?? '');
    const rest: ClusterConfig = {
      ...config,
      servers: config.servers.filter(isOther),
      dnsServers: config.dnsServers.filter((server) => server.address !== address),
    };
    return { ...data, [CONFIG_KEY]: JSON.stringify(rest) };
  });
}

async function putConfigMap(
  client: Client,
  reference: { readonly name: string; readonly namespace: string },
  change: (data: Readonly<Record<string, string>>) => Record<string, string>,
): Promise<void> {
  const maps = client.resource('v1/configmaps');
  for (let attempt = 0; ; attempt++) {
    try {
      const found = await maps.get(reference).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      if (found === undefined) await ensure(maps, { metadata: { ...reference }, data: change({}) });
      else await maps.update({ ...found, data: change(found.data ?? {}) });
      return;
    } catch (error) {
      if (!isConflict(error) || attempt >= ATTEMPTS) throw error;
    }
  }
}

async function allowReading(
  client: Client,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  groups: readonly string[],
): Promise<void> {
  const metadata = { name: `k8ts:${name}`, namespace };
  const role: Role = {
    metadata,
    rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [name], verbs: ['get'] }],
  };
  const binding: RoleBinding = {
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'Role', name: metadata.name },
    subjects: groups.map((group) => ({ apiGroup: RBAC, kind: 'Group', name: group })),
  };
  await Promise.all([
    ensure(client.resource(`${RBAC}/v1/roles`), role),
    ensure(client.resource(`${RBAC}/v1/rolebindings`), binding),
  ]);
}

/** With the credentials of a node or a token. */
export async function readClusterConfig(client: Client, signal?: AbortSignal): Promise<ClusterConfig> {
  const { data } = await client.resource('v1/configmaps').get(CONFIG, signal ? { signal } : {});
  return parseConfig(data?.[CONFIG_KEY] ?? '');
}

function parseConfig(text: string): ClusterConfig {
  const config: unknown = text === '' ? undefined : JSON.parse(text);
  if (!isRecord(config))
    throw new Error(`the ConfigMap ${CONFIG.namespace}/${CONFIG.name} does not describe a cluster`);
  const list = (value: unknown): readonly never[] => (Array.isArray(value) ? (value as never[]) : []);
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    clusterCidr: textOf(config['clusterCidr']),
    serviceClusterIpRange: textOf(config['serviceClusterIpRange']),
    clusterDNS: list(config['clusterDNS']),
    clusterDomain: textOf(config['clusterDomain']),
    dnsServers: list(config['dnsServers']),
    vxlanId: typeof config['vxlanId'] === 'number' ? config['vxlanId'] : 1,
    loadBalancerPool: list(config['loadBalancerPool']),
    servers: list(config['servers']),
    ...(config['profile'] === 'cis' ? { profile: 'cis' } : {}),
  };
}
