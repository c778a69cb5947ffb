/** `k8ts store`: where a cluster is kept, moving it to etcd and back, and the snapshots and members of etcd. */
import os from 'node:os';
import path from 'node:path';
import {
  listEtcdSnapshots,
  readClusterRecord,
  runStoreWork,
  snapshotDirectoryOf,
  type ClusterStatus,
  type StoreWorkRequest,
} from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { memberAddress } from './etcd-flags.ts';
import { print, table } from './output.ts';
import { claimDirectory, readProcessFile } from './process-file.ts';
import { etcdRows } from './status.ts';
import { untilSignal } from './until-signal.ts';
import { workWhileStopped } from './work-while-stopped.ts';

export const flags = {
  ...dataDirFlag,
  'etcd-binary': { kind: 'text', summary: 'The etcd program (default: the one of the PATH)' },
  'etcd-port': { kind: 'whole', summary: 'Port of etcd for clients, of "store move etcd"; members use the next one' },
  force: { kind: 'switch', summary: 'Remove a member although another one does not answer' },
  wait: { kind: 'duration', default: 120_000, summary: 'How long to wait for the cluster to be ready again' },
  ...outputFlag,
} as const satisfies FlagTable;

export const verbs = ['show', 'move', 'snapshot', 'snapshots', 'restore', 'remove-member'] as const;

const USAGE = `k8ts store: where a cluster is kept

  k8ts store show                   the store, and the members of etcd
  k8ts store move etcd              from the embedded store to etcd, which the cluster then runs
  k8ts store move embedded          back; etcd must have one member
  k8ts store snapshot               take a snapshot of etcd now
  k8ts store snapshots              list them
  k8ts store restore FILE|latest    restore one; this machine is the only member of etcd then
  k8ts store remove-member NAME     take a machine that is gone out of etcd

A running cluster is stopped for moving and restoring, and started again; containers go on.`;

interface Parsed {
  readonly values: {
    readonly 'data-dir': string;
    readonly 'etcd-binary'?: string;
    readonly 'etcd-port'?: number;
    readonly force?: boolean;
    readonly wait: number;
    readonly output: string;
  };
  readonly given: ReadonlySet<string>;
}

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: USAGE }));
    return 0;
  }
  const [verb = 'show', argument, ...rest] = positional;
  if (rest.length > 0) throw new UsageError(`unexpected ${rest.join(' ')}\n\n${USAGE}`);
  const directory = path.resolve(values['data-dir']);
  const binary = values['etcd-binary'];
  switch (verb) {
    case 'show':
      return show(parsed);
    case 'move':
      if (argument !== 'etcd' && argument !== 'embedded') throw new UsageError('usage: k8ts store move etcd|embedded');
      return work(parsed, { work: `move-to-${argument}`, binary, port: values['etcd-port'] });
    case 'restore':
      if (argument === undefined) throw new UsageError('usage: k8ts store restore FILE, or k8ts store restore latest');
      return work(parsed, { work: 'restore', binary, file: argument === 'latest' ? argument : path.resolve(argument) });
    case 'snapshot': {
      const taken = await runningCluster(parsed).call<{ file: string; bytes: number }>('POST', '/etcd/snapshots');
      print(values.output, taken, ({ file }) => `saved ${file}`);
      return 0;
    }
    case 'snapshots':
      print(values.output, listEtcdSnapshots(snapshotDirectoryOf(directory)), (all) =>
        table([['TIME', 'BYTES', 'FILE'], ...all.map(({ time, bytes, file }) => [time, String(bytes), file])]),
      );
      return 0;
    case 'remove-member': {
      if (argument === undefined) throw new UsageError('usage: k8ts store remove-member NAME');
      const query = new URLSearchParams({ name: argument, force: String(values.force ?? false) });
      await runningCluster(parsed).call('DELETE', `/etcd/members?${query.toString()}`);
      print(values.output, { removed: argument }, () => `removed the member ${argument}`);
      return 0;
    }
    default:
      throw new UsageError(`unknown command "store ${verb}"\n\n${USAGE}`);
  }
}

async function show(parsed: Parsed): Promise<number> {
  const { directory, call } = runningCluster(parsed);
  const { etcd } = await call<ClusterStatus>('GET', '/status');
  const store = etcd ? 'etcd' : readClusterRecord(directory)?.managedEtcd ? 'etcd, stopped' : 'embedded, or elsewhere';
  print(parsed.values.output, { store, ...(etcd ? { etcd } : {}) }, () => table([['store', store], ...etcdRows(etcd)]));
  return 0;
}

async function work(parsed: Parsed, request: StoreWorkRequest): Promise<number> {
  const { values } = parsed;
  const directory = path.resolve(values['data-dir']);
  const done = readProcessFile(directory)
    ? await workWhileStopped(parsed, '/store', request)
    : await whileStopped(directory, request);
  print(values.output, { done }, () => done);
  return 0;
}

async function whileStopped(directory: string, request: StoreWorkRequest): Promise<string> {
  const record = readClusterRecord(directory);
  if (!record) throw new CommandError(`there is no cluster in ${directory}; name its directory with --data-dir`);
  const { release: releaseDirectory } = claimDirectory(directory, false);
  const { ctx, release } = untilSignal({ name: 'store' });
  try {
    const member = {
      memberName: record.machineNode?.nodeName ?? os.hostname().toLowerCase(),
      address:
        record.machineNode?.addresses[0] ?? memberAddress({ bindAddress: '127.0.0.1', advertiseAddress: undefined }),
    };
    const done = await runStoreWork(ctx, { directory, member }, request);
    return `${done}; start the cluster with "k8ts up"`;
  } finally {
    release();
    await releaseDirectory();
  }
}
