/** `k8ts why KIND/NAME`: why an object is not as its spec asks for. */
import fs from 'node:fs';
import { connect, loadKubeconfig } from '../client/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import { answerText, why, type SchedulingDecision } from '../glass/index.ts';
import { checkCertificate } from './check-kubeconfig.ts';
import { CommandError, dataDirFlag, outputFlag } from './command.ts';
import { runningCluster, type RunningCluster } from './control-client.ts';
import { print } from './output.ts';
import { untilSignal } from './until-signal.ts';

export const flags = {
  namespace: { kind: 'text', shorthand: 'n', summary: "The object's namespace (default: the kubeconfig's)" },
  kubeconfig: {
    kind: 'text',
    summary: 'The cluster and user to ask (default: the cluster here, then as kubectl does)',
  },
  ...dataDirFlag,
  ...outputFlag,
} as const satisfies FlagTable;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts why KIND/NAME: why an object is not as its spec asks for' }));
    return 0;
  }
  const reference = positional.join('/');
  if (positional.length === 0 || reference.split('/').length !== 2)
    throw new UsageError('usage: k8ts why KIND/NAME [-n NAMESPACE]');
  const here = values.kubeconfig === undefined ? clusterHere(parsed) : undefined;
  const kubeconfig = values.kubeconfig ?? (await here?.call<{ kubeconfig?: string }>('GET', '/status'))?.kubeconfig;
  const { ctx, release } = untilSignal({ name: 'why' });
  try {
    if (kubeconfig !== undefined && !fs.existsSync(kubeconfig))
      throw new CommandError(`there is no file ${kubeconfig}`);
    const config = await loadKubeconfig({
      clock: ctx.clock,
      ...(kubeconfig === undefined ? {} : { file: kubeconfig }),
    });
    await checkCertificate(config, ctx.clock.now(), kubeconfig ?? 'the kubeconfig');
    const client = connect(ctx, config);
    try {
      const answer = await why(reference, {
        client,
        namespace: values.namespace ?? config.namespace ?? 'default',
        now: () => ctx.clock.now(),
        signal: ctx.signal,
        ...(here ? { schedulingDecision: (pod) => decisionOf(here, pod) } : {}),
      });
      print(values.output, answer, answerText);
      return 0;
    } finally {
      await client.close();
    }
  } finally {
    release();
  }
}

/** undefined where no cluster of ours runs. */
export function clusterHere(parsed: Parameters<typeof runningCluster>[0]): RunningCluster | undefined {
  try {
    return runningCluster(parsed);
  } catch (error) {
    if (parsed.given.has('data-dir')) throw error;
    return undefined;
  }
}

export async function decisionOf(
  cluster: RunningCluster,
  { namespace, name }: { namespace: string; name: string },
): Promise<SchedulingDecision | undefined> {
  const query = `namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}`;
  // A scheduler that has not tried the pod has no decision.
  return cluster.call<SchedulingDecision>('GET', `/explain?${query}`).catch(() => undefined);
}
