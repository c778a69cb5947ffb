/** `k8ts kubelet`: the agent of one node as a process of its own, with upstream's flags. */
import { contextOptions } from '../flags/index.ts';
import { createContext } from '../kernel/index.ts';
import { kubeletHelp, parseKubeletFlags, startKubeletCommand } from '../kubelet/index.ts';
import { checkKubeconfig } from './check-kubeconfig.ts';

export { KUBELET_FLAGS as flags } from '../kubelet/index.ts';

export async function run(argv: readonly string[]): Promise<number> {
  const flags = parseKubeletFlags(argv);
  if (flags.help) {
    console.log(kubeletHelp());
    return 0;
  }
  await checkKubeconfig(argv);
  const stop = new AbortController();
  const ctx = createContext({
    signal: stop.signal,
    name: 'kubelet',
    tracer: 'memory',
    ...contextOptions(flags.values),
  });
  for (const warning of flags.warnings) ctx.logger.warn(warning);
  const kubelet = await startKubeletCommand(ctx, flags);
  // Pods outlive the kubelet. Only a machine that goes down ends them first: logind tells of it, or SIGPWR.
  const end = (): void => stop.abort(new Error('stopped'));
  const powerFails = (): void =>
    void kubelet
      .shutDown()
      .catch((error: unknown) => ctx.logger.error(error, 'The shutdown was not graceful'))
      .finally(end);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('SIGPWR', powerFails);
  try {
    await kubelet.finished;
    return 0;
  } finally {
    process.off('SIGTERM', end);
    process.off('SIGINT', end);
    process.off('SIGPWR', powerFails);
  }
}
