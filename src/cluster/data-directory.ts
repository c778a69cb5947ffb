/**
 * The data directory of a cluster, and its record `cluster.json`: the format of the data, and what the next start
 * needs to know before it opens the store.
 */
import fs from 'node:fs';
import path from 'node:path';
import { K8TS_VERSION } from '../base/index.ts';
import { makeDirectoryDurably, writeFileDurably } from '../kernel/index.ts';
import type { ClusterOptions, SharedOptions } from './cluster-options.ts';
import type { ManagedEtcdOptions } from './managed-etcd/index.ts';
import { removeTree } from './rootless/index.ts';

/**
 * Raised when an older release could not open what this one writes. Format 0 is a directory without a record, as 0.1.0
 * wrote it before its release.
 */
export const DATA_FORMAT = 1;

const RECORD = 'cluster.json';

/** What clusters write into their directory. */
const ENTRIES = [
  RECORD,
  'etcd',
  'etcd.before',
  'etcd-member',
  'etcd-member.before',
  'etcd-member.restoring',
  'etcd-snapshots',
  'etcd.pid',
  'pki',
  'nodes',
  'volumes',
  'audit',
  'kubeconfig',
  'network.json',
  'k8ts.log',
  'k8ts.pid',
  'k8ts.sock',
] as const;

/** The user's: it may be there before the first start, and stays when the data is removed. */
const KEPT: readonly string[] = ['k8ts.yaml', 'snapshots'];

/** Without one of these, no cluster has lived here: the others are written before a start that fails. */
const MARKS: readonly string[] = [RECORD, 'etcd', 'etcd-member', 'pki'];

export interface ClusterRecord {
  readonly format: number;
  /** The release that wrote the data last. */
  readonly writtenBy: string;
  /** The nodes that run containers; undefined when an older release did not say. */
  readonly nodes?: readonly string[];
  /** The node that the machine itself is. */
  readonly machineNode?: {
    readonly nodeName: string;
    readonly addresses: readonly string[];
    readonly loadBalancerPool: readonly string[];
  };
  /** The machine became a server of a cluster that another one has made. */
  readonly joined?: JoinedServer;
  /** The store is etcd, and this its member on this machine. */
  readonly managedEtcd?: ManagedEtcdRecord | undefined;
  /** Simulated nodes in place of nodes that run containers: the next start that can run containers replaces them. */
  readonly standIns?: readonly string[];
  /** Kubeconfigs that the cluster was merged into. */
  readonly kubeconfigs?: readonly string[];
  /** The cluster is a copy of the one in this directory: simulated nodes stand in for those that ran containers. */
  readonly forkOf?: string;
}

interface JoinedServer {
  /** The server that it joined. */
  readonly server: string;
  readonly options: SharedOptions;
  readonly machineNode: NonNullable<ClusterOptions['machineNode']>;
  /** An etcd that the servers do not run. */
  readonly etcdServers?: readonly string[];
}

type ManagedEtcdRecord = Pick<ManagedEtcdOptions, 'binary' | 'memberName' | 'address' | 'port' | 'snapshots' | 'join'>;

export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
  readonly code = 'data-directory';
}

/** The record of a directory; undefined for a new one. Fails by name for what is not ours, or too new. */
export function readClusterRecord(directory: string): ClusterRecord | undefined {
  const found = list(directory);
  if (found.length === 0) return undefined;
  if (!found.some((name) => MARKS.includes(name))) {
    const foreign = found.filter((name) => !isOurs(name) && !KEPT.includes(name));
    if (foreign.length === 0) return undefined;
    throw new DataDirectoryError(
      `${directory} is not empty, and no cluster lives in it (there is ${foreign.slice(0, 3).join(', ')}); choose an empty directory with --data-dir`,
    );
  }
  if (!found.includes(RECORD)) return { format: 0, writtenBy: '0.1.0' };
  const record = parseRecord(directory);
  if (record.format > DATA_FORMAT)
    throw new DataDirectoryError(
      `the data in ${directory} was written by k8ts ${record.writtenBy}, which is newer than this one (${K8TS_VERSION}): it has format ${record.format}, and this release knows up to ${DATA_FORMAT}. Start it with k8ts ${record.writtenBy} or newer, or choose another --data-dir`,
    );
  return record;
}

function parseRecord(directory: string): ClusterRecord {
  const file = path.join(directory, RECORD);
  let record: Partial<ClusterRecord> | null;
  try {
    record = JSON.parse(fs.readFileSync(file, 'utf8')) as Partial<ClusterRecord> | null;
  } catch (error) {
    throw new DataDirectoryError(
      `${file} cannot be read (${(error as Error).message}); without it, a start takes the data as an older release left it`,
      { cause: error },
    );
  }
  if (typeof record?.format !== 'number')
    throw new DataDirectoryError(`${file} says no format; it was not written by k8ts`);
  return { ...record, format: record.format, writtenBy: record.writtenBy ?? 'unknown' };
}

/** Changes what is recorded; the data is in this release's format then. */
export async function updateClusterRecord(
  directory: string,
  changes: Partial<Omit<ClusterRecord, 'format' | 'writtenBy'>>,
): Promise<void> {
  makeDirectoryDurably(directory, 0o700);
  const before = list(directory).includes(RECORD) ? parseRecord(directory) : undefined;
  const record: ClusterRecord = { ...before, ...changes, format: DATA_FORMAT, writtenBy: K8TS_VERSION };
  await writeFileDurably(path.join(directory, RECORD), `${JSON.stringify(record, null, 2)}\n`);
}

/** Removes the data of a cluster that does not run; returns what else is in the directory, which stays. */
export async function removeClusterData(directory: string): Promise<string[]> {
  const mounts = mountsBelow(directory);
  if (mounts.length > 0)
    throw new DataDirectoryError(
      `something is still mounted at ${mounts[0]}; "k8ts down --data-dir ${directory}" ends it`,
    );
  /** The marks go last: what is interrupted can be repeated. */
  const ours = list(directory).filter(isOurs);
  for (const name of [...ours.filter((one) => !MARKS.includes(one)), ...ours.filter((one) => MARKS.includes(one))])
    await removeTree(path.join(directory, name));
  const left = list(directory);
  if (left.length === 0) fs.rmdirSync(directory);
  return left;
}

const isOurs = (name: string): boolean =>
  ENTRIES.some((entry) => name === entry || name === `${entry}.tmp`) ||
  /^k8ts\.(?:pid|log)\.\d+$/.test(name) ||
  name.startsWith('.store-');

function list(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function mountsBelow(directory: string): string[] {
  if (process.platform !== 'linux') return [];
  const real = fs.existsSync(directory) ? fs.realpathSync(directory) : directory;
  return fs
    .readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${real}/`));
}
