/** `k8ts down`: ends a cluster that runs; its data stays. */
import { flagsHelp, parseFlags, RealClock, type FlagTable } from '../kernel/index.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { print } from './output.ts';
import { readProcessFile } from './process-file.ts';

export const flags = {
  ...dataDirFlag,
  wait: { kind: 'duration', default: 30_000, summary: 'How long it may take' },
  ...outputFlag,
} as const satisfies FlagTable;

const LOOK_AGAIN_MS = 50;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags);
  const { values, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts down: stop a cluster; its data stays' }));
    return 0;
  }
  const clock = new RealClock();
  const { directory, process: running } = runningCluster(parsed);
  process.kill(running.pid, 'SIGTERM');
  const limit = clock.monotonic() + values.wait;
  while (readProcessFile(directory)?.pid === running.pid) {
    if (clock.monotonic() > limit) throw new CommandError(`the cluster (process ${running.pid}) has not ended after ${values.wait / 1000} s; "kill -9 ${running.pid}" ends it, and nothing that was acknowledged is lost`);
    await clock.sleep(LOOK_AGAIN_MS);
  }
  print(values.output, { stopped: running.pid, directory }, () => `stopped the cluster in ${directory} (process ${running.pid})`);
  return 0;
}
