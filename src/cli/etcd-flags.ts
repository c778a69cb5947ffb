/** The flags of `k8ts up` about the store, and what they mean for a data directory. */
import fs from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../base/index.ts';
import {
  DEFAULT_ETCD_PORT,
  DEFAULT_SNAPSHOTS,
  findEtcd,
  isLoopbackHost,
  type ClusterOptions,
  type ClusterRecord,
  type ManagedEtcdOptions,
} from '../cluster/index.ts';
import { parseSchedule } from '../controller-manager/index.ts';
import { UsageError, type FlagTable, type FlagValues } from '../flags/index.ts';
import { machineAddresses } from '../net/interfaces/index.ts';
import { CommandError } from './command.ts';

export const etcdFlags = {
  etcd: {
    kind: 'text',
    only: ['embedded', 'managed'],
    summary: 'Where the cluster is kept: in files of its own, or in etcd, which it runs (default embedded)',
  },
  'etcd-binary': { kind: 'text', summary: 'The etcd program of --etcd=managed (default: the one of the PATH)' },
  'etcd-port': {
    kind: 'whole',
    summary: `Port of etcd for clients, with --etcd=managed; members use the next one (default ${DEFAULT_ETCD_PORT})`,
  },
  'etcd-snapshot-schedule': {
    kind: 'text',
    summary: `When snapshots of etcd are taken, as of a CronJob, or none (default "${DEFAULT_SNAPSHOTS.schedule}")`,
  },
  'etcd-snapshot-retention': {
    kind: 'whole',
    summary: `How many snapshots of etcd are kept (default ${DEFAULT_SNAPSHOTS.retention})`,
  },
  'etcd-servers': { kind: 'texts', summary: 'Keep the cluster in an etcd that runs already' },
  'etcd-cafile': { kind: 'text', path: true, summary: 'CA that the etcd of --etcd-servers must have' },
  'etcd-certfile': { kind: 'text', path: true, summary: 'Client certificate for the etcd of --etcd-servers' },
  'etcd-keyfile': { kind: 'text', path: true, summary: 'Key of --etcd-certfile' },
} as const satisfies FlagTable;

type Values = FlagValues<typeof etcdFlags>;

interface Place {
  readonly directory: string | undefined;
  readonly record: ClusterRecord | undefined;
  readonly memberName: string;
  readonly bindAddress: string;
  readonly advertiseAddress: string | undefined;
}

/** Undefined where the store is not an etcd that this cluster runs. */
export function managedEtcdOf(values: Values, place: Place): ManagedEtcdOptions | undefined {
  const { record, directory } = place;
  const known = record?.managedEtcd;
  if (values.etcd === 'embedded' && known)
    throw new CommandError(
      `the cluster in ${directory} is kept in etcd; "k8ts store move embedded --data-dir ${directory}" moves it`,
    );
  if (values.etcd !== 'managed' && !known) return undefined;
  if (directory === undefined)
    throw new UsageError('etcd keeps its data on disk: --etcd=managed needs a --data-dir, and no --ephemeral');
  if (values['etcd-servers'])
    throw new UsageError('--etcd-servers names an etcd that runs already, and --etcd=managed runs one: choose one');
  if (!known && fs.existsSync(path.join(directory, 'etcd')))
    throw new CommandError(
      `the cluster in ${directory} is kept in files of its own; "k8ts store move etcd --data-dir ${directory}" moves it`,
    );
  const binary = values['etcd-binary'] ?? known?.binary;
  findEtcd(binary);
  return {
    binary,
    memberName: known?.memberName ?? place.memberName,
    address: known?.address ?? memberAddress(place),
    port: known?.port ?? values['etcd-port'] ?? DEFAULT_ETCD_PORT,
    snapshots: snapshotsOf(values, known?.snapshots),
    join: known?.join,
  };
}

export function memberAddress({
  bindAddress,
  advertiseAddress,
}: Pick<Place, 'bindAddress' | 'advertiseAddress'>): string {
  if (advertiseAddress !== undefined) return advertiseAddress;
  if (isLoopbackHost(bindAddress)) return '127.0.0.1';
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return bindAddress;
  const [first] = machineAddresses();
  if (first === undefined) throw new CommandError('this machine has no address that others could reach');
  return first;
}

export function snapshotsOf(
  values: Pick<Values, 'etcd-snapshot-schedule' | 'etcd-snapshot-retention'>,
  known: ManagedEtcdOptions['snapshots'],
): ManagedEtcdOptions['snapshots'] {
  const before = known ?? DEFAULT_SNAPSHOTS;
  const schedule = values['etcd-snapshot-schedule'] ?? before.schedule;
  if (schedule === 'none') return undefined;
  try {
    parseSchedule(schedule);
  } catch (error) {
    throw new UsageError(`--etcd-snapshot-schedule ${JSON.stringify(schedule)}: ${errorMessage(error)}`);
  }
  return { schedule, retention: values['etcd-snapshot-retention'] ?? before.retention };
}

export function etcdTlsOf(values: Values): Pick<ClusterOptions, 'etcdTls'> {
  const file = (name: 'etcd-cafile' | 'etcd-certfile' | 'etcd-keyfile'): Buffer | undefined => {
    const given = values[name];
    if (given === undefined) return undefined;
    try {
      return fs.readFileSync(given);
    } catch (error) {
      throw new CommandError(`--${name}: ${errorMessage(error)}`, { cause: error });
    }
  };
  const [ca, cert, key] = [file('etcd-cafile'), file('etcd-certfile'), file('etcd-keyfile')];
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--etcd-certfile and --etcd-keyfile must be given together');
  if (!ca && !cert) return {};
  return { etcdTls: { ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}) } };
}
