/** `k8ts down`: stops a running cluster, or removes what a killed one left running; the data stays. */
import fs from 'node:fs';
import path from 'node:path';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { createContext, RealClock } from '../kernel/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { print } from './output.ts';
import { readProcessFile } from './process-file.ts';

export const flags = {
  ...dataDirFlag,
  wait: { kind: 'duration', default: 30_000, summary: 'How long to wait for the cluster to stop' },
  ...outputFlag,
} as const satisfies FlagTable;

const POLL_MS = 50;
const FABRICS = '/run/k8ts/fabric';

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags);
  const { values, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts down: stop a cluster; its data stays' }));
    return 0;
  }
  let found: ReturnType<typeof runningCluster>;
  try {
    found = runningCluster(parsed);
  } catch (error) {
    const left = await removeLeftovers(values['data-dir']);
    if (left.length === 0) throw error;
    print(values.output, { removed: left }, () => `removed what killed clusters had left running: ${left.join(', ')}`);
    return 0;
  }
  const { directory, process: running } = found;
  await stopProcess(directory, running.pid, values.wait);
  await removeLeftovers(directory);
  print(
    values.output,
    { stopped: running.pid, directory },
    () => `stopped the cluster in ${directory} (process ${running.pid})`,
  );
  return 0;
}

/** Resolves when the cluster's process has ended. */
export async function stopProcess(
  directory: string,
  pid: number,
  waitMs: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
  const clock = new RealClock();
  process.kill(pid, signal);
  const limit = clock.monotonic() + waitMs;
  while (readProcessFile(directory)?.pid === pid) {
    if (clock.monotonic() > limit)
      throw new CommandError(
        `the cluster (process ${pid}) has not ended after ${waitMs / 1000} s; "kill -9 ${pid}" ends it, and nothing that was acknowledged is lost`,
      );
    await clock.sleep(POLL_MS);
  }
}

/** Loads the node code only where nodes have left state on the machine. */
export async function removeLeftovers(directory: string): Promise<string[]> {
  if (process.getuid?.() !== 0 || !fs.existsSync(FABRICS) || fs.readdirSync(FABRICS).length === 0) return [];
  const cluster = await import('../cluster/index.ts');
  return cluster.removeLeftovers(createContext(), path.resolve(directory));
}
