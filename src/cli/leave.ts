/** `k8ts leave`: takes this machine out of its cluster and cleans it up. */
import path from 'node:path';
import { isServer, leaveCluster, leaveServer, machineRecordOf } from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { CommandError, machineDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { stopProcess } from './down.ts';
import { print, Progress } from './output.ts';
import { readProcessFile } from './process-file.ts';
import { untilSignal } from './until-signal.ts';

export const flags = {
  force: { kind: 'switch', summary: 'Leave also when pods cannot be evicted in time, or the server does not answer' },
  'drain-timeout': { kind: 'duration', default: 120_000, summary: 'How long evicting pods may take' },
  'delete-data': { kind: 'switch', summary: 'Remove the data directory with its images and volumes, too' },
  ...machineDirFlag,
  wait: { kind: 'duration', default: 30_000, summary: 'How long stopping the process may take' },
  ...outputFlag,
} as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(
      flagsHelp(flags, {
        usage: 'k8ts leave: drain this machine, delete its Node, and remove what it has on the machine',
      }),
    );
    return 0;
  }
  const directory = path.resolve(values['data-dir']);
  const isServerHere = !machineRecordOf(directory) && isServer(directory);
  if (!machineRecordOf(directory) && !isServerHere)
    throw new CommandError(`this machine has not joined a cluster in ${directory}; name its directory with --data-dir`);
  const running = readProcessFile(directory);
  const { ctx, release } = untilSignal({ name: 'leave' });
  const progress = new Progress();
  try {
    const leave = isServerHere ? leaveServer : leaveCluster;
    const { nodeName, server } = await leave(ctx, {
      directory,
      force: values.force ?? false,
      drainMs: values['drain-timeout'],
      deleteData: values['delete-data'] ?? false,
      stopProcess: running && (() => stopProcess(directory, running.pid, values.wait)),
      ...(isServerHere && running ? { leaveEtcd: () => leaveEtcd(directory) } : {}),
      onProgress: (step) => progress.show(step),
    });
    progress.clear();
    print(values.output, { node: nodeName, server }, () => `the node ${nodeName} has left ${server}`);
    return 0;
  } finally {
    progress.clear();
    release();
  }
}

async function leaveEtcd(directory: string): Promise<void> {
  const { call } = runningCluster({ values: { 'data-dir': directory }, given: new Set(['data-dir']) });
  await call('POST', '/etcd/leave');
}
