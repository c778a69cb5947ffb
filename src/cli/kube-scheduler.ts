/** `k8ts kube-scheduler`: the scheduler as a process of its own, with upstream's flags. */
import { contextOptions } from '../flags/index.ts';
import { parseSchedulerFlags, runSchedulerCommand, schedulerHelp } from '../scheduler/index.ts';
import { checkKubeconfig } from './check-kubeconfig.ts';
import { untilSignal } from './until-signal.ts';

export { schedulerFlags as flags } from '../scheduler/index.ts';

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseSchedulerFlags(argv);
  if (parsed.help) {
    console.log(schedulerHelp());
    return 0;
  }
  await checkKubeconfig(argv);
  const { ctx, release } = untilSignal({ name: 'kube-scheduler', tracer: 'memory', ...contextOptions(parsed.values) });
  try {
    await runSchedulerCommand(ctx, parsed);
    return 0;
  } finally {
    release();
  }
}
