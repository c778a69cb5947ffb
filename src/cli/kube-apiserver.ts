/** `k8ts kube-apiserver`: the API server alone, over an etcd, with upstream's flags. */
import { apiServerHelp, parseApiServerFlags, runApiServerCommand } from '../apiserver/index.ts';
import { loggingOptions } from '../flags/index.ts';
import { glassApi } from '../glass/index.ts';
import { untilSignal } from './until-signal.ts';

export { apiServerFlags as flags } from '../apiserver/index.ts';

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseApiServerFlags(argv);
  if (parsed.help) {
    console.log(apiServerHelp());
    return 0;
  }
  const { ctx, release } = untilSignal({ name: 'kube-apiserver', tracer: 'memory', ...loggingOptions(parsed.values) });
  try {
    await runApiServerCommand(ctx, parsed, ({ registerApi }) => void registerApi(glassApi(ctx)));
    return 0;
  } finally {
    release();
  }
}
