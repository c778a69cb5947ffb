/** `k8ts kube-controller-manager`: the controllers alone, with upstream's flags. */
import {
  controllerManagerHelp,
  parseControllerManagerFlags,
  runControllerManagerCommand,
} from '../controller-manager/index.ts';
import { contextOptions } from '../flags/index.ts';
import { checkKubeconfig } from './check-kubeconfig.ts';
import { untilSignal } from './until-signal.ts';

export { controllerManagerFlags as flags } from '../controller-manager/index.ts';

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseControllerManagerFlags(argv);
  if (parsed.help) {
    console.log(controllerManagerHelp());
    return 0;
  }
  await checkKubeconfig(argv);
  const { ctx, release } = untilSignal({
    name: 'kube-controller-manager',
    tracer: 'memory',
    ...contextOptions(parsed.values),
  });
  try {
    await runControllerManagerCommand(ctx, parsed);
    return 0;
  } finally {
    release();
  }
}
