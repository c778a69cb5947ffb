/** What a member of etcd on this machine is started with. */
import path from 'node:path';
import type { EtcdPki } from '../../apiserver/index.ts';

export interface ManagedEtcdOptions {
  /** The program; default the `etcd` of the PATH. */
  readonly binary?: string | undefined;
  /** Unique among the members. */
  readonly memberName: string;
  /** Where other members reach this one. */
  readonly address: string;
  /** Clients use this port, members the next one. */
  readonly port: number;
  readonly snapshots?: SnapshotSchedule | undefined;
  /** Client URLs of the cluster that this member joins; without them it is the first of a new one. */
  readonly join?: readonly string[] | undefined;
}

export interface SnapshotSchedule {
  /** As a CronJob has it, in UTC. */
  readonly schedule: string;
  /** How many are kept. */
  readonly retention: number;
}

export const DEFAULT_ETCD_PORT = 2379;
export const DEFAULT_SNAPSHOTS: SnapshotSchedule = { schedule: '0 */12 * * *', retention: 5 };

export const memberDirectoryOf = (dataDirectory: string): string => path.join(dataDirectory, 'etcd-member');
export const snapshotDirectoryOf = (dataDirectory: string): string => path.join(dataDirectory, 'etcd-snapshots');

interface MemberUrls {
  /** Where the API server of this machine calls. */
  readonly local: string;
  readonly client: string;
  readonly peer: string;
}

export function memberUrls({ address, port }: Pick<ManagedEtcdOptions, 'address' | 'port'>): MemberUrls {
  const host = address.includes(':') ? `[${address}]` : address;
  return {
    local: `https://127.0.0.1:${port}`,
    client: `https://${host}:${port}`,
    peer: `https://${host}:${port + 1}`,
  };
}

/** How a member finds the others when it starts for the first time; afterwards its data tells. */
export interface InitialCluster {
  readonly state: 'new' | 'existing';
  /** `NAME=PEER_URL,…` */
  readonly members: string;
}

/**
 * Leaders are told dead after one to two election timeouts: long enough for a busy machine, short enough for writes to
 * go on within ten seconds.
 */
const HEARTBEAT_MS = 200;
const ELECTION_MS = 2000;

export function etcdArguments(
  dataDirectory: string,
  options: ManagedEtcdOptions,
  { files }: Pick<EtcdPki, 'files'>,
  initial: InitialCluster,
): string[] {
  const urls = memberUrls(options);
  const clients = [...new Set([urls.local, urls.client])].join(',');
  return Object.entries({
    name: options.memberName,
    'data-dir': memberDirectoryOf(dataDirectory),
    'listen-client-urls': clients,
    'advertise-client-urls': urls.client,
    'listen-peer-urls': urls.peer,
    'initial-advertise-peer-urls': urls.peer,
    'initial-cluster': initial.members,
    'initial-cluster-state': initial.state,
    'cert-file': `${files.server}.crt`,
    'key-file': `${files.server}.key`,
    'trusted-ca-file': files.ca,
    'client-cert-auth': 'true',
    'peer-cert-file': `${files.peer}.crt`,
    'peer-key-file': `${files.peer}.key`,
    'peer-trusted-ca-file': files.ca,
    'peer-client-cert-auth': 'true',
    'heartbeat-interval': HEARTBEAT_MS,
    'election-timeout': ELECTION_MS,
    'pre-vote': 'true',
    'strict-reconfig-check': 'true',
    logger: 'zap',
    'log-outputs': 'stderr',
    'log-level': 'warn',
  }).map(([name, value]) => `--${name}=${value}`);
}
